"""One compiled run: a set of fetches and feeds turned into a function of the eager runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat import _tf
from compat.engine.ordering import VariableOrder
from compat.engine.references import READ, replace_reference_variables
from compat.engine.slices import GraphIndex, Slice, split_input
from compat.engine.state import SessionState

_FEED = "compat_feed_{}"
_SNAPSHOT = "compat_before_{}"
_OUTPUT = "compat_output"


class Program:
    """Runs one set of graph elements, given one set of fed tensors.

    Attributes:
      feeds: Positions, among the fed tensors, of those that the function takes.
      snapshots: Bound variables whose values from before the step the function takes,
        after the feeds.
      updates: Nodes of bound variables that the function changes.
    """

    def __init__(
        self,
        graph: tf.Graph,
        state: SessionState,
        elements: Sequence[Any],
        fed: Sequence[tf.Tensor],
        before_step: bool = False,
    ):
        """Compiles the program.

        Args:
          graph: The legacy graph.
          state: The session's state.
          elements: Tensors and operations of `graph` to fetch.
          fed: Tensors of `graph` whose values the caller gives.
          before_step: Whether a step outside the graph has updated the bound variables
            in this run, so that computed values need a snapshot from before it.
        """
        draft = _Draft(graph, state, elements, fed, before_step)
        self.feeds = draft.used_feeds
        self.snapshots = draft.snapshots
        self.updates = frozenset(name for name in draft.bound if draft.order.updated(name))
        self.elements = tuple(elements)
        self._outputs = draft.outputs
        with tf.__internal__.eager_context.eager_mode():
            self._function = draft.build()
        self._captures = list(self._function.captured_inputs)
        self._name = _tf.execution_name(self._function)
        self._num_outputs = len(self._function.outputs)
        self._attributes = _tf.call_attributes()

    @property
    def graph(self) -> tf.Graph:
        """The function's own graph, whose node names are those of the legacy graph."""
        return self._function.graph

    def __call__(self, arguments: list, cancellation: Any) -> list:
        """Runs the function.

        Args:
          arguments: Eager tensors for `feeds`, then for `snapshots`.
          cancellation: A `CancellationManager`.

        Returns:
          A NumPy value for each tensor among the elements, None for each operation.
        """
        results = _tf.execute(
            self._name,
            self._num_outputs,
            arguments + self._captures,
            self._attributes,
            cancellation,
        )
        return [
            None if position is None else results[position].numpy() for position in self._outputs
        ]


