"""A session's state: variables, queues, tables, iterators and random streams, by name.

Every stateful node of the legacy graph keeps its node; only the name under which the
runtime stores its resource is made unique to the session. So all functions of one
session share one resource, and two sessions never do.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from compat import _tf
from compat.engine import randomness
from compat.engine.slices import GraphDef, NodeDef, Slice

_counter = itertools.count(1)
_STREAM = "/stream"


class SessionState:
    """Names and holds what one session keeps between runs.

    Attributes:
      prefix: What this session's resource names start with.
      bound: Names of variable nodes -> the eager `tf.Variable` each stands for.
    """

    def __init__(self, bound: Mapping[str, tf.Variable] | None = None):
        self.prefix = f"compat{next(_counter)}/"
        self.bound = dict(bound or {})
        self._resources: dict[str, NodeDef] = {}  # Resource name -> a node that makes it.
        self._captured: dict[str, Any] = {}  # Node -> eager handle, and what keeps it alive.
        self._seeded: dict[str, int] = {}  # Node -> functions compiled with its stream.

    def localize(self, piece: Slice) -> dict[str, Any]:
        """Points a slice's stateful nodes to this session's resources.

        Args:
          piece: The slice; rewritten in place.

        Returns:
          Names of the nodes whose tensors are handles to capture, with those handles.
        """
        captures: dict[str, Any] = {}
        randomness.replace_random_ops(piece, self._stream, self._fresh_seed)
        for node in list(piece.nodes.values()):
            if node.name in self.bound:
                captures[node.name] = self.bound[node.name].handle
                _become_placeholder(node, tf.resource)
            elif self._initializes_bound(node):
                _become_no_op(node)
            elif node.op == "OneShotIterator":
                captures[node.name] = self._one_shot_iterator(piece, node)
                _become_placeholder(node, tf.resource)
            elif "shared_name" in node.attr:
                self._name_resource(node)
        return captures

    def _initializes_bound(self, node: NodeDef) -> bool:
        """A live variable keeps its value when a session initializes "all" variables.

        `Variable.load` feeds its value to the initializer: that is no initialization.
        """
        return (
            node.op == "AssignVariableOp"
            and node.name == f"{node.input[0]}/Assign"
            and (node.input[0] in self.bound)
            and node.input[1].startswith(f"{node.input[0]}/Initializer/")
        )

    def destroy(self) -> None:
        """Frees every resource; the session must not run again."""
        nodes = list(self._resources.values())
        self._resources.clear()
        self._captured.clear()
        if not nodes:
            return
        graph_def = GraphDef()
        graph_def.node.extend(nodes)

        def destroy_all():
            handles = tf.graph_util.import_graph_def(
                graph_def, return_elements=[f"{node.name}:0" for node in nodes], name=""
            )
            done = [
                tf.raw_ops.DestroyResourceOp(resource=handle, ignore_lookup_error=True)
                for handle in handles
            ]
            with tf.control_dependencies(done):
                return tf.constant(0)

        with tf.__internal__.eager_context.eager_mode():
            function = tf.compat.v1.wrap_function(destroy_all, [])
            name = _tf.execution_name(function)
            attributes = _tf.call_attributes(optimized=False)
            _tf.execute(name, 1, [], attributes, _tf.CancellationManager())

    def plain_message(self, message: str) -> str:
        """An error's text with the graph's own names in place of the session's."""
        return message.replace(self.prefix, "")

    def _name_resource(self, node: NodeDef) -> None:
        name = node.attr["shared_name"].s.decode() or node.name
        if not name.startswith(self.prefix):
            node.attr["shared_name"].s = (self.prefix + name).encode()
        if not any(reference[0] != "^" for reference in node.input) and node.op.endswith(
            ("V2", "VarHandleOp", "Iterator", "ResourceConditionalAccumulator")
        ):
            key = node.attr["shared_name"].s.decode()
            if key not in self._resources:
                copy = NodeDef()
                copy.CopyFrom(node)
                del copy.input[:]
                self._resources[key] = copy

    def _stream(self, node: NodeDef) -> str:
        """The shared name of a random op's state, which is set up at first sight."""
        name = f"{self.prefix}{node.name}{_STREAM}"
        if name not in self._resources:
            with tf.__internal__.eager_context.eager_mode():
                handle = tf.raw_ops.VarHandleOp(dtype=tf.int64, shape=[3], shared_name=name)
                state = randomness.initial_state(randomness.seeds_of(node))
                tf.raw_ops.AssignVariableOp(resource=handle, value=tf.constant(state))
            variable = NodeDef(name=node.name + _STREAM, op="VarHandleOp")
            variable.attr["shared_name"].s = name.encode()
            variable.attr["dtype"].type = tf.int64.as_datatype_enum
            variable.attr["shape"].shape.dim.add(size=3)
            self._resources[name] = variable
        return name

    def _fresh_seed(self, node: NodeDef) -> int:
        """The op's own seed in its first function, an unused one in each later one."""
        functions = self._seeded.get(node.name, 0)
        self._seeded[node.name] = functions + 1
        seed, seed2 = randomness.seeds_of(node)
        if functions == 0 or (seed == 0 and seed2 == 0):
            return seed2
        return (seed2 + functions * 0x9E3779B97F4A7C15) % (1 << 63)

    def _one_shot_iterator(self, piece: Slice, node: NodeDef) -> Any:
        """The one iterator of this session; each function would start its own."""
        if node.name not in self._captured:
            graph_def = GraphDef(versions=piece.graph_def.versions, library=piece.graph_def.library)
            copy = graph_def.node.add()
            copy.CopyFrom(node)

            def make():
                return tf.graph_util.import_graph_def(
                    graph_def, return_elements=[f"{node.name}:0"], name=""
                )

            with tf.__internal__.eager_context.eager_mode():
                function = tf.compat.v1.wrap_function(make, [])
                self._captured[node.name] = (function()[0], function)
        return self._captured[node.name][0]


def _become_no_op(node: NodeDef) -> None:
    name = node.name
    node.Clear()
    node.name, node.op = name, "NoOp"


def _become_placeholder(node: NodeDef, dtype: tf.DType) -> None:
    name, device = node.name, node.device
    node.Clear()
    node.name, node.op, node.device = name, "Placeholder", device
    node.attr["dtype"].type = dtype.as_datatype_enum
