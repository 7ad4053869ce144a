"""Which module of the drop-in namespace a dotted TensorFlow path means."""

from __future__ import annotations

import importlib
import importlib.util
import types
from typing import Any

import tensorflow as tf

import compat.v1
from compat.migrate import lookup
from compat.v1 import legacy_keras
from compat.v1.missing import reason
from compat.v1.namespace import Namespace, seen


class _RealTensorFlow(Namespace):
    """The installed TensorFlow with its `compat.v1` replaced."""

    def __getattr__(self, name: str) -> Any:
        if name == "compat":
            return _CompatPackage("tensorflow.compat", tf.compat)
        if name == "python":
            return private_module("tensorflow.python")
        return getattr(self._module, name)


class _CompatPackage(Namespace):
    """TensorFlow's `compat` package with `v1` replaced."""

    def __getattr__(self, name: str) -> Any:
        if name == "v1":
            return compat.v1
        return getattr(self._module, name)


class _EstimatorPackage(Namespace):
    """The package that TF1's estimators came in."""

    def __getattr__(self, name: str) -> Any:
        if name == "python":
            return private_module("tensorflow_estimator.python")
        return self._module if name == "estimator" else getattr(self._module, name)


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
    module: Any = compat.v1 if tf1 else _RealTensorFlow("tensorflow", tf)
    if parts[1:2] == ["python"]:
        return private_module(path)
    if parts[0] == "tensorflow_estimator":
        module = _EstimatorPackage("tensorflow_estimator", compat.v1.estimator)
    elif parts[1:3] == ["compat", "v1"]:
        module, parts = compat.v1, parts[2:]
    elif parts[1:2] == ["compat"]:
        module, parts = _CompatPackage("tensorflow.compat", tf.compat), parts[1:]
    elif parts[1:2] == ["core"]:
        # Compiled protocol buffers, the same in every namespace.
        return importlib.import_module(path)
    for part in parts[1:]:
        try:
            module = getattr(module, part)
        except AttributeError as error:
            text = reason(".".join(parts[1:])) or error  # The whole path may say more.
            raise ModuleNotFoundError(f"No module named {path!r}: {text}", name=path) from None
    return module


def private_module(path: str) -> types.ModuleType:
    """A private module as TF 1.15 had it: public names come from this package's namespace.

    Args:
      path: Its dotted path, `tensorflow.python.ops.rnn_cell`.

    Returns:
      A module for any path. One that neither TensorFlow 1.15 nor 2 has gives the names that
      are found in TF1's `train`, top level, `estimator` and `summary`.
    """
    for home in (_keras_home(path), path):
        try:
            return _PrivateModule(path, importlib.import_module(home))
        except ModuleNotFoundError:
            continue
    return _PrivateModule(path, _FlatSearch(path))


def _keras_home(path: str) -> str:
    """Where the code of TF1's Keras is now; TensorFlow keeps a copy that nothing goes with."""
    top = "tensorflow.python.keras"
    return (
        legacy_keras.SOURCE + path.removeprefix(top) if f"{path}.".startswith(top + ".") else path
    )


def _is_module(path: str) -> bool:
    """Whether a private path is a module in TF 1.15 or in the installed TensorFlow."""
    if lookup.is_private_module(path):
        return True
    for home in (_keras_home(path), path):
        try:
            if importlib.util.find_spec(home) is not None:
                return True
        except ModuleNotFoundError:
            continue
    return False


class _PrivateModule(Namespace):
    """A private TensorFlow module whose public names are those of this package's namespace."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            return super().__getattr__(name)
        path = f"{self.__name__}.{name}"
        public = lookup.public_name(path)
        if public is not None:
            try:
                return _public(public)
            except AttributeError:
                if not hasattr(self._module, name):
                    raise
        try:
            value = getattr(self._module, name)
        except AttributeError:
            if _is_module(path):
                return private_module(path)
            raise
        if isinstance(value, types.ModuleType):
            inner = value.__name__ if value.__name__.startswith("tensorflow.python.") else path
            return private_module(inner)
        return seen(value, path)


def _public(name: str) -> Any:
    value: Any = compat.v1
    for part in name.split("."):
        value = getattr(value, part)
    return value


class _FlatSearch(types.ModuleType):
    """A private module that is gone: its names are looked up where they are public now."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            for module in (compat.v1.train, compat.v1, compat.v1.estimator, compat.v1.summary):
                if hasattr(module, name):
                    return getattr(module, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