class _Draft:
    """The rewritten slice and the mapping of its inputs and outputs."""

    def __init__(self, graph, state, elements, fed, before_step):
        self.fed = list(fed)
        names = {tensor.name: _FEED.format(i) for i, tensor in enumerate(self.fed)}
        targets = [
            element.name if isinstance(element, tf.Operation) else element.op.name
            for element in elements
            if isinstance(element, tf.Operation) or element.name not in names
        ]
        self.piece = Slice(GraphIndex.of(graph), targets, names)
        self.used_feeds = self._make_feeds(elements, names)
        fetched = {element.name for element in elements if isinstance(element, tf.Tensor)}

        feeds = set(names.values())

        def shape_of(name: str) -> tf.TensorShape:
            if name.partition(":")[0] in feeds:
                return tf.TensorShape(None)
            return graph.get_tensor_by_name(name).shape

        looks = replace_reference_variables(self.piece, fetched, shape_of)
        self.captures = state.localize(self.piece)
        self.bound = {name: state.bound[name] for name in self.captures if name in state.bound}
        self.order = VariableOrder(self.piece, looks, self.bound)
        self.snapshots: list[tf.Variable] = []
        self.snapshot_names: list[str] = []
        self.outputs: list[int | None] = []
        self.early: list[str] = []  # Output tensors, in order.
        self.late: list[tuple[str, tf.DType]] = []  # Variables to read behind all else.
        self.operations: list[str] = []
        self._place_outputs(elements, names, before_step)
        self.order.order()
        if before_step:
            self._take_snapshots()

    def _make_feeds(self, elements, names) -> list[int]:
        """Adds a placeholder for each fed tensor that matters; returns their positions."""
        used = {names[e.name] for e in elements if isinstance(e, tf.Tensor) and e.name in names}
        for node in self.piece.nodes.values():
            used.update(split_input(reference)[0] for reference in node.input)
        positions = [i for i in range(len(self.fed)) if _FEED.format(i) in used]
        for i in positions:
            dtype = self.fed[i].dtype.base_dtype.as_datatype_enum
            self.piece.new(_FEED.format(i), "Placeholder", dtype=dtype)
        return positions

    def _place_outputs(self, elements, names, before_step) -> None:
        late: list[tuple[int, str]] = []
        for position, element in enumerate(elements):
            self.outputs.append(None)
            if isinstance(element, tf.Operation):
                if element.name not in self.captures:  # A variable's own node does nothing.
                    self.operations.append(element.name)
            elif element.name in names:
                self._place(position, names[element.name])
            else:
                handle = self._direct_read(element, before_step)
                if handle is None:
                    self._place(position, element.name)
                else:
                    late.append((position, handle))
        for position, handle in late:
            self.outputs[position] = len(self.early) + len(self.late)
            self.late.append((_as_tensor(handle), self._dtype_of(elements[position], handle)))
            if elements[position].op.name != handle:
                self.operations.append(elements[position].op.name)

    def _place(self, position: int, tensor: str) -> None:
        self.outputs[position] = len(self.early)
        self.early.append(_as_tensor(tensor))

    def _dtype_of(self, element: tf.Tensor, handle: str) -> tf.DType:
        if element.dtype != tf.resource:
            return element.dtype.base_dtype
        if handle in self.bound:
            return self.bound[handle].dtype
        return tf.as_dtype(self.piece.nodes[handle].attr["dtype"].type)

    def _direct_read(self, tensor: tf.Tensor, before_step: bool) -> str | None:
        """The handle to read last, if `tensor` is a variable as itself and changes in the run."""
        node = self.piece.nodes[tensor.op.name]
        if node.op == "VarHandleOp" or node.name in self.bound:
            return node.name
        shows_memory = node.name in self.order.looks
        while node.op == "Identity":
            node = self.piece.nodes[split_input(node.input[0])[0]]
            shows_memory |= node.name in self.order.looks
        if node.op != READ:
            return None
        handle, facts = node.input[0], self.order.facts[node.name]
        variables = self.order.variables.get(handle.removesuffix(":0"), frozenset([""]))
        if facts.branches or facts.loops or len(variables) > 1:
            return None
        (variable,) = variables
        if before_step and variable in self.bound:
            return handle
        if not self.order.updated(variable):
            return None
        if not shows_memory and self.order.precedes_update(node.name, variable):
            return None  # The script itself orders the read before an update.
        return handle

    def _take_snapshots(self) -> None:
        """Early reads of bound variables become arguments: the values from before the step."""
        positions: dict[str, str] = {}
        for variable, reads in self.order.reads.items():
            if variable not in self.bound:
                continue
            for read in reads:
                node = self.piece.nodes[read]
                if node.op != READ or self.order.facts[read].updates:
                    continue
                if variable not in positions:
                    positions[variable] = _SNAPSHOT.format(len(self.snapshots))
                    self.snapshots.append(self.bound[variable])
                    self.piece.new(
                        positions[variable], "Placeholder", dtype=node.attr["dtype"].type
                    )
                node.op = "Identity"
                node.attr["T"].type = node.attr["dtype"].type
                del node.attr["dtype"]
                node.input[0] = positions[variable]
        self.snapshot_names = list(positions.values())

    def build(self) -> Any:
        """Makes the function; call in eager mode."""
        graph_def = self.piece.finished()
        specs = [
            tf.TensorSpec(self.fed[i].shape, self.fed[i].dtype.base_dtype) for i in self.used_feeds
        ]
        specs += [tf.TensorSpec(variable.shape, variable.dtype) for variable in self.snapshots]
        arguments = [_FEED.format(i) for i in self.used_feeds] + self.snapshot_names
        handles = [handle for handle, _ in self.late]

        def run(*tensors):
            function_graph = tf.compat.v1.get_default_graph()
            mapped = {_as_tensor(n): t for n, t in zip(arguments, tensors, strict=True)}
            for name, handle in self.captures.items():
                mapped[_as_tensor(name)] = _tf.capture(function_graph, handle)
            wanted = [*self.early, *handles, *self.operations]
            imported = iter(
                _import(graph_def, mapped, [name for name in wanted if name not in mapped])
            )
            elements = [mapped[name] if name in mapped else next(imported) for name in wanted]
            computed = elements[: len(self.early)]
            variables = elements[len(self.early) : len(self.early) + len(handles)]
            operations = elements[len(self.early) + len(handles) :]
            # A function renames a node that has the name of one of its outputs; outputs of
            # their own leave the graph's nodes their names, which errors and profiles quote.
            with tf.control_dependencies(() if handles else operations[:]):
                first = [tf.identity(tensor, name=_OUTPUT) for tensor in computed[:1]]
            outputs = first + [tf.identity(tensor, name=_OUTPUT) for tensor in computed[1:]]
            behind = [*operations, *(output.op for output in computed)] if handles else operations
            with tf.control_dependencies(behind):
                for handle, (_, dtype) in zip(variables, self.late, strict=True):
                    outputs.append(tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype))
                if operations and not outputs:
                    outputs.append(tf.constant(0, name=_OUTPUT))
            return outputs

        return tf.compat.v1.wrap_function(run, specs)


def _import(graph_def: Any, mapped: dict, names: list[str]) -> list:
    """Imports nodes; what can't be put together is the error that a session gives."""
    try:
        return tf.graph_util.import_graph_def(
            graph_def, input_map=mapped, return_elements=names, name=""
        )
    except ValueError as error:
        raise tf.errors.InvalidArgumentError(None, None, str(error)) from None


def _as_tensor(name: str) -> str:
    return name if ":" in name else name + ":0"
