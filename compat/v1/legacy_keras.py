"""Where TF1's Keras, layers and cells live today: the `tf-keras` package.

It is imported only when a script asks for one of them; Keras 3 may be used beside it.
"""

from __future__ import annotations

import importlib
from types import ModuleType

#: The Keras of TF1 inside tf-keras, which has no shorter public path.
_KERAS = "tf_keras.api._v1.keras"

#: Where its modules are, which TF1 had below `tensorflow.python.keras`.
SOURCE = "tf_keras.src"


def keras() -> ModuleType:
    """TF1's `tf.keras`.

    Raises:
      ModuleNotFoundError: tf-keras is not installed.
    """
    return _load(_KERAS)


def layers() -> ModuleType:
    """TF1's `tf.layers`; errors as in `keras`."""
    return _load(f"{_KERAS}.__internal__.legacy.layers")


def rnn_cell() -> ModuleType:
    """TF1's `tf.nn.rnn_cell`; errors as in `keras`."""
    return _load(f"{_KERAS}.__internal__.legacy.rnn_cell")


def _load(path: str) -> ModuleType:
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "TF1's layers, cells and Keras models need the tf-keras package of the same "
            "version as TensorFlow: pip install tf-keras",
            name=error.name,
        ) from error
