"""TF1's `tf.keras`, Keras 2 from tf-keras."""

from __future__ import annotations

from typing import Any

from compat.v1 import legacy_keras as _legacy_keras


def __getattr__(name: str) -> Any:
    return getattr(_legacy_keras.keras(), name)


def __dir__() -> list[str]:
    return dir(_legacy_keras.keras())
