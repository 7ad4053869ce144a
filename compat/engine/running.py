"""One run that mixes steps with graph elements, variables and names.

The order keeps TF1's rule of when variables are read: values of variables that computed
fetches need are taken first, then the step runs, then the graph part with those values
and with what the step supplied, and variables fetched as themselves last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from compat.engine.feeds import convert_feed
from compat.engine.steps import Step, as_value, as_values, unknown_name
from compat.engine.vocabulary import VocabularyGraph


def run_mixed(session: Any, elements: tuple, feed_dict: Mapping, cancellation: Any) -> list:
    """Runs elements of which some are steps, eager variables or names of step outputs.

    Args:
      session: The session.
      elements: Resolved fetches: graph elements, `Step`s, eager variables, names.
      feed_dict: What the caller and hooks feed; names of step arguments among the keys.
      cancellation: The run's `CancellationManager`.

    Returns:
      A value for each element, in order.

    Raises:
      ValueError: A name is unknown in this run.
      TypeError: A feed is neither in the graph nor an argument of a step.
    """
    steps = [element for element in elements if isinstance(element, Step)]
    arguments, graph_feeds = _split_feeds(steps, feed_dict)
    feeds = session._engine.feeds(graph_feeds, session._resolve_feed)
    wanted = {element for element in elements if isinstance(element, str)}

    graph_part = tuple(e for e in elements if isinstance(e, (tf.Tensor, tf.Operation)))
    program = None
    supplied: list[tuple[int, tf.Tensor]] = []
    if graph_part:
        offers = _offers(session.graph, feeds)
        fed = [tensor for tensor, _ in feeds.values()] + list(offers)
        program = session._engine.program(graph_part, tuple(fed), before_step=bool(steps))
        supplied = [(i, fed[i]) for i in program.feeds if i >= len(feeds)]
        wanted |= {tensor.name for _, tensor in supplied}

    with tf.__internal__.eager_context.eager_mode():
        before = [variable.read_value() for variable in program.snapshots] if program else []
        results = _call_steps(session, steps, arguments, wanted)
        values = session.step_values
        missing = wanted - set(values)
        if missing:
            raise unknown_name(sorted(missing)[0], _known(session, values))
        graph_values: list = []
        if program:
            raw = [value for _, value in feeds.values()]
            given = [
                raw[i] if i < len(raw) else convert_feed(fed[i], as_value(values[fed[i].name]))
                for i in program.feeds
            ]
            graph_values = program(given + before, cancellation)
        by_element = dict(zip(map(id, graph_part), graph_values, strict=True))
        return [_value_of(element, results, values, by_element) for element in elements]


def _value_of(element: Any, results: dict, values: dict, by_element: dict) -> Any:
    if isinstance(element, Step):
        return as_values(results[id(element)])
    if isinstance(element, str):
        return as_value(values[element])
    if id(element) in by_element:
        return by_element[id(element)]
    return as_value(element)  # An eager variable, read after everything else.


def _call_steps(session: Any, steps: list, arguments: Mapping, wanted: set[str]) -> dict:
    """Calls each step once; what it supplies stays visible until the next step."""
    results: dict = {}
    if not steps:
        return results
    supplied: dict[str, Any] = {}
    for step in steps:
        own = {name: value for name, value in arguments.items() if step.accepts(name)}
        last = step is steps[-1]
        result, values = step.call(own, wanted - set(supplied) if last else set())
        results[id(step)] = result
        supplied.update(values)
    session.step_values = supplied
    own_step = getattr(session.graph, "own_step", None)
    if own_step is not None:
        own_step.assign_add(1)
    return results


def _split_feeds(steps: list, feed_dict: Mapping) -> tuple[dict, dict]:
    arguments: dict = {}
    graph_feeds: dict = {}
    for key, value in feed_dict.items():
        name = key.removesuffix(":0") if isinstance(key, str) else None
        if name is not None and any(step.accepts(name) for step in steps):
            arguments[name] = value
        else:
            graph_feeds[key] = value
    return arguments, graph_feeds


def _offers(graph: tf.Graph, feeds: dict) -> list[tf.Tensor]:
    if not isinstance(graph, VocabularyGraph):
        return []
    return [tensor for name, tensor in graph.offers.items() if name not in feeds]


def _known(session: Any, values: dict) -> list[str]:
    return [*values, *(op.name + ":0" for op in session.graph.get_operations() if op.outputs)]
