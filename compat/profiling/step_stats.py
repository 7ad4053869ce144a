"""Trace model → `StepStats`, the proto in `RunMetadata` that TF1's tools read."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat.profiling.tensors import Tensor, tensors
from compat.profiling.trace import Kernel, Op, Trace


def fill(trace: Trace, step_stats: Any) -> None:
    """Adds a trace's devices to a `StepStats`.

    Args:
      trace: The trace.
      step_stats: The proto, as in `tf.compat.v1.RunMetadata().step_stats`.
    """
    outputs: dict[int, list[Tensor]] = {}
    for tensor in tensors(trace):
        outputs.setdefault(id(tensor.producer), []).append(tensor)
    temporary = _temporary_memory(trace)
    devices: dict[str, Any] = {}
    for op in trace.ops:
        device = devices.get(op.device)
        if device is None:
            device = devices[op.device] = step_stats.dev_stats.add(device=op.device)
            for thread, name in trace.threads.items():
                device.thread_names[thread] = name
        stats = device.node_stats.add(node_name=trace.name(op), thread_id=op.thread)
        _set_times(stats, trace, op)
        inputs = ", ".join(trace.input_names(op))
        stats.timeline_label = f"{stats.node_name} = {op.type}({inputs})"
        for tensor in outputs.get(id(op), ()):
            _describe(stats.output.add(slot=tensor.index), tensor)
        for allocator, size in temporary.get(op.name, {}).items():
            stats.memory.add(allocator_name=allocator, total_bytes=size, peak_bytes=size)
    for kernel in trace.kernels:
        # TF1 showed each stream, and all of a GPU's streams together.
        for stream in (str(kernel.stream), "all"):
            name = f"{kernel.device}/stream:{stream}"
            if name not in devices:
                devices[name] = step_stats.dev_stats.add(device=name)
            stats = devices[name].node_stats.add(node_name=trace.name(kernel))
            _set_times(stats, trace, kernel)
            annotation = f"{stats.node_name}:{kernel.type or 'unknown'}"
            stats.timeline_label = f"{kernel.name} {kernel.details} @@{annotation}#"


def _set_times(stats: Any, trace: Trace, item: Op | Kernel) -> None:
    start = trace.start_ns + round(item.start * 1000)
    duration = max(0, round(item.duration * 1000))
    stats.all_start_nanos = start
    stats.op_end_rel_nanos = stats.all_end_rel_nanos = duration
    stats.all_start_micros = start // 1000
    stats.op_end_rel_micros = duration // 1000
    # TF1's tools drop what has no length.
    stats.all_end_rel_micros = max(1, duration // 1000)


def _describe(output: Any, tensor: Tensor) -> None:
    description = output.tensor_description
    description.dtype = tf.as_dtype(tensor.dtype or "variant").as_datatype_enum
    for size in tensor.shape:
        description.shape.dim.add(size=size)
    description.allocation_description.requested_bytes = tensor.size
    description.allocation_description.allocator_name = tensor.allocator


def _temporary_memory(trace: Trace) -> dict[str, dict[str, int]]:
    """Bytes by op and allocator of the allocations that its allocators reported."""
    used: dict[str, dict[str, int]] = {}
    for allocation in trace.allocations:
        if allocation.op and allocation.size > 0:
            by_allocator = used.setdefault(allocation.op, {})
            by_allocator[allocation.allocator] = (
                by_allocator.get(allocation.allocator, 0) + allocation.size
            )
    return used
