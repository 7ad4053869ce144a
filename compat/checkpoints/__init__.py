"""Checkpoints: TF1's name-based files and TF2's object-based ones under one interface."""
