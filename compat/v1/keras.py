"""TF1's `tf.keras`, Keras 2 from tf-keras."""

from __future__ import annotations

from typing import Any

from compat.v1 import legacy_keras as _legacy_keras
from compat.v1.missing import WithoutGone as _WithoutGone
from compat.v1.missing import taken as _taken
from compat.v1.namespace import public as _public

#: Modules that have lost some of TF1's names.
_WITH_GONE = frozenset(["estimator", "experimental", "mixed_precision", "utils"])


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _public(__dir__())
    path = f"compat.v1.keras.{name}"
    value = _taken(_legacy_keras.keras(), name, path)
    return _WithoutGone(path, value) if name in _WITH_GONE else value


def __dir__() -> list[str]:
    return dir(_legacy_keras.keras())
