"""The library part of the digits project."""
