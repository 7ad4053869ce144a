"""U201: placeholder."""
