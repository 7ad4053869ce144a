"""Takes TensorFlow 1 code bases along: run them, check them, upgrade them in steps."""
