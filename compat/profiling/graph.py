"""What a graph knows about the ops of a trace: types, inputs, static shapes.

A profiler names ops and times them; which op feeds which is not in its capture. The
views here answer that from a `tf.Graph`, a `GraphDef`, or the function that really ran.
Names in a trace are those of the executed graph: bodies of called functions are inlined
under the name of their call (`"PartitionedCall/mul"`, `"while/body/_1/mul"`), and a node
whose name an output of the function shares gets a suffix (`"loss_0"` for `"loss"`).
"""

from __future__ import annotations

import functools
import re
import weakref
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import tensorflow as tf

#: Attribute of a control-flow node that holds the function inlined under this part of a name.
_BRANCHES = {
    "then": "then_branch",
    "else": "else_branch",
    "cond": "cond",
    "body": "body",
}
_IN_BRANCH = re.compile(r"(.+?)/(then|else|cond|body)/_\d+/(.+)")
_RETURN_SUFFIX = "_retval_RetVal"


class Node(NamedTuple):
    """An op as its graph describes it.

    Attributes:
      op: The op's type, such as `"MatMul"`.
      inputs: For each data input, the producer's name and which of its outputs it is.
      controls: Names of the ops it waits for without taking a value.
      device: The device it was asked to be on; may be empty.
    """

    op: str
    inputs: tuple[tuple[str, int], ...]
    controls: tuple[str, ...] = ()
    device: str = ""


class TensorInfo(NamedTuple):
    """A tensor's type and size as far as the graph knows them.

    Attributes:
      dtype: Name of the type, such as `"float32"`.
      shape: Sizes, or None where the graph leaves one open.
    """

    dtype: str
    shape: tuple[int, ...] | None


def tensor_name(op: str, index: int) -> str:
    """The name under which TF1's timelines show output `index` of an op."""
    return f"{op}:{index}" if index else op


class GraphView:
    """Looks up nodes by the names that a trace uses; knows nothing by itself."""

    def __init__(self) -> None:
        self._input_names: dict[str, list[str]] = {}

    def input_names(self, name: str) -> list[str]:
        """An op's inputs as TF1's timelines name them: `"a"`, `"a:1"`, `"^waits_for"`."""
        if name not in self._input_names:
            node = self.node(name)
            found: list[str] = []
            if node is not None:
                found += [tensor_name(self.name(source), index) for source, index in node.inputs]
                found += ["^" + self.name(control) for control in node.controls]
            self._input_names[name] = found
        return self._input_names[name]

    def node(self, name: str) -> Node | None:
        """The node of that name, or None."""
        return None

    def inner(self, producer: str, index: int) -> tuple[str, int] | None:
        """The op inside a called function that makes output `index` of the call."""
        return None

    def outputs(self, name: str) -> list[TensorInfo]:
        """The outputs of a node, as far as the graph knows their types."""
        return []

    def name(self, executed: str) -> str:
        """The name that the user's graph gives to an executed op."""
        return executed


class LiveGraphView(GraphView):
    """A view of a `tf.Graph`, which it doesn't keep alive."""

    _known: weakref.WeakKeyDictionary[tf.Graph, dict] = weakref.WeakKeyDictionary()

    def __init__(self, graph: tf.Graph):
        super().__init__()
        self._graph = weakref.ref(graph)
        self._outputs: dict[str, list[TensorInfo]] = self._known.setdefault(graph, {})

    def graph(self) -> tf.Graph | None:
        """The graph, as long as it exists."""
        return self._graph()

    def operation(self, name: str) -> tf.Operation | None:
        """The graph's operation of that name, or None."""
        graph = self._graph()
        try:
            return graph.get_operation_by_name(name) if graph is not None else None
        except (KeyError, ValueError):
            return None

    def node(self, name: str) -> Node | None:
        """See the base class."""
        operation = self.operation(name)
        if operation is None:
            return None
        return Node(
            operation.type,
            tuple([(tensor.op.name, tensor.value_index) for tensor in operation.inputs]),
            tuple([control.name for control in operation.control_inputs]),
            operation.device,
        )

    def outputs(self, name: str) -> list[TensorInfo]:
        """See the base class."""
        if name not in self._outputs:
            operation = self.operation(name)
            if operation is None:
                return []
            self._outputs[name] = [
                TensorInfo(
                    tensor.dtype.base_dtype.name,
                    tuple(tensor.shape.as_list()) if tensor.shape.is_fully_defined() else None,
                )
                for tensor in operation.outputs
            ]
        return self._outputs[name]


