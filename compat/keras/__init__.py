"""The Keras surface: session-run hooks as callbacks of `fit`, `evaluate` and `predict`."""
