"""Keras inside hook callbacks: entry points that leave the hooks' default graph.

Hook callbacks run with a graph as the default, which TF1's savers and writers need. Keras
works eagerly only. So while hooks are in use, Keras's entry points switch to eager
execution when they are called while a plain graph is the default one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf

from compat.engine.vocabulary import VocabularyGraph
from compat.keras.kept import kept

_MODEL = (
    "fit",
    "evaluate",
    "predict",
    "train_on_batch",
    "test_on_batch",
    "predict_on_batch",
    "save",
    "save_weights",
    "load_weights",
    "export",
    "compile",
    "build",
    "get_weights",
    "set_weights",
    "get_metrics_result",
)

_eager_mode = tf.__internal__.eager_context.eager_mode
_installed: set[str] = set()


def install(package: Any) -> None:
    """Makes Keras callable from hooks; does nothing the second time.

    Args:
      package: `keras`, or `tf_keras` for Keras 2.
    """
    if package.__name__ in _installed:
        return
    _installed.add(package.__name__)
    for owner, names in _entries(package).items():
        for name in names:
            if hasattr(owner, name):
                _replace(owner, name, _eagerly)
    for name in ("evaluate", "test_on_batch"):
        _replace(package.Model, name, _beside_training)
    if package is keras:
        keras.Variable.__tf_tensor__ = _as_node(keras.Variable.__tf_tensor__)


def package_of(model: Any) -> Any:
    """The Keras that a model is of: `keras` or `tf_keras`."""
    if isinstance(model, keras.Model):
        return keras
    import tf_keras

    return tf_keras


def _entries(package: Any) -> dict[Any, tuple[str, ...]]:
    entries = {
        package.Model: _MODEL,
        package.layers.Layer: ("__call__", "get_weights", "set_weights"),
        package.optimizers.Optimizer: ("build", "apply_gradients"),
        package.models: ("load_model", "clone_model", "save_model"),
    }
    if package is keras:
        entries[keras.Variable] = ("__init__", "numpy", "assign")
        entries[keras.saving] = ("load_model", "load_weights", "save_model", "save_weights")
    return entries


def _replace(owner: Any, name: str, wrap: Callable[[Callable], Callable]) -> None:
    """Wraps a function where it is defined: Keras compares methods with their base's."""
    for base in getattr(owner, "__mro__", (owner,)):
        if name in vars(base):
            setattr(base, name, wrap(vars(base)[name]))
            return


def _beside_training(evaluate: Callable) -> Callable:
    """An evaluation that a hook asks for leaves the running means of its fit alone."""

    @functools.wraps(evaluate)
    def call(model: Any, *args: Any, **kwargs: Any) -> Any:
        loop = kept(model).loops.get("train")
        if loop is None or not loop.in_hooks:
            return evaluate(model, *args, **kwargs)
        with _eager_mode():
            variables = [v for metric in model.metrics for v in metric.variables]
            values = [variable.numpy() for variable in variables]
        result = evaluate(model, *args, **kwargs)
        with _eager_mode():
            for variable, value in zip(variables, values, strict=True):
                variable.assign(value)
        return result

    return call


def _eagerly(function: Callable) -> Callable:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly() or not _under_plain_graph():
            return function(*args, **kwargs)
        with _eager_mode():
            return function(*args, **kwargs)

    return call


def _as_node(to_tensor: Callable) -> Callable:
    """A Keras variable in an op of the hooks' graph is the graph's variable."""

    @functools.wraps(to_tensor)
    def convert(variable: Any, dtype: Any = None, name: str | None = None) -> Any:
        graph = tf.compat.v1.get_default_graph()
        if tf.executing_eagerly() or not isinstance(graph, VocabularyGraph):
            return to_tensor(variable, dtype, name)
        value = graph.as_graph_element(variable)
        return value if dtype is None else tf.cast(value, dtype)

    return convert


def _under_plain_graph() -> bool:
    """Whether a graph is built that is no function's: Keras itself traces functions."""
    return not tf.compat.v1.get_default_graph().building_function