class NodeDefView(GraphView):
    """A view of NodeDefs: of a GraphDef, or of a function."""

    def __init__(
        self,
        nodes: Iterable[Any],
        library: Callable[[str], Any],
        signature: Any = None,
        returns: dict[str, str] | None = None,
    ):
        """Indexes the nodes.

        Args:
          nodes: NodeDefs.
          library: Gives the FunctionDef of a name, or None.
          signature: The function's OpDef, if this is a function.
          returns: The function's output names and the tensors they stand for.
        """
        super().__init__()
        self._nodes = {node.name: node for node in nodes}
        self._library = library
        self._arguments = [argument.name for argument in signature.input_arg] if signature else []
        self._returns = returns or {}
        self._found: dict[str, Node | None] = {}
        self._functions: dict[str, NodeDefView | None] = {}

    @property
    def arguments(self) -> list[str]:
        """Names of the function's arguments, in order."""
        return self._arguments

    @property
    def names(self) -> Iterable[str]:
        """Names of all nodes, functions' bodies not included."""
        return self._nodes

    def node(self, name: str) -> Node | None:
        """See the base class."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def inner(self, producer: str, index: int) -> tuple[str, int] | None:
        """See the base class."""
        call = self._nodes.get(producer)
        function = self._function(call.attr["f"].func.name) if call and "f" in call.attr else None
        if function is None or index >= len(function._returns):
            return None
        source, position = function._tensor(list(function._returns.values())[index])
        return self._outside(producer, _data_inputs(call), function, source, position)

    def _find(self, name: str) -> Node | None:
        raw = self._nodes.get(name)
        if raw is not None:
            tensors = [self._tensor(reference) for reference in _data_inputs(raw)]
            controls = [reference[1:] for reference in raw.input if reference[0] == "^"]
            return Node(raw.op, tuple(tensors), tuple(controls), raw.device)
        if name in self._arguments:
            return Node("_Arg", ())
        returned = name.removesuffix(_RETURN_SUFFIX)
        if returned != name and returned in self._returns:
            return Node("_Retval", (self._tensor(self._returns[returned]),))
        return self._find_inlined(name)

    def _find_inlined(self, name: str) -> Node | None:
        branch = _IN_BRANCH.fullmatch(name)
        if branch:
            owner, kind, inside = branch.groups()
            call = self._nodes.get(owner)
            if call is not None and _BRANCHES[kind] in call.attr:
                function = self._function(call.attr[_BRANCHES[kind]].func.name)
                # A loop's body takes its arguments from the loop, a branch from outside.
                given = _data_inputs(call)[1:] if kind in ("then", "else") else None
                return self._moved(name[: -len(inside) - 1], inside, given, function)
        position = name.find("/")
        while position > 0:
            call = self._nodes.get(name[:position])
            if call is not None and "f" in call.attr:
                function = self._function(call.attr["f"].func.name)
                given = _data_inputs(call)
                return self._moved(name[:position], name[position + 1 :], given, function)
            position = name.find("/", position + 1)
        return None

    def _moved(
        self, prefix: str, inside: str, given: list[str] | None, function: Any
    ) -> Node | None:
        """The node of a function's body, with names as after inlining."""
        node = function.node(inside) if function else None
        if node is None:
            return None
        inputs = [self._outside(prefix, given, function, *tensor) for tensor in node.inputs]
        controls = [f"{prefix}/{control}" for control in node.controls]
        return Node(node.op, tuple(inputs), tuple(controls), node.device)

    def _outside(
        self,
        prefix: str,
        given: list[str] | None,
        function: NodeDefView,
        source: str,
        position: int,
    ) -> tuple[str, int]:
        """A tensor inside a called function, as the caller's graph names it."""
        if given is not None and source in function._arguments:
            return self._tensor(given[function._arguments.index(source)])
        return f"{prefix}/{source}", position

    def _function(self, name: str) -> NodeDefView | None:
        if name not in self._functions:
            definition = self._library(name)
            self._functions[name] = (
                function_view(definition, self._library) if definition is not None else None
            )
        return self._functions[name]

    def _tensor(self, reference: str) -> tuple[str, int]:
        """Splits `"a"`, `"a:1"` (GraphDef) or `"a:output:1"` (FunctionDef)."""
        parts = reference.split(":")
        if len(parts) == 1:
            return parts[0], 0
        if len(parts) == 2:
            return parts[0], int(parts[1])
        node = self._nodes.get(parts[0])
        return parts[0], int(parts[2]) + (_offset(node, parts[1]) if node is not None else 0)


