"""Session-run hooks."""
