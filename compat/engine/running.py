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
from compat.engine.step_feeds import set_for_a_run, split_feeds
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
    split = split_feeds(session, steps, feed_dict)
    feeds = session._engine.feeds(split.graph, session._resolve_feed)
    wanted = {element for element in elements if isinstance(element, str)}

    graph_part = tuple(e for e in elements if isinstance(e, (tf.Tensor, tf.Operation)))
    last = _read_last(session.graph, graph_part) if steps and not feeds else {}
    if last:  # Most hooks ask for no more than the global step.
        graph_part = tuple(e for e in graph_part if id(e) not in last)
    program = None
    supplied: list[tuple[int, str]] = []  # Positions among the fed tensors, names.
    if graph_part:
        fed = [tensor for tensor, _ in feeds.values()]
        offers = _offers(session.graph, fed)
        fed += list(offers.values())
        program = session._engine.program(graph_part, tuple(fed), before_step=bool(steps))
        names = [None] * len(feeds) + list(offers)
        supplied = [(i, names[i]) for i in program.feeds if names[i] is not None]
        wanted |= {name for _, name in supplied}

    with tf.__internal__.eager_context.eager_mode(), set_for_a_run(split.variables):
        before = [variable.read_value() for variable in program.snapshots] if program else []
        results = _call_steps(session, steps, split.arguments, wanted)
        values = session.step_values
        missing = wanted - set(values)
        if missing:
            raise unknown_name(sorted(missing)[0], _known(session, values))
        graph_values: list = []
        if program:
            given = {i: value for i, (_, value) in enumerate(feeds.values())}
            given |= {i: convert_feed(fed[i], as_value(values[name])) for i, name in supplied}
            graph_values = program([given[i] for i in program.feeds] + before, cancellation)
            _copy_to_all_devices(session.graph, program.updates)
        by_element = dict(zip(map(id, graph_part), graph_values, strict=True))
        by_element |= {key: variable.numpy() for key, variable in last.items()}
        return [_value_of(element, results, values, by_element) for element in elements]


def _read_last(graph: tf.Graph, graph_part: tuple) -> dict[int, tf.Variable]:
    """Variables fetched as themselves, by the identity of the fetched element."""
    if not isinstance(graph, VocabularyGraph):
        return {}
    found = {}
    for element in graph_part:
        name = graph.variable_of(element) if isinstance(element, tf.Tensor) else None
        if name is not None:
            found[id(element)] = graph.bound[name]
    return found


def _copy_to_all_devices(graph: tf.Graph, updated: frozenset[str]) -> None:
    """The graph part changes one copy of a variable that has several."""
    for name in updated & getattr(graph, "wholes", {}).keys():
        graph.wholes[name].assign(graph.bound[name].read_value())


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


def _offers(graph: tf.Graph, fed: list[tf.Tensor]) -> dict[str, tf.Tensor]:
    """What the step supplies to the graph, less what is fed in its place."""
    if not isinstance(graph, VocabularyGraph):
        return {}
    replaced = {id(tensor) for tensor in fed}
    return {name: offer for name, offer in graph.offers.items() if id(offer) not in replaced}


def _known(session: Any, values: dict) -> list[str]:
    return [*values, *(op.name + ":0" for op in session.graph.get_operations() if op.outputs)]
