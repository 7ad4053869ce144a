"""Errors of a run, told in the terms of the legacy graph as a TF1 session tells them."""

from __future__ import annotations

import re

import tensorflow as tf

from compat.engine.state import SessionState

_NODE = re.compile(r"\{\{node ([^}\s]+)\}\}")


def translated(error: tf.errors.OpError, graph: tf.Graph, state: SessionState) -> tf.errors.OpError:
    """The same error with the graph's op and names, without traces of the engine.

    Args:
      error: What the compiled function raised.
      graph: The legacy graph.
      state: The session's state, whose resource names may stand in the message.

    Returns:
      An error of the same class.
    """
    message = state.plain_message(error.message)
    missing = re.search(r"Could not find variable (\S+?)\. This could mean", message)
    if missing:
        message = f"Attempting to use uninitialized value {missing.group(1)}{_location(message)}"
    message = message.removeprefix("Graph execution error:\n\n")
    message = re.sub(r"Detected at node .*?\n(<stack traces unavailable>\n)?", "", message)
    message = re.sub(r" \[Op:\w+\]|\{\{function_node [^}]*\}\} ?", "", message)
    op = _op_of(message, graph)
    return type(error)(op.node_def if op else error.node_def, op or error.op, message)


def _location(message: str) -> str:
    node = _NODE.search(message)
    return f"\n\t [[{node.group(0)}]]" if node else ""


def _op_of(message: str, graph: tf.Graph) -> tf.Operation | None:
    for node in _NODE.finditer(message):
        try:
            return graph.get_operation_by_name(node.group(1))
        except (KeyError, ValueError):
            continue
    return None
