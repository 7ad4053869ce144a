"""Feeds of a run in which a step, or a graph of names, stands in place of a legacy graph.

A fed name goes to where its value lives: an argument or a part of the batch to the step,
a variable to itself (for the time of the run), a hook's own placeholder to the graph.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from compat import _tf
from compat.engine.feeds import resolve_feed
from compat.engine.steps import Step, as_value
from compat.engine.vocabulary import VocabularyGraph


@dataclasses.dataclass(frozen=True)
class SplitFeeds:
    """A feed_dict, sorted.

    Attributes:
      arguments: What steps take, by name without `":0"`.
      variables: Variables, each with the value it gets for the run.
      graph: What goes to tensors of the graph.
    """

    arguments: dict[str, Any]
    variables: list[tuple[Any, Any]]
    graph: dict


def split_feeds(session: Any, steps: list[Step], feed_dict: Mapping) -> SplitFeeds:
    """Sorts a feed_dict by where its values go.

    Args:
      session: The session.
      steps: The steps of the run.
      feed_dict: Values by tensor, name, variable (eager and Keras ones too) or structure.

    Returns:
      The sorted feeds.

    Raises:
      TypeError: A key is nothing that can be fed in this run.
    """
    split = SplitFeeds({}, [], {})
    inside: list[str] = []
    graph = session.graph
    for key, value in feed_dict.items():
        name = key.removesuffix(":0") if isinstance(key, str) else None
        tensor = _find(session, key)
        if isinstance(graph, VocabularyGraph) and tensor is not None:
            offered = offered_name(graph, tensor)
            name = offered.removesuffix(":0") if offered else name
            variable = graph.variable_of(tensor)
            if variable is not None:
                split.variables.append((graph.wholes.get(variable, graph.bound[variable]), value))
                continue
            if offered is not None and steps and not _accepted(steps, name):
                raise TypeError(
                    f"Cannot feed {offered!r}: it comes out of the step; got a value of type "
                    f"{type(value).__name__}. Feed the batch, a variable or a placeholder."
                )
        if name is not None and _accepted(steps, name):
            split.arguments[name] = value
        elif tensor is None and _is_eager_variable(key):
            split.variables.append((key, value))
        elif tensor is None and steps and isinstance(key, str):
            inside.append(key)
        else:
            split.graph[key] = value
    for key in inside:
        variable = _variable_inside(session, steps, key, split.arguments)
        split.variables.append((variable, feed_dict[key]))
    return split


def _find(session: Any, key: Any) -> tf.Tensor | None:
    try:
        return session._resolve_feed(key)
    except (KeyError, ValueError, TypeError):
        return None  # A step's argument, a variable or a structure: or unknown, found later.


def offered_name(graph: VocabularyGraph, tensor: tf.Tensor) -> str | None:
    """The name under which a step supplies what a tensor of the graph stands for, if one does."""
    return next((name for name, offer in graph.offers.items() if offer is tensor), None)


def _accepted(steps: list[Step], name: str | None) -> bool:
    return name is not None and any(step.accepts(name) for step in steps)


def _is_eager_variable(key: Any) -> bool:
    if isinstance(key, tf.Variable):
        return isinstance(key.handle, _tf.EagerTensor)
    return isinstance(getattr(key, "value", None), tf.Variable) and hasattr(key, "assign")


def _variable_inside(session: Any, steps: list[Step], name: str, arguments: Mapping) -> Any:
    """The variable called `name` that a traced step uses."""
    for step in steps:
        variable = step.variables(arguments).get(name)
        if variable is not None:
            return variable
    return resolve_feed(name, session._resolve_feed)  # Raises the error for unknown names.


@contextlib.contextmanager
def set_for_a_run(variables: list[tuple[Any, Any]]) -> Iterator[None]:
    """Sets variables for the time of a run.

    As a feed does in TF1, the value holds for this run only. A variable that the run
    itself changed keeps what the run gave it.

    Args:
      variables: Variables with their values.

    Raises:
      ValueError: A value doesn't fit its variable's shape.
    """
    before = []
    try:
        for variable, value in variables:
            own = as_value(variable)
            given = np.asarray(value, dtype=own.dtype)
            if given.shape != own.shape:
                raise ValueError(
                    f"Cannot feed value of shape {given.shape} for variable {variable.name}, "
                    f"which has shape {own.shape}."
                )
            variable.assign(given)
            before.append((variable, own, given))
        yield
    finally:
        for variable, own, given in before:
            if as_value(variable).tobytes() == given.tobytes():
                variable.assign(own)
