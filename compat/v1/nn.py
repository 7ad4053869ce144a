"""TF1's `tf.nn`, with its recurrent cells from tf-keras."""

from __future__ import annotations

from typing import Any

import tensorflow as _tensorflow

from compat.v1 import legacy_keras as _legacy_keras
from compat.v1.namespace import seen as _seen

_base = _tensorflow.compat.v1.nn


def __getattr__(name: str) -> Any:
    if name == "rnn_cell":
        return _legacy_keras.rnn_cell()
    return _seen(getattr(_base, name), f"compat.v1.nn.{name}")


def __dir__() -> list[str]:
    return sorted({*dir(_base), "rnn_cell"})
