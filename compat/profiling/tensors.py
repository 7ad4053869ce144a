"""Which op fed which in a trace, and what tensors lived when.

Edges are those of the graph, between executions that the trace has; identities that did
not run are passed through. What is known of a
tensor comes from the best source there is: the allocator's own events ("profiler"), the
graph's static shapes ("graph"), or the input shapes that the run recorded at the tensor's
consumers ("run").
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import re
from typing import NamedTuple

import tensorflow as tf

from compat.profiling.graph import GraphView, tensor_name
from compat.profiling.trace import Op, Trace

#: Ops whose inputs the optimizer may swap, so that a record of input shapes may lie.
_COMMUTATIVE = frozenset({"Add", "AddV2", "Mul", "Maximum", "Minimum"})
#: Handles, which are no memory of a run.
_HANDLES = frozenset({"resource", "variant"})
_SIZE = re.compile(r"\d+")
_INPUT = re.compile(r"(\w+)\[([\d,]*)\]")


class Edge(NamedTuple):
    """A tensor handed from one execution to another.

    Attributes:
      producer: The execution that made it.
      output: Which of the producer's outputs.
      consumer: The execution that took it.
      input: Which of the consumer's inputs.
    """

    producer: Op
    output: int
    consumer: Op
    input: int


@dataclasses.dataclass(slots=True, eq=False)
class Tensor:
    """One tensor of the run.

    Attributes:
      name: `"op"` for the first output, `"op:1"` for the second.
      producer: The execution that made it.
      index: Which of its outputs.
      dtype: Element type's name.
      shape: Sizes.
      size: Bytes.
      allocator: Where it lived.
      source: `"profiler"`, `"graph"` or `"run"`: who says so.
      created: When its producer began, microseconds.
      freed: When its memory was given back, or else when its last consumer ended.
    """

    name: str
    producer: Op
    index: int
    dtype: str
    shape: tuple[int, ...]
    size: int
    allocator: str
    source: str
    created: float
    freed: float


def edges(trace: Trace) -> list[Edge]:
    """The graph's edges between executions of the trace, by the consumer's start."""
    if "edges" not in trace.derived:
        trace.derived["edges"] = _find_edges(trace)
    return trace.derived["edges"]


def tensors(trace: Trace) -> list[Tensor]:
    """The tensors whose size is known, by creation."""
    if "tensors" not in trace.derived:
        trace.derived["tensors"] = _find_tensors(trace)
    return trace.derived["tensors"]


def _find_edges(trace: Trace) -> list[Edge]:
    found: list[Edge] = []
    latest: dict[tuple[int | None, str], Op] = {}
    executed = {(op.step, op.name) for op in trace.ops}
    for op in trace.ops:
        graph, step = trace.graph_of(op), op.step
        node = graph.node(op.name)
        if node is not None and (op.kernel or not node.inputs):
            feeding: list[Edge] = []
            for position, tensor in enumerate(node.inputs):
                source: tuple[str, int] | None = tensor
                while source is not None and (step, source[0]) not in executed:
                    source = _behind(graph, *source)
                if source is not None and (step, source[0]) in latest:
                    feeding.append(Edge(latest[step, source[0]], source[1], op, position))
            if node.op in ("Merge", "RefMerge") and len(feeding) > 1:
                feeding = [max(feeding, key=lambda edge: edge.producer.start)]
            found += feeding
        latest[step, op.name] = op
    return found


def _behind(graph: GraphView, producer: str, index: int) -> tuple[str, int] | None:
    """Where a tensor comes from whose producer did not run itself.

    The optimizer removes identities, and puts the bodies of functions in place of calls.
    """
    node = graph.node(producer)
    if node is not None and node.op in ("Identity", "IdentityN") and index < len(node.inputs):
        return node.inputs[index]
    return graph.inner(producer, index)


def _find_tensors(trace: Trace) -> list[Tensor]:
    found: dict[tuple[int, int], Tensor] = {}
    for op in trace.ops:
        for index, info in enumerate(_static_outputs(trace, op)):
            if info.shape is not None and info.dtype not in _HANDLES:
                found[id(op), index] = _make(trace, op, index, *info, source="graph")
    ends: dict[tuple[int, int], float] = {}
    doubtful: list[Edge] = []
    for edge in edges(trace):
        key = (id(edge.producer), edge.output)
        ends[key] = max(ends.get(key, 0.0), edge.consumer.end)
        if edge.consumer.type in _COMMUTATIVE:
            doubtful.append(edge)
        else:
            _note(trace, edge, found)
    for edge in doubtful:
        _note(trace, edge, found)
    for key, tensor in found.items():
        tensor.freed = max(tensor.producer.end, ends.get(key, 0.0))
    _add_allocations(trace, found)
    return sorted(found.values(), key=lambda tensor: tensor.created)


def memory_curves(trace: Trace) -> dict[str, list[tuple[float, int]]]:
    """Bytes in use over time, by allocator.

    Args:
      trace: The trace.

    Returns:
      For each allocator (time, bytes) points: as the allocator reported them, or, for one
      that reports nothing, summed up from the tensors' lives.
    """
    curves: dict[str, list[tuple[float, int]]] = {}
    for allocation in trace.allocations:
        curves.setdefault(allocation.allocator, []).append((allocation.time, allocation.in_use))
    changes: dict[str, list[tuple[float, int]]] = {}
    for tensor in tensors(trace):
        if tensor.allocator not in curves:
            changes.setdefault(tensor.allocator, []).append((tensor.created, tensor.size))
            changes[tensor.allocator].append((tensor.freed, -tensor.size))
    for allocator, steps in changes.items():
        steps.sort()
        total = 0
        curve = curves.setdefault(allocator, [])
        for time, change in steps:
            total += change
            curve.append((time, total))
    return curves


def parse_inputs(text: str) -> list[tuple[str, tuple[int, ...]] | None]:
    """Splits `"(float[64,256];;int32[2])"`; an input without a value gives None."""
    return list(_parse_inputs(text))


@functools.lru_cache(maxsize=65536)
def _parse_inputs(text: str) -> tuple[tuple[str, tuple[int, ...]] | None, ...]:
    parsed: list[tuple[str, tuple[int, ...]] | None] = []
    for part in text.strip("()").split(";"):
        match = _INPUT.fullmatch(part)
        dtype = _dtype(match.group(1)) if match else None
        if match is None or dtype is None:
            parsed.append(None)
        else:
            sizes = tuple([int(size) for size in _SIZE.findall(match.group(2))])
            parsed.append((dtype.name, sizes))
    return tuple(parsed)


@functools.cache
def _dtype(name: str) -> tf.DType | None:
    try:
        return tf.as_dtype(name)
    except TypeError:
        return None


@functools.lru_cache(maxsize=65536)
def _size(dtype: str, shape: tuple[int, ...]) -> int:
    known = _dtype(dtype)
    # A string's cell is 24 bytes; what it points to is not known.
    size = 24 if dtype == "string" else (known.size or 0) if known else 0
    for length in shape:
        size *= length
    return size


def _note(trace: Trace, edge: Edge, found: dict[tuple[int, int], Tensor]) -> None:
    """Adds what a consumer's record says of its input, if nothing is known of it yet."""
    key = (id(edge.producer), edge.output)
    if key not in found:
        seen = _seen_by(trace, edge)
        if seen is not None and seen[0] not in _HANDLES:
            found[key] = _make(trace, edge.producer, edge.output, *seen, source="run")


