"""Calling a user's functions with those of the known arguments that they take."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

_MODEL_FN_ARGUMENTS = {"features", "labels", "mode", "params", "self", "config"}


def argument_names(function: Callable) -> set[str]:
    """Names of the arguments that `function` still takes; those a partial binds are gone."""
    kinds = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    )
    names = {p.name for p in inspect.signature(function).parameters.values() if p.kind in kinds}
    while isinstance(function, functools.partial):
        names -= set(function.keywords)
        function = function.func
    return names


def chosen(function: Callable, available: dict[str, Any]) -> dict[str, Any]:
    """The part of `available` that `function` takes."""
    names = argument_names(function)
    return {name: value for name, value in available.items() if name in names}


def check_model_fn(model_fn: Callable, params: Any) -> None:
    """Refuses a `model_fn` that can't be called by an estimator.

    Args:
      model_fn: The function.
      params: What the estimator was given as `params`, or None.

    Raises:
      ValueError: It has no argument `features`, an unknown one, or none for `params`.
    """
    if model_fn is None:
        raise ValueError("An Estimator needs a model_fn; got None.")
    names = argument_names(model_fn)
    if "features" not in names:
        raise ValueError(f"model_fn must take an argument `features`; got {model_fn!r}.")
    if params is not None and "params" not in names:
        raise ValueError(
            f"params were given, but model_fn takes no argument `params`; got {model_fn!r}. "
            "Add the argument, or leave the params out."
        )
    if params is None and "params" in names:
        v1.logging.warning("model_fn %s takes params, but the Estimator got none.", model_fn)
    unknown = sorted(names - _MODEL_FN_ARGUMENTS)
    if unknown:
        raise ValueError(
            f"model_fn may take {sorted(_MODEL_FN_ARGUMENTS - {'self'})}; got also {unknown} "
            f"in {model_fn!r}. Bind them with functools.partial, or pass them in params."
        )


def call_input_fn(input_fn: Callable, mode: str, params: Any, config: Any, context: Any) -> Any:
    """Calls an input function on the CPU; `context` is a `tf.distribute.InputContext`."""
    available = {"mode": mode, "params": params, "config": config}
    if context is not None:
        available["input_context"] = context
    with tf.device("/cpu:0"):
        return input_fn(**chosen(input_fn, available))


def call_model_fn(
    model_fn: Callable, features: Any, labels: Any, mode: str, params: Any, config: Any
) -> Any:
    """Calls a model function and returns what it returned.

    Raises:
      ValueError: There are labels, and the function has no argument for them.
    """
    available = {"labels": labels, "mode": mode, "params": params, "config": config}
    arguments = chosen(model_fn, available)
    if labels is not None and "labels" not in arguments:
        raise ValueError(
            f"The input function gives labels, but model_fn takes none; got {model_fn!r}. "
            "Add an argument `labels`."
        )
    v1.logging.info("Calling model_fn.")
    result = model_fn(features=features, **arguments)
    v1.logging.info("Done calling model_fn.")
    return result
