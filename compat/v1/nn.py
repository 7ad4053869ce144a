"""TF1's `tf.nn`, with its recurrent cells from tf-keras."""

from __future__ import annotations

from typing import Any

import tensorflow as _tensorflow

from compat.v1 import legacy_keras as _legacy_keras
from compat.v1.missing import taken as _taken
from compat.v1.namespace import public as _public
from compat.v1.namespace import seen as _seen

_base = _tensorflow.compat.v1.nn


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _public(__dir__())
    if name == "rnn_cell":
        return _legacy_keras.rnn_cell()
    path = f"compat.v1.nn.{name}"
    return _seen(_taken(_base, name, path), path)


def __dir__() -> list[str]:
    return sorted({*dir(_base), "rnn_cell"})
