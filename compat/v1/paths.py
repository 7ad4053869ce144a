"""Which module of the drop-in namespace a dotted TensorFlow path means."""

from __future__ import annotations

import importlib
import types
from typing import Any

import tensorflow as tf

import compat.v1
from compat.v1.namespace import Namespace, seen


class _RealTensorFlow(Namespace):
    """The installed TensorFlow with its `compat.v1` replaced."""

    def __getattr__(self, name: str) -> Any:
        if name == "compat":
            return _CompatPackage("tensorflow.compat", tf.compat)
        return getattr(self._module, name)


class _CompatPackage(Namespace):
    """TensorFlow's `compat` package with `v1` replaced."""

    def __getattr__(self, name: str) -> Any:
        if name == "v1":
            return compat.v1
        return getattr(self._module, name)


def module_for(path: str, tf1: bool) -> Any:
    """The module that `import path` gives a legacy script.

    Args:
      path: A dotted path that starts with `tensorflow` or `tensorflow_estimator`.
      tf1: Whether plain `tensorflow` is TF1's namespace.

    Returns:
      The module, or None where the path is not one that this package changes.

    Raises:
      ModuleNotFoundError: The namespace has no such module.
    """
    parts = path.split(".")
    if parts[0] == "tensorflow_estimator":
        return compat.v1.estimator
    module: Any = compat.v1 if tf1 else _RealTensorFlow("tensorflow", tf)
    if parts[1:3] == ["compat", "v1"]:
        module, parts = compat.v1, parts[2:]
    elif parts[1:2] == ["compat"]:
        module, parts = _CompatPackage("tensorflow.compat", tf.compat), parts[1:]
    elif parts[1:2] == ["python"]:
        return _private(parts)
    elif parts[1:2] == ["core"]:
        # Compiled protocol buffers, the same in every namespace.
        return importlib.import_module(path)
    for part in parts[1:]:
        try:
            module = getattr(module, part)
        except AttributeError as error:
            raise ModuleNotFoundError(f"No module named {path!r}: {error}", name=path) from None
    return module


def _private(parts: list[str]) -> Any:
    """A private path: TensorFlow's own module, with this package's classes in it."""
    path = ".".join(parts)
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError:
        return _FlatSearch(path)
    return _PrivateModule(path, module)


class _PrivateModule(Namespace):
    """A private TensorFlow module whose public classes are this package's."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, types.ModuleType):
            return _PrivateModule(value.__name__, value)
        return seen(value, f"{self.__name__}.{name}")


class _FlatSearch(types.ModuleType):
    """A private module that is gone: its names are looked up where they are public now."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        for module in (compat.v1.train, compat.v1, compat.v1.estimator, compat.v1.summary):
            if hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
