"""Reference variables of TF1 scripts become resource variables, keeping their meaning.

A `VariableV2` hands out a reference; ops that take a reference update the variable in
place and hand the reference on. Here each reference becomes a resource handle, each
updating op its resource twin, and every place where a value was taken from a reference
a read of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import tensorflow as tf

from compat.engine.slices import NodeDef, Slice

_VARIABLES = ("VariableV2", "Variable")

# Updating ops whose resource twin is not named "Resource" + their own name.
_TWINS = {
    "Assign": "AssignVariableOp",
    "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp",
}
_SCATTERS = ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")
_DTYPE_NAMED = frozenset(_TWINS) | {f"Scatter{kind}" for kind in _SCATTERS}

# Control flow on references, which works the same on handles.
_CARRIERS = {
    "RefSwitch": "Switch",
    "RefMerge": "Merge",
    "RefEnter": "Enter",
    "RefExit": "Exit",
    "RefNextIteration": "NextIteration",
    "RefIdentity": "Identity",
}

READ = "ReadVariableOp"


@functools.cache
def _twin(op: str) -> str | None:
    if op in _TWINS:
        return _TWINS[op]
    if op.startswith("SparseApply"):
        twin = "ResourceSparseApply" + op.removeprefix("SparseApply")
    else:
        twin = "Resource" + op
    return twin if hasattr(tf.raw_ops, twin) else None


@functools.cache
def _reference_arguments(op: str) -> frozenset[int]:
    """Which inputs of an updating op are references: the leading ones of its signature."""
    if op in _TWINS or op.startswith(("Scatter", "CountUpTo", "StridedSliceAssign")):
        return frozenset([0])
    return frozenset(range(_REFERENCE_COUNTS.get(op, 1)))


# How many slots each training op updates besides the variable, plus one.
_REFERENCE_COUNTS = {
    "ApplyAdadelta": 3,
    "ApplyAdagrad": 2,
    "ApplyAdagradV2": 2,
    "ApplyAdagradDA": 3,
    "ApplyAdam": 3,
    "ApplyAdaMax": 3,
    "ApplyAddSign": 2,
    "ApplyCenteredRMSProp": 4,
    "ApplyFtrl": 3,
    "ApplyFtrlV2": 3,
    "ApplyMomentum": 2,
    "ApplyPowerSign": 2,
    "ApplyProximalAdagrad": 2,
    "ApplyRMSProp": 3,
    "SparseApplyAdadelta": 3,
    "SparseApplyAdagrad": 2,
    "SparseApplyAdagradV2": 2,
    "SparseApplyAdagradDA": 3,
    "SparseApplyCenteredRMSProp": 4,
    "SparseApplyFtrl": 3,
    "SparseApplyFtrlV2": 3,
    "SparseApplyMomentum": 2,
    "SparseApplyProximalAdagrad": 2,
    "SparseApplyRMSProp": 3,
}


def replace_reference_variables(
    piece: Slice, fetched: set[str], shape_of: Callable[[str], tf.TensorShape]
) -> set[str]:
    """Rewrites the reference variables of a slice in place.

    Args:
      piece: The slice.
      fetched: Names of the tensors to fetch (`"w:0"`).
      shape_of: The shape that is known of a tensor of the slice, by name.

    Returns:
      Names of the reads that stand for a look at a reference: what they give in TF1 is
      the variable's memory itself, so it shows later updates.
    """
    if not any(node.op in _VARIABLES for node in piece.nodes.values()):
        return set()
    return _Rewriter(piece, fetched, shape_of).run()


class _Rewriter:
    def __init__(self, piece: Slice, fetched: set[str], shape_of: Callable[[str], tf.TensorShape]):
        self.piece = piece
        self.shape_of = shape_of
        self.fetched = fetched
        self.used = fetched | {
            _tensor(reference) for node in piece.nodes.values() for reference in node.input
        }
        self.handles: dict[str, str] = {}  # Tensor that was a reference -> handle tensor.
        self.dtypes: dict[str, int] = {}  # The same -> dtype of the variable.
        self.updated: dict[str, str] = {}  # Updating op's tensor -> the update's new name.
        self.reads: set[str] = set()
        self.unshaped = _variables_of_changing_shape(piece)

    def run(self) -> set[str]:
        for node in list(self.piece.nodes.values()):
            self._rewrite(node)
        # Back edges of loops name tensors that were met only later.
        for node in list(self.piece.nodes.values()):
            if (
                node.op in _CARRIERS.values()
                and node.attr["T"].type == tf.resource.as_datatype_enum
            ):
                self._take_handles(node, range(len(node.input)))
        self.piece.reorder()
        return self.reads

    def _rewrite(self, node: NodeDef) -> None:
        if node.op in _VARIABLES:
            self._variable(node)
            return
        first = node.input[0] if node.input else "^"
        if not any(_tensor(reference) in self.handles for reference in node.input):
            return
        if node.op in _CARRIERS and _tensor(first) in self.handles:
            self._carrier(node)
        elif node.op == "IsVariableInitialized":
            node.op = "VarIsInitializedOp"
            del node.attr["dtype"]
            self._take_handles(node, [0])
        elif node.op == "Identity":
            self._read_in_place(node)
        elif _twin(node.op) and _tensor(first) in self.handles:
            self._update(node)
        else:
            self._take_values(node, range(len(node.input)))

    def _variable(self, node: NodeDef) -> None:
        node.op = "VarHandleOp"
        tensor = node.name + ":0"
        self.handles[tensor] = node.name
        self.dtypes[tensor] = node.attr["dtype"].type
        if node.name in self.unshaped:
            node.attr["shape"].shape.Clear()
            node.attr["shape"].shape.unknown_rank = True

    def _carrier(self, node: NodeDef) -> None:
        dtype = self.dtypes[_tensor(node.input[0])]
        node.op = _CARRIERS[node.op]
        node.attr["T"].type = tf.resource.as_datatype_enum
        self._take_handles(node, range(len(node.input)))
        for tensor in (f"{node.name}:0", f"{node.name}:1"):
            self.handles[tensor] = tensor
            self.dtypes[tensor] = dtype
        if node.op in ("Identity", "Merge", "Exit") and node.name + ":0" in self.fetched:
            self._fetch_behind(node, dtype)

    def _fetch_behind(self, node: NodeDef, dtype: int) -> None:
        """Gives the value, not the handle, where a reference that is handed on is fetched.

        So do `tf.tuple` of an update, and `tf.cond` with one in each branch.
        """
        carrier = self.piece.new(node.name + "/compat_handle", node.op, node.input)
        carrier.device = node.device
        for attribute, value in node.attr.items():
            carrier.attr[attribute].CopyFrom(value)
        self.handles[node.name + ":0"] = carrier.name
        node.op = READ
        del node.input[:]
        node.input.append(carrier.name)
        node.attr.clear()
        node.attr["dtype"].type = dtype
        self.reads.add(node.name)

    def _read_in_place(self, node: NodeDef) -> None:
        """An Identity of a reference is a read, under the name that scripts fetch."""
        dtype = node.attr["T"].type
        self._take_handles(node, [0])
        node.op = READ
        node.attr.clear()
        node.attr["dtype"].type = dtype
        self.reads.add(node.name)

    def _update(self, node: NodeDef) -> None:
        """Splits an updating op into its resource twin and a read of the result."""
        name, dtype = node.name, self.dtypes[_tensor(node.input[0])]
        handle = self.handles[_tensor(node.input[0])]
        references = _reference_arguments(node.op)
        if node.op == "Assign":
            self._check_shape(node)
        self._take_values(node, [i for i in range(len(node.input)) if i not in references])
        self._take_handles(node, references)
        twin = _twin(node.op)
        assert twin is not None
        if node.op in _DTYPE_NAMED and "T" in node.attr:
            node.attr["dtype"].CopyFrom(node.attr["T"])
            del node.attr["T"]
        if node.op in _TWINS:
            for attribute in ("use_locking", "validate_shape"):
                if attribute in node.attr:
                    del node.attr[attribute]
        if node.op == "CountUpTo":  # Gives the value before the update itself.
            node.op = twin
            return
        if name + ":0" not in self.used:  # Nobody looks at the result.
            node.op = twin
            return
        update = self.piece.new(name + "/compat_update", twin, node.input)
        update.device = node.device
        for attribute, value in node.attr.items():
            update.attr[attribute].CopyFrom(value)
        node.op = READ
        del node.input[:]
        node.input.extend([handle, "^" + update.name])
        node.attr.clear()
        node.attr["dtype"].type = dtype
        self.handles[name + ":0"] = handle
        self.dtypes[name + ":0"] = dtype
        self.updated[name + ":0"] = name + ":0"

    def _check_shape(self, node: NodeDef) -> None:
        """Refuses a value of another shape, such as a checkpoint's, as TF1's Assign does.

        The resource twin would take it. Where both shapes are known, the graph would not
        have been built.
        """
        shape = self.shape_of(_tensor(node.input[0]))
        value = _tensor(node.input[1])
        if (
            node.attr["validate_shape"].b
            and shape.is_fully_defined()
            and not self.shape_of(value).is_fully_defined()
        ):
            check = self.piece.new(node.name + "/compat_shape", "EnsureShape", [node.input[1]])
            check.attr["T"].CopyFrom(node.attr["T"])
            check.attr["shape"].shape.CopyFrom(shape.as_proto())
            check.device = node.device
            self._take_values(check, [0])
            node.input[1] = check.name

    def _take_handles(self, node: NodeDef, positions) -> None:
        for position in positions:
            tensor = _tensor(node.input[position])
            if tensor in self.handles:
                if tensor in self.updated:
                    # The next update must come after the one that handed the reference on.
                    node.input.append("^" + tensor.rpartition(":")[0])
                node.input[position] = self.handles[tensor]

    def _take_values(self, node: NodeDef, positions) -> None:
        for position in positions:
            tensor = _tensor(node.input[position])
            if tensor in self.handles and tensor not in self.updated:
                node.input[position] = self._read_of(tensor)

    def _read_of(self, tensor: str) -> str:
        name = tensor.replace(":", "_") + "/compat_value"
        if name not in self.piece.nodes:
            self.piece.new(name, READ, [self.handles[tensor]], dtype=self.dtypes[tensor])
            self.reads.add(name)
        return name


def _tensor(reference: str) -> str:
    return reference if ":" in reference or reference[0] == "^" else reference + ":0"


def _variables_of_changing_shape(piece: Slice) -> set[str]:
    return {
        node.input[0].partition(":")[0]
        for node in piece.nodes.values()
        if node.op == "Assign" and not node.attr["validate_shape"].b and node.input
    }
