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
from compat.engine.step_feeds import SplitFeeds, offered_name, set_for_a_run, split_feeds
from compat.engine.steps import (
    STEP_AFTER,
    STEP_BEFORE,
    Step,
    as_value,
    as_values,
    read,
    unknown_name,
)
from compat.engine.vocabulary import GLOBAL_STEP, VocabularyGraph


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
    engine = session._engine
    if feed_dict:
        steps = [element for element in elements if isinstance(element, Step)]
        split = split_feeds(session, steps, feed_dict)
        feeds = engine.feeds(split.graph, session._resolve_feed)
        mixture = _Mixture(session.graph, engine, elements, [t for t, _ in feeds.values()])
    else:
        split, feeds = _NO_FEEDS, {}
        mixture = engine.mixture(elements, lambda: _Mixture(session.graph, engine, elements, []))
    program = mixture.program
    with tf.__internal__.eager_context.eager_mode(), set_for_a_run(split.variables):
        by_element: dict[int, Any] = {
            key: read(variable).numpy() for key, variable in mixture.first.items()
        }
        before = [read(variable) for variable in program.snapshots] if program else []
        results = _call_steps(session, mixture, split.arguments)
        values = session.step_values
        for name in mixture.wanted:
            if name not in values:
                missing = sorted(mixture.wanted - set(values))
                raise unknown_name(missing[0], _known(session, values))
        if program:
            given = {i: value for i, (_, value) in enumerate(feeds.values())}
            for i, name, tensor in mixture.supplied:
                given[i] = convert_feed(tensor, as_value(values[name]))
            graph_values = program([given[i] for i in program.feeds] + before, cancellation)
            _copy_to_all_devices(session.graph, program.updates)
            by_element |= zip(map(id, mixture.graph_part), graph_values, strict=True)
        for key, name in mixture.handed.items():
            by_element[key] = as_value(values[name])
        for key, variable in mixture.last.items():
            by_element[key] = read(variable).numpy()
        return [_value_of(element, results, values, by_element) for element in elements]


_NO_FEEDS = SplitFeeds({}, [], {})


class _Mixture:
    """A mixed run prepared for many times: what each element's value comes from.

    Attributes:
      steps: The steps, in order.
      wanted: Names of what steps must supply.
      first: Elements read before the steps, by identity -> their variables.
      last: Variables fetched as themselves, likewise.
      handed: Elements that are what a step supplies -> its name.
      graph_part: Elements that a program computes.
      program: That program, or None.
      supplied: Its feeds that steps supply: (number among its fed tensors, name, tensor).
    """

    def __init__(self, graph: tf.Graph, engine: Any, elements: tuple, fed: list[tf.Tensor]):
        """Sorts elements by where their values come from.

        Args:
          graph: The session's graph.
          engine: Its engine.
          elements: Resolved fetches.
          fed: Tensors of the graph that the caller or hooks feed.
        """
        self.elements = elements  # Held, so that their identities stay theirs.
        self.steps = [element for element in elements if isinstance(element, Step)]
        wanted = {element for element in elements if isinstance(element, str)}
        self.first: dict[int, tf.Variable] = {}
        self.last: dict[int, tf.Variable] = {}
        self.handed: dict[int, str] = {}
        graph_part = [e for e in elements if isinstance(e, (tf.Tensor, tf.Operation))]
        # Most hooks ask for the global step or the loss, which take no graph to be run.
        if self.steps and not fed and isinstance(graph, VocabularyGraph):
            graph_part = [e for e in graph_part if not self._is_direct(graph, e)]
        wanted.update(self.handed.values())
        self.graph_part = tuple(graph_part)
        self.program: Any = None
        self.supplied: list[tuple[int, str, tf.Tensor]] = []
        if graph_part:
            offers = _offers(graph, fed)
            all_fed = [*fed, *offers.values()]
            self.program = engine.program(
                self.graph_part, tuple(all_fed), before_step=bool(self.steps)
            )
            names = [None] * len(fed) + list(offers)
            for i in self.program.feeds:
                if names[i] is not None:
                    self.supplied.append((i, names[i], all_fed[i]))
            wanted.update(name for _, name, _ in self.supplied)
        self.wanted = frozenset(wanted)

    def _is_direct(self, graph: VocabularyGraph, element: Any) -> bool:
        """Sorts in an element that needs no graph, if it is one."""
        if not isinstance(element, tf.Tensor):
            return False
        offered = offered_name(graph, element)
        if offered is not None:
            self.handed[id(element)] = offered
            return True
        step_reads = graph.get_collection_ref(_tf.GLOBAL_STEP_READ)
        is_step_read = step_reads and element is step_reads[0] and GLOBAL_STEP in graph.bound
        variable = graph.variable_of(element)
        counted = GLOBAL_STEP if is_step_read else variable
        if counted is None:
            return False
        if counted == GLOBAL_STEP and self.steps[-1].reads_global_step:
            # The step as TensorFlow's own hooks read it is that from before the run.
            self.handed[id(element)] = STEP_BEFORE if is_step_read else STEP_AFTER
        else:
            (self.first if is_step_read else self.last)[id(element)] = graph.bound[counted]
        return True


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


def _call_steps(session: Any, mixture: _Mixture, arguments: Mapping) -> dict:
    """Calls each step once; what it supplies stays visible until the next step."""
    results: dict = {}
    if not mixture.steps:
        return results
    supplied: dict[str, Any] = {}
    for step in mixture.steps:
        own = {name: value for name, value in arguments.items() if step.accepts(name)}
        wanted = mixture.wanted if step is mixture.steps[-1] else frozenset()
        if not wanted.isdisjoint(supplied):
            wanted -= supplied.keys()
        result, values = step.call(own, wanted)
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
