"""The part of a legacy graph that a run needs: a walk back from its fetches to its feeds."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import tensorflow as tf
from tensorflow.compat.v1 import GraphDef, NodeDef


def split_input(reference: str) -> tuple[str, int]:
    """Splits a NodeDef input; `"a"` and `"a:0"` give ("a", 0), `"^a"` gives ("a", -1)."""
    if reference[0] == "^":
        return reference[1:], -1
    name, colon, index = reference.rpartition(":")
    return (name, int(index)) if colon else (reference, 0)


class GraphIndex:
    """A graph's nodes and functions by name, kept up to date as the graph grows."""

    _all: weakref.WeakKeyDictionary[tf.Graph, GraphIndex] = weakref.WeakKeyDictionary()
    _lock = threading.Lock()

    @classmethod
    def of(cls, graph: tf.Graph) -> GraphIndex:
        """The index of `graph`, with all nodes that the graph has now."""
        with cls._lock:
            index = cls._all.get(graph)
            if index is None:
                index = cls._all[graph] = cls()
            index._update(graph)
            return index

    def __init__(self) -> None:
        self.nodes: dict[str, NodeDef] = {}
        self.functions: dict[str, object] = {}
        self.gradients: list = []
        self.versions: object = None
        self._version = -1

    def _update(self, graph: tf.Graph) -> None:
        if graph.version == self._version:
            return
        version = graph.version
        added = graph.as_graph_def(from_version=self._version if self._version > 0 else None)
        self.nodes.update((node.name, node) for node in added.node)
        self.functions = {function.signature.name: function for function in added.library.function}
        self.gradients = list(added.library.gradient)
        self.versions = added.versions
        self._version = version


class Slice:
    """Nodes in topological order, copied so that they can be rewritten.

    Attributes:
      graph_def: The copies.
      nodes: The copies by name, every node after those it depends on.
    """

    def __init__(self, index: GraphIndex, targets: Iterable[str], fed: dict[str, str]):
        """Collects what `targets` depend on.

        Args:
          index: The graph's index.
          targets: Names of the operations to reach.
          fed: For each fed tensor's name (`"x:0"`), the name of the node that replaces it.
        """
        self.graph_def = GraphDef()
        self.graph_def.versions.CopyFrom(index.versions)
        self.nodes: dict[str, NodeDef] = {}
        # What follows a fed placeholder follows nothing: its value is there from the start.
        given = {f"^{name}" for name in _fed_placeholders(index, fed)}
        for node in _topological(index, targets, given.union(fed)):
            self.add(node)
        for node in self.nodes.values():
            _redirect(node, fed, given)
        self._copy_functions(index)

    def add(self, node: NodeDef) -> NodeDef:
        """Adds a copy of `node` and returns it."""
        copy = self.graph_def.node.add()
        copy.CopyFrom(node)
        _drop_placement(copy)
        self.nodes[copy.name] = copy
        return copy

    def new(self, name: str, op: str, inputs: Iterable[str] = (), **types: int) -> NodeDef:
        """Adds a node of the package's own; `types` are its dtype attributes."""
        node = self.graph_def.node.add(name=name, op=op, input=inputs)
        for attribute, value in types.items():
            node.attr[attribute].type = value
        self.nodes[name] = node
        return node

    def reorder(self) -> None:
        """Restores the topological order after nodes were added."""
        graph = self.nodes
        self.nodes = {
            node.name: node for node in _depth_first(graph, list(graph), lambda n: n.input)
        }

    def finished(self) -> GraphDef:
        """The rewritten graph, in the form in which it can be imported."""
        for node in self.graph_def.node:
            controls = [reference for reference in node.input if reference[0] == "^"]
            if len(controls) != len(set(controls)):
                data = [reference for reference in node.input if reference[0] != "^"]
                del node.input[:]
                node.input.extend([*data, *dict.fromkeys(controls)])
        return self.graph_def

    def _copy_functions(self, index: GraphIndex) -> None:
        needed: dict[str, object] = {}
        waiting = [name for node in self.nodes.values() for name in _function_names(node)]
        waiting += [node.op for node in self.nodes.values() if node.op in index.functions]
        gradients = {entry.function_name: entry for entry in index.gradients}
        while waiting:
            name = waiting.pop()
            if name in needed or name not in index.functions:
                continue
            needed[name] = function = index.functions[name]
            for node in function.node_def:  # type: ignore[attr-defined]
                waiting += _function_names(node)
                waiting.append(node.op)
            if name in gradients:
                waiting.append(gradients[name].gradient_func)
        library = self.graph_def.library
        library.function.extend(needed.values())  # Copies.
        library.gradient.extend(entry for name, entry in gradients.items() if name in needed)
        if library.gradient:
            inside = (node for function in library.function for node in function.node_def)
            for node in itertools.chain(self.nodes.values(), inside):
                _call_own_gradient(node, gradients)


