"""Random ops whose numbers go on across runs, whatever else a run fetches.

A TF1 session keeps one kernel per random op, so its stream advances once per run that
needs it. Here each set of fetches is a function with kernels of its own, which would
start the stream again. So the common ops draw from a state variable of the session,
from which they give the very numbers that a TF1 session gives.
"""

from __future__ import annotations

import random

import numpy as np
import tensorflow as tf

from compat.engine.slices import NodeDef, Slice

_STATEFUL = {
    "RandomStandardNormal": "StatefulStandardNormalV2",
    "RandomUniform": "StatefulUniform",
    "TruncatedNormal": "StatefulTruncatedNormal",
    "RandomUniformInt": "StatefulUniformInt",
}
_PHILOX = 1
_RESOURCE = tf.resource.as_datatype_enum
_INT64 = tf.int64.as_datatype_enum


def seeds_of(node: NodeDef) -> tuple[int, int]:
    """The op's (graph seed, op seed) pair; (0, 0) means not seeded."""
    return node.attr["seed"].i, node.attr["seed2"].i


def initial_state(seeds: tuple[int, int]) -> np.ndarray:
    """The Philox state, int64 of shape [3], from which TF1's kernel with `seeds` starts."""
    seed, seed2 = seeds
    if seed == 0 and seed2 == 0:
        source = random.SystemRandom()
        seed, seed2 = source.getrandbits(63), source.getrandbits(63)
    return np.array([0, seed2, seed], dtype=np.int64)


def replace_random_ops(piece: Slice, state_handle, fresh_seed) -> None:
    """Makes every random op of a slice continue its stream.

    Args:
      piece: The slice.
      state_handle: Called with a node of a kind that has a stateful twin; returns the
        `shared_name` of that node's state variable.
      fresh_seed: Called with a node of any other kind that keeps its stream in the
        kernel; returns the op seed with which no earlier function's stream is repeated.
    """
    for node in list(piece.nodes.values()):
        if node.op in _STATEFUL:
            _make_stateful(piece, node, state_handle(node))
        elif "seed2" in node.attr and "shared_name" not in node.attr and "Dataset" not in node.op:
            node.attr["seed2"].i = fresh_seed(node)


def _make_stateful(piece: Slice, node: NodeDef, shared_name: str) -> None:
    handle = piece.new(node.name + "/compat_state", "VarHandleOp", dtype=_INT64)
    handle.attr["shared_name"].s = shared_name.encode()
    handle.attr["shape"].shape.dim.add(size=3)
    algorithm = piece.new(node.name + "/compat_algorithm", "Const", dtype=_INT64)
    algorithm.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(_PHILOX, tf.int64))
    data = [reference for reference in node.input if reference[0] != "^"]
    control = [reference for reference in node.input if reference[0] == "^"]
    # A node without inputs stands outside every loop; these ties put it inside.
    for extra in (handle, algorithm):
        extra.input.extend("^" + reference.partition(":")[0] for reference in data[:1])
    node.op = _STATEFUL[node.op]
    del node.input[:]
    node.input.extend([handle.name, algorithm.name, *data, *control])
    shape_dtype = node.attr["T"].type
    if node.op == "StatefulUniformInt":
        value_dtype = node.attr["Tout"].type
    else:
        value_dtype = node.attr["dtype"].type
    node.attr.clear()
    node.attr["dtype"].type = value_dtype
    node.attr["shape_dtype"].type = shape_dtype
