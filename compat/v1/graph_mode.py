"""The default graph that TF1 code expects, while TensorFlow itself stays eager.

TF1 has a default graph from the start. Here one is put in place when a script first asks
for something that builds a graph (or says `disable_v2_behavior()`): an ordinary
`tf.Graph` that stays the default one of the thread, together with TF1's variables, shapes
and control flow. Eager execution is not disabled: `tf.function` steps run beside it, and
so does Keras 3, whose entry points switch to eager execution by themselves. A thread that
is started from such code has, as in TF1, a default graph of its own.
"""

from __future__ import annotations

import contextlib
import threading

import keras
import tensorflow as tf

from compat.engine.vocabulary import VocabularyGraph

v1 = tf.compat.v1


class _PerThread(threading.local):
    def __init__(self) -> None:
        self.installed: list[_Installed] = []  # The default graph put in place here, if any.


_thread = _PerThread()
_switched = False  # Whether TensorFlow's switches are at TF1's side.


def enter() -> None:
    """Makes a graph the default of this thread, unless one is being built already."""
    if not tf.executing_eagerly():
        graph = v1.get_default_graph()
        # A script's own `with tf.Graph()` is as TF1 has it; functions and hooks' graphs aren't.
        if not (_switched or graph.building_function or isinstance(graph, VocabularyGraph)):
            _use_tf1_behaviour()
        return
    _use_tf1_behaviour()
    _push()


def _use_tf1_behaviour() -> None:
    """Reference variables, TF1's shapes, equality and control flow; Keras 3 minds none of them."""
    global _switched
    _switched = True
    from compat.keras import reentry

    reentry.install(keras)
    threading.Thread.start = _start  # type: ignore
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")  # The switches announce their own deprecation.
    try:
        v1.disable_control_flow_v2()
        v1.disable_resource_variables()
        v1.disable_v2_tensorshape()
        v1.disable_tensor_equality()
    finally:
        logger.setLevel(level)


def leave() -> None:
    """Takes the default graph away; eager execution and TF2's behaviour are the default again."""
    global _switched
    _pop()
    if not _switched:
        return
    _switched = False
    v1.enable_control_flow_v2()
    v1.enable_resource_variables()
    v1.enable_v2_tensorshape()
    v1.enable_tensor_equality()


def _pop() -> None:
    while _thread.installed:
        _thread.installed.pop().close()


_start_thread = threading.Thread.start


def _start(thread: threading.Thread) -> None:
    """Starts a thread in the mode of the thread that starts it."""
    if _switched and not tf.executing_eagerly():
        run = thread.run

        def in_graph_mode() -> None:
            del thread.run
            enter()
            kept = _thread.installed  # A daemon thread's graph stays in place at the very end.
            run()
            _pop()
            del kept

        thread.run = in_graph_mode  # type: ignore[method-assign]
    _start_thread(thread)


def reset_default_graph() -> None:
    """Starts a new default graph; stands for `tf.compat.v1.reset_default_graph`.

    Raises:
      AssertionError: A graph that is nested in a `with` block is the default one.
    """
    if not _thread.installed:
        if tf.executing_eagerly():
            enter()
            return
        v1.reset_default_graph()
        return
    if v1.get_default_graph() is not _thread.installed[-1].graph:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs; leave the `with` "
            "block of the nested graph first."
        )
    _pop()
    _push()


def _push() -> None:
    graph = tf.Graph()
    manager = graph.as_default()
    # It stays until the script ends, so contexts need not end in the order of their start.
    manager.enforce_nesting = False
    stack = _Installed(graph)
    stack.enter_context(manager)
    _thread.installed.append(stack)


class _Installed(contextlib.ExitStack):
    """The standing `with` block of a default graph."""

    def __init__(self, graph: tf.Graph):
        super().__init__()
        self.graph = graph
