"""Graphs of an estimator: TF1's behaviour inside them, whatever the program around does.

An input or model function runs while a `tf.Graph` is the default one, with reference
variables, TF1's shapes, equality and control flow. Around the call the program keeps its
own settings, so that eager code and Keras models beside an estimator see no difference.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

import tensorflow as tf

v1 = tf.compat.v1


def _resource_variables() -> bool:
    return v1.resource_variables_enabled()


def _control_flow_v2() -> bool:
    return v1.control_flow_v2_enabled()


def _v2_shapes() -> bool:
    return isinstance(tf.TensorShape([1])[0], int)


def _equality() -> bool:
    with tf.__internal__.eager_context.eager_mode():
        return not isinstance(tf.constant(0) == tf.constant(0), bool)


#: Whether TF2's behaviour is on, how to take it away, and how to bring it back.
_SWITCHES: list[tuple[Callable[[], bool], Callable[[], None], Callable[[], None]]] = [
    (_resource_variables, v1.disable_resource_variables, v1.enable_resource_variables),
    (_control_flow_v2, v1.disable_control_flow_v2, v1.enable_control_flow_v2),
    (_v2_shapes, v1.disable_v2_tensorshape, v1.enable_v2_tensorshape),
    (_equality, v1.disable_tensor_equality, v1.enable_tensor_equality),
]


#: The switches are the program's, but graphs may be open in several threads at once: the
#: first one takes TF2's behaviour away, and the last one brings it back.
_lock = threading.Lock()
_open = 0
_to_bring_back: list[Callable[[], None]] = []


@contextlib.contextmanager
def legacy_graph(graph: tf.Graph) -> Iterator[tf.Graph]:
    """Makes `graph` the default one, with TF1's behaviour as long as the block lasts.

    Args:
      graph: The graph to build in or to run.

    Yields:
      The graph.
    """
    _enter()
    try:
        with graph.as_default():
            yield graph
    finally:
        _leave()


def _enter() -> None:
    global _open
    with _lock:
        if not _open:
            switches = [(off, on) for is_on, off, on in _SWITCHES if is_on()]
            with _quiet():
                for off, on in switches:
                    off()
                    _to_bring_back.append(on)
        _open += 1


def _leave() -> None:
    global _open
    with _lock:
        _open -= 1
        if not _open:
            with _quiet():
                while _to_bring_back:
                    _to_bring_back.pop()()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The switches announce their own deprecation."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")
    try:
        yield
    finally:
        logger.setLevel(level)