def _seen_by(trace: Trace, edge: Edge) -> tuple[str, tuple[int, ...]] | None:
    """What the consumer's record says about the tensor."""
    node = trace.graph_of(edge.consumer).node(edge.consumer.name)
    if edge.consumer.inputs is None or node is None or node.op != edge.consumer.type:
        return None  # A fused op's inputs are not those of the graph's op.
    inputs = _parse_inputs(edge.consumer.inputs)
    return inputs[edge.input] if len(inputs) == len(node.inputs) else None


def _static_outputs(trace: Trace, op: Op) -> list:
    graph = trace.graph_of(op)
    outputs = graph.outputs(op.name)
    if not outputs:
        return []
    node = graph.node(op.name)
    return outputs if node is not None and (node.op == op.type or not op.kernel) else []


def _make(
    trace: Trace, op: Op, index: int, dtype: str, shape: tuple[int, ...], *, source: str
) -> Tensor:
    return Tensor(
        name=tensor_name(trace.name(op), index),
        producer=op,
        index=index,
        dtype=dtype,
        shape=shape,
        size=_size(dtype, shape),
        allocator=_allocator_of(op.device),
        source=source,
        created=op.start,
        freed=op.end,
    )


@functools.cache
def _allocator_of(device: str) -> str:
    kind, _, number = device.rpartition("/device:")[2].partition(":")
    return f"{kind}_{number}_bfc" if kind == "GPU" else "cpu"


def _add_allocations(trace: Trace, found: dict[tuple[int, int], Tensor]) -> None:
    """Lets the allocators' own events correct and complete what is known."""
    executions: dict[str, list[Op]] = {}
    for op in trace.ops:
        executions.setdefault(op.name, []).append(op)
    living: dict[tuple[str, int], Tensor] = {}
    for allocation in trace.allocations:
        place = (allocation.allocator, allocation.address)
        if allocation.size < 0:
            tensor = living.pop(place, None)
            if tensor is not None:
                tensor.freed = max(tensor.producer.end, allocation.time)
            continue
        candidates = executions.get(allocation.op, [])
        position = bisect.bisect_right(candidates, allocation.time, key=lambda op: op.start)
        if allocation.region != "output" or not position:
            continue
        op = candidates[position - 1]
        shape = tuple([int(size) for size in _SIZE.findall(allocation.shape)])
        index = 0
        while (id(op), index) in found:
            tensor = found[id(op), index]
            if tensor.source != "profiler" and (tensor.dtype, tensor.shape) == (
                allocation.dtype,
                shape,
            ):
                break
            index += 1
        else:
            tensor = _make(trace, op, index, allocation.dtype, shape, source="profiler")
            found[id(op), index] = tensor
        tensor.size, tensor.allocator = allocation.size, allocation.allocator
        tensor.source, tensor.created = "profiler", allocation.time
        living[place] = tensor
