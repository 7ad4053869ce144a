"""TensorFlow 1 session-run hooks, unchanged, on eager TensorFlow 2 and Keras 3."""
