"""One run that mixes steps with graph elements, variables and names.

The order keeps TF1's rule of when variables are read: values of variables that computed
fetches need are taken first, then the step runs, then the graph part with those values
and with what the step supplied, and variables fetched as themselves last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from compat import _tf
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
    # Most hooks ask for the global step or the loss, which take no graph to be run.
    first, last, handed = _direct(session.graph, graph_part, bool(steps and not feeds))
    direct = {*first, *last, *handed}
    graph_part = tuple(element for element in graph_part if id(element) not in direct)
    wanted.update(handed.values())
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
        by_element: dict[int, Any] = {
            key: _read(variable).numpy() for key, variable in first.items()
        }
        before = [_read(variable) for variable in program.snapshots] if program else []
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
        by_element |= zip(map(id, graph_part), graph_values, strict=True)
        by_element |= {key: as_value(values[name]) for key, name in handed.items()}
        by_element |= {key: _read(variable).numpy() for key, variable in last.items()}
        return [_value_of(element, results, values, by_element) for element in elements]


def _read(variable: tf.Variable) -> tf.Tensor:
    """A variable's value, without the bookkeeping for gradients."""
    return tf.raw_ops.ReadVariableOp(resource=variable.handle, dtype=variable.dtype)


def _direct(graph: tf.Graph, graph_part: tuple, allowed: bool) -> tuple[dict, dict, dict]:
    """What needs no graph, by the identity of the fetched element.

    Returns:
      The step as TensorFlow's own hooks read it, before the run -> its variable; variables
      fetched as themselves; and names of what the step supplies.
    """
    first: dict[int, tf.Variable] = {}
    last: dict[int, tf.Variable] = {}
    handed: dict[int, str] = {}
    if allowed and isinstance(graph, VocabularyGraph):
        names = {id(offer): name for name, offer in graph.offers.items()}
        step_reads = graph.get_collection_ref(_tf.GLOBAL_STEP_READ)
        for element in graph_part:
            if not isinstance(element, tf.Tensor):
                continue
            if id(element) in names:
                handed[id(element)] = names[id(element)]
            elif step_reads and element is step_reads[0] and "global_step" in graph.bound:
                first[id(element)] = graph.bound["global_step"]
            elif (variable := graph.variable_of(element)) is not None:
                last[id(element)] = graph.bound[variable]
    return first, last, handed


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
