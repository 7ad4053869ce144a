"""TF1's `tf.layers`, from tf-keras."""

from __future__ import annotations

from typing import Any

from compat.v1 import graph_mode as _graph_mode
from compat.v1 import legacy_keras as _legacy_keras
from compat.v1.namespace import public as _public


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _public(__dir__())
    value = getattr(_legacy_keras.layers(), name)
    if not name.startswith("_") and not isinstance(value, type):
        _graph_mode.enter()
    return value


def __dir__() -> list[str]:
    return dir(_legacy_keras.layers())
