"""The engine: runs fetches of a legacy graph eagerly, one compiled program per set of them."""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from compat import _tf
from compat.engine.feeds import FeedTarget, flatten_feeds, resolve_feed
from compat.engine.program import Program
from compat.engine.state import SessionState
from compat.engine.structures import FetchPlan, make_plan, structure_key

#: How many programs and how many fetch structures one session keeps; the least recently
#: used goes first, and is compiled again when it comes back.
CACHE_SIZE = 256


class _Recent(collections.OrderedDict):
    """A mapping that forgets what was not used for the longest time."""

    def use(self, key: Any, make: Callable[[], Any]) -> Any:
        """The value of `key`, made if there is none."""
        value = self.get(key)
        if value is None:
            value = make()
            self.keep(key, value)
        else:
            self.move_to_end(key)
        return value

    def keep(self, key: Any, value: Any) -> None:
        """Sets the value of `key` and forgets what is too much."""
        self[key] = value
        if len(self) > CACHE_SIZE:
            self.popitem(last=False)


def tensor_names(elements: tuple) -> set[str]:
    """Names of the tensors among graph elements."""
    return {element.name for element in elements if isinstance(element, tf.Tensor)}


def fed_value(feed: tuple[tf.Tensor, Any]) -> np.ndarray:
    """What a fetch of a fed tensor gives: the converted feed, an array even of no dimension."""
    tensor, value = feed
    return np.asarray(value.numpy(), dtype=tensor.dtype.as_numpy_dtype)


class Engine:
    """Runs parts of one graph with the state of one session."""

    def __init__(self, graph: tf.Graph, bound: Mapping[str, tf.Variable] | None = None):
        """Starts without any state.

        Args:
          graph: The legacy graph; it may still grow.
          bound: Variable nodes of the graph -> the eager variables they stand for.
        """
        _tf.ensure_context()
        self.graph = graph
        self.state = SessionState(bound)
        self._lock = threading.RLock()
        self._plans = _Recent()
        self._programs = _Recent()
        self._targets = _Recent()
        self._mixtures = _Recent()

    def plan(self, fetches: Any, resolve: Callable[[Any], Any]) -> FetchPlan:
        """The prepared form of a fetch structure; see `make_plan`."""
        with self._lock:
            return self._plans.use(structure_key(fetches), lambda: make_plan(fetches, resolve))

    def feeds(self, feed_dict: Mapping | None, resolve: Callable[[Any], Any]) -> dict:
        """Checks and converts a feed_dict: tensor name -> (tensor, eager value)."""
        feeds: dict = {}
        if not feed_dict:
            return feeds
        for key, value in flatten_feeds(feed_dict):
            target = self._targets.get(id(key))
            if target is None or target.key is not key:
                tensor = resolve_feed(key, resolve)
                target = FeedTarget(key, tensor)
                if tensor.graph.is_feedable(tensor):
                    self._targets.keep(id(key), target)
            feeds[target.name] = (target.tensor, target.convert(value))
        return feeds

    def program(
        self, elements: tuple, fed: tuple[tf.Tensor, ...], before_step: bool = False
    ) -> Program:
        """The compiled program for these elements and fed tensors."""
        key = (before_step, len(elements), *map(id, elements), *[tensor.name for tensor in fed])
        with self._lock:
            return self._programs.use(
                key, lambda: Program(self.graph, self.state, elements, fed, before_step)
            )

    def mixture(self, elements: tuple, make: Callable[[], Any]) -> Any:
        """What was prepared for these very elements beside a step, or what `make` makes."""
        with self._lock:
            return self._mixtures.use(tuple(map(id, elements)), make)

    def run(self, elements: tuple, feeds: dict, cancellation: Any) -> list:
        """Fetches graph elements.

        Args:
          elements: Tensors and operations of the graph.
          feeds: From `feeds`.
          cancellation: A `CancellationManager`.

        Returns:
          A NumPy value for each tensor, None for each operation.

        Raises:
          tf.errors.OpError: What an op failed with.
        """
        if feeds and not tensor_names(elements).isdisjoint(feeds):
            return self._run_beside_fed(elements, feeds, cancellation)
        if not elements:
            return []
        pairs = list(feeds.values())
        program = self.program(elements, tuple([tensor for tensor, _ in pairs]))
        return program([pairs[i][1] for i in program.feeds], cancellation)

    def _run_beside_fed(self, elements: tuple, feeds: dict, cancellation: Any) -> list:
        """A run some of whose fetches are fed: those come back as they were fed."""
        fed = [isinstance(e, tf.Tensor) and e.name in feeds for e in elements]
        computed = tuple(e for e, is_fed in zip(elements, fed, strict=True) if not is_fed)
        values = iter(self.run(computed, feeds, cancellation))
        return [
            fed_value(feeds[e.name]) if is_fed else next(values)
            for e, is_fed in zip(elements, fed, strict=True)
        ]

    def close(self) -> None:
        """Frees the state and the functions."""
        with self._lock:
            self._plans.clear()
            self._programs.clear()
            self._targets.clear()
            self._mixtures.clear()
            self.state.destroy()
