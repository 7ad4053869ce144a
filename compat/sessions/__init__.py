"""Sessions: raw, monitored, and what makes them ready."""
