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


_ENTRIES: dict[Any, tuple[str, ...]] = {
    keras.Model: [
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
        "get_metrics_result",
    ],
    keras.Layer: ("__call__",),
    keras.Variable: ("__init__", "numpy", "assign"),
    keras.optimizers.Optimizer: ("build", "apply_gradients"),
    keras.saving: ("load_model", "load_weights", "save_model", "save_weights"),
    keras.models: ("load_model", "clone_model", "save_model"),
}

_installed: list[bool] = []


def install() -> None:
    """Makes Keras callable from hooks; does nothing the second time."""
    if _installed:
        return
    _installed.append(True)
    for owner, methods in _ENTRIES.items():
        for name in methods:
            if hasattr(owner, name):
                setattr(owner, name, _eagerly(getattr(owner, name)))


def _eagerly(function: Callable) -> Callable:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly() or not _under_plain_graph():
            return function(*args, **kwargs)
        with tf.__internal__.eager_context.eager_mode():
            return function(*args, **kwargs)

    return call


def _under_plain_graph() -> bool:
    """Whether a graph is built that is no function's: Keras itself traces functions."""
    return not tf.compat.v1.get_default_graph().building_function