class RunView(GraphView):
    """A function that ran, seen through the user's graph.

    The user's graph adds static shapes, and names: of arguments (a fed placeholder
    becomes the function's argument) and of nodes renamed when the function was made.
    """

    def __init__(self, function: NodeDefView, graph: tf.Graph | None = None):
        super().__init__()
        self._function = function
        self._graph = LiveGraphView(graph) if graph is not None else None
        self._names = self._names_of_arguments()

    def shows(self, graph: tf.Graph | None) -> bool:
        """Whether this is a view through that very graph."""
        return (self._graph.graph() if self._graph else None) is graph

    def node(self, name: str) -> Node | None:
        """See the base class."""
        return self._function.node(name)

    def inner(self, producer: str, index: int) -> tuple[str, int] | None:
        """See the base class."""
        return self._function.inner(producer, index)

    def outputs(self, name: str) -> list[TensorInfo]:
        """See the base class."""
        return self._graph.outputs(self.name(name)) if self._graph else []

    def name(self, executed: str) -> str:
        """See the base class."""
        if executed not in self._names:
            self._names[executed] = self._original(executed)
        return self._names[executed]

    def _original(self, executed: str) -> str:
        if self._graph is None or self._graph.operation(executed) is not None:
            return executed
        owner, _, part = executed.rpartition("/")
        if part.startswith("compat_") and self._graph.operation(owner) is not None:
            return owner  # A node that stands for one of the user's.
        base, _, suffix = executed.rpartition("_")
        if not suffix.isdigit() or not base:
            return executed
        original, node = self._graph.operation(base), self.node(executed)
        if original is None or node is None or original.type != node.op:
            return executed
        return base

    def _names_of_arguments(self) -> dict[str, str]:
        """What the function's arguments are called in the user's graph.

        An argument stands where the graph has a tensor: the same node, the same input.
        """
        function = self._function
        names: dict[str, str] = {}
        missing = set(function.arguments)
        if self._graph is None or not missing:
            return names
        for name in function.names:
            node = function.node(name)
            assert node is not None
            for position, (source, _) in enumerate(node.inputs):
                if source not in missing:
                    continue
                original = self._graph.node(self._original_of(name))
                if original is not None and len(original.inputs) == len(node.inputs):
                    names[source] = original.inputs[position][0]
                    missing.discard(source)
            if not missing:
                break
        return names

    def _original_of(self, name: str) -> str:
        assert self._graph is not None
        if self._graph.operation(name) is None and name.rpartition("_")[2].isdigit():
            return name.rpartition("_")[0]
        return name


def _data_inputs(node: Any) -> list[str]:
    return [reference for reference in node.input if reference[0] != "^"]


def graph_def_view(graph_def: Any) -> NodeDefView:
    """A view of a GraphDef, with its function library."""
    library = {function.signature.name: function for function in graph_def.library.function}
    return NodeDefView(graph_def.node, library.get)


def function_view(definition: Any, library: Callable[[str], Any]) -> NodeDefView:
    """A view of a FunctionDef.

    Args:
      definition: The FunctionDef.
      library: Gives the FunctionDef of a name, or None.

    Returns:
      The view.
    """
    returns = {argument.name: "" for argument in definition.signature.output_arg}
    returns.update(definition.ret)
    return NodeDefView(definition.node_def, library, definition.signature, returns)


def executed_graph(functions: Iterable[Any], library: Callable[[str], Any]) -> Any:
    """What ran, as one GraphDef: nodes as they are named in a trace.

    Args:
      functions: FunctionDefs that were called.
      library: Gives the FunctionDef of a name, or None.

    Returns:
      A GraphDef; functions called by its nodes are in its library.
    """
    graph = tf.compat.v1.GraphDef()
    needed: dict[str, Any] = {}
    for definition in functions:
        view = function_view(definition, library)
        for argument in definition.signature.input_arg:
            graph.node.add(name=argument.name, op="_Arg").attr["T"].type = argument.type
        for node in definition.node_def:
            copy = graph.node.add()
            copy.CopyFrom(node)
            _set_inputs(copy, view.node(node.name))
            _collect(node, library, needed)
        for argument in definition.signature.output_arg:
            name = argument.name + _RETURN_SUFFIX
            returned = graph.node.add(name=name, op="_Retval")
            returned.attr["T"].type = argument.type
            _set_inputs(returned, view.node(name))
    graph.library.function.extend(needed.values())
    return graph


def _set_inputs(target: Any, node: Node | None) -> None:
    """Words a node's inputs as a GraphDef does."""
    assert node is not None
    del target.input[:]
    target.input.extend(f"{name}:{index}" if index else name for name, index in node.inputs)
    target.input.extend("^" + control for control in node.controls)


def _collect(node: Any, library: Callable[[str], Any], needed: dict[str, Any]) -> None:
    """Adds the functions that a node calls, and those that they call."""
    for attribute in node.attr.values():
        name = attribute.func.name
        if name and name not in needed:
            definition = library(name)
            if definition is not None:
                needed[name] = definition
                for inner in definition.node_def:
                    _collect(inner, library, needed)


@functools.cache
def _definition(op: str) -> Any:
    """The OpDef of a registered op type, or None."""
    try:
        return tf.Graph().op_def_for_type(op)
    except (KeyError, ValueError, RuntimeError, AttributeError, tf.errors.OpError):
        return None


def _offset(node: Any, output: str) -> int:
    """How many tensors a node puts out before its output called `output`."""
    definition = _definition(node.op)
    before = 0
    for argument in definition.output_arg if definition else []:
        if argument.name == output:
            break
        if argument.number_attr:
            before += node.attr[argument.number_attr].i
        elif argument.type_list_attr:
            before += len(node.attr[argument.type_list_attr].list.type)
        else:
            before += 1
    return before
