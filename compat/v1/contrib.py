"""`tf.contrib`, which TensorFlow 2 dropped: every name says what took its place."""

from __future__ import annotations

import functools
from typing import Any

import compat.v1 as _v1
from compat.hooks import evaluation as _evaluation
from compat.migrate import lookup as _lookup
from compat.migrate.contrib import REPLACEMENTS as _REPLACEMENTS


class _Package:
    """A part of `tf.contrib` that has further names in it."""

    def __init__(self, path: str):
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _resolve(f"{self._path}.{name}")

    def __repr__(self) -> str:
        return f"<tf.{self._path}, dropped by TensorFlow 2>"


#: Names that this package brings back.
_BACK = {
    "contrib.training.StopAfterNEvalsHook": "StopAfterNEvalsHook",
    "contrib.training.SummaryAtEndHook": "SummaryAtEndHook",
}


def _resolve(path: str) -> Any:
    if path in _BACK:
        return getattr(_evaluation, _BACK[path])
    if any(row.name.startswith(path + ".") for row in _REPLACEMENTS):
        return _Package(path)
    row = _lookup.replacement(path)
    if row and row.same and row.name == path and row.use.startswith("tf."):
        return functools.reduce(getattr, row.use.split(".")[1:], _v1)
    advice = f"Use {row.use} instead" if row else "Look for the same name outside contrib"
    note = f" ({row.note})" if row and row.note else ""
    raise AttributeError(f"tf.{path} does not exist in TensorFlow 2. {advice}{note}.")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _resolve(f"contrib.{name}")
