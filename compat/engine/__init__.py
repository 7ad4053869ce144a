"""The engine: legacy graphs compiled into functions and run eagerly."""
