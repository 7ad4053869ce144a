"""The fixers, one a file."""