def _call_own_gradient(node: NodeDef, gradients: Mapping[str, Any]) -> None:
    """Calls a function's own gradient, of which a library outside a session knows nothing."""
    if node.op == "SymbolicGradient" and node.attr["f"].func.name in gradients:
        gradient = gradients[node.attr["f"].func.name].gradient_func
        node.op = "PartitionedCall"
        node.attr["f"].func.Clear()
        node.attr["f"].func.name = gradient


def _drop_placement(node: NodeDef) -> None:
    """Drops what has no meaning outside the legacy graph: colocation, jobs and tasks."""
    if "_class" in node.attr:
        del node.attr["_class"]
    if node.device:
        device = tf.DeviceSpec.from_string(node.device)
        node.device = tf.DeviceSpec(
            device_type=device.device_type, device_index=device.device_index
        ).to_string()


def _function_names(node: NodeDef) -> list[str]:
    names = []
    for value in node.attr.values():
        kind = value.WhichOneof("value")
        if kind == "func":
            names.append(value.func.name)
        elif kind == "list" and value.list.func:
            names += [function.name for function in value.list.func]
    return names


def _fed_placeholders(index: GraphIndex, fed: Iterable[str]) -> Iterator[str]:
    for tensor in fed:
        name = split_input(tensor)[0]
        if name in index.nodes and index.nodes[name].op in ("Placeholder", "PlaceholderV2"):
            yield name


def _redirect(node: NodeDef, fed: dict[str, str], given: set[str]) -> None:
    if not given.isdisjoint(node.input):
        kept = [reference for reference in node.input if reference not in given]
        del node.input[:]
        node.input.extend(kept)
    for position, reference in enumerate(node.input):
        if reference[0] != "^":
            tensor = reference if ":" in reference else reference + ":0"
            if tensor in fed:
                node.input[position] = fed[tensor]


def _topological(index: GraphIndex, targets: Iterable[str], without: set[str]) -> list[NodeDef]:
    """The nodes that `targets` depend on, but for tensors (`"x:0"`) and controls (`"^x"`)."""

    def needed(node: NodeDef) -> list[str]:
        if not without:
            return node.input
        return [
            reference
            for reference in node.input
            if (reference if ":" in reference or reference[0] == "^" else reference + ":0")
            not in without
        ]

    return _depth_first(index.nodes, targets, needed)


def _depth_first(
    nodes: dict[str, NodeDef], targets: Iterable[str], inputs_of: Callable[[NodeDef], Iterable[str]]
) -> list[NodeDef]:
    """Nodes that `targets` reach, inputs first; a loop's back edge counts last."""
    order: list[NodeDef] = []
    state: dict[str, bool] = {}  # False: on the way down; True: done.
    late: list[str] = []
    stack: list[tuple[str, bool]] = [(name, False) for name in targets]
    while stack or late:
        if not stack:
            stack.append((late.pop(), False))
        name, leaving = stack.pop()
        if leaving:
            state[name] = True
            order.append(nodes[name])
            continue
        if name in state or name not in nodes:
            continue
        state[name] = False
        stack.append((name, True))
        node = nodes[name]
        is_merge = node.op in ("Merge", "RefMerge")
        for reference in inputs_of(node):
            source = split_input(reference)[0]
            if source not in state and source in nodes:
                if is_merge and nodes[source].op in ("NextIteration", "RefNextIteration"):
                    late.append(source)
                else:
                    stack.append((source, False))
    return order
