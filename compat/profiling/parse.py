"""XSpace → trace model.

TensorFlow's executor leaves these events on a thread's line, at the profiler's level 3:
`name:Type` around a kernel, with `ExecutorState::ProcessAsync::Start` inside it if the
kernel is asynchronous, and `::Done` later, on another thread perhaps;
`ExecutorPropagateOutputs` after either, and alone for what needs no kernel (constants,
no-ops, resource handles, branches not taken); `ExecutorState::Process` around a row of
them, with the run's number. Where TensorFlow takes oneDNN's kernels (newer CPUs), it
rewrites the types: `_MklMatMul`, `_MklNativeFusedConv2D`. They count as what they stand for.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.profiling.graph import GraphView
from compat.profiling.liveness import Liveness
from compat.profiling.trace import Allocation, FrameworkEvent, Kernel, Op, Trace
from compat.profiling.xspace import PlaneReader

_OP_EVENT = re.compile(r"([A-Za-z0-9_.][A-Za-z0-9_.\\/>-]*):([A-Za-z_][A-Za-z0-9_>]*)")
_ONEDNN_TYPE = re.compile(r"_Mkl(?:Native)?([A-Z]\w*)")
_GPU_PLANE = re.compile(r"/device:GPU:\d+")
_ENVIRONMENT = "Task Environment"
_PROPAGATE = "ExecutorPropagateOutputs"
_PROCESS = "ExecutorState::Process"
_ASYNC_START = "ExecutorState::ProcessAsync::Start"
_ASYNC_DONE = "ExecutorState::ProcessAsync::Done"
_RUN = "FunctionRun"
_CALL = "EagerExecute"
_EAGER_CONSTANT = "_EagerConst"
_ALLOCATE = "MemoryAllocation"
_FREE = "MemoryDeallocation"
_READ_FURTHER = frozenset(
    {_PROPAGATE, _PROCESS, _ASYNC_START, _ASYNC_DONE, _RUN, _CALL, _ALLOCATE, _FREE}
)


def from_xspace(
    space: Any,
    graph: GraphView | Callable[[str], GraphView | None] | None = None,
    *,
    marker: str | None = None,
    framework: bool = False,
) -> Trace:
    """Builds the trace model.

    Args:
      space: An XSpace.
      graph: What is known of the graph, or a function that gives it for the name of a
        function that was called. It tells the types of ops that ran without a kernel,
        and tells them from branches not taken.
      marker: Name of a `tf.profiler.experimental.Trace` around the run of interest. Ops
        of other runs (of queue threads, of input pipelines) are left out.
      framework: Whether to keep the framework's own events.

    Returns:
      The trace.
    """
    trace = Trace(host=space.hostnames[0] if space.hostnames else "")
    hosts: list[_HostPlane] = []
    for plane in space.planes:
        if plane.name == _ENVIRONMENT:
            found = PlaneReader(plane).values(plane.stats)
            trace.start_ns = int(found.get("profile_start_time") or 0)
        elif plane.name.startswith("/host:"):
            hosts.append(_HostPlane(plane, trace, marker, framework))
            hosts[-1].read()
    if callable(graph):
        for host in hosts:
            for step, function in host.functions().items():
                trace.graphs[step] = graph(function) or trace.graph
    elif graph is not None:
        trace.graph = graph
    for host in hosts:
        host.add_ops(trace)
    _add_kernels(space, trace, {k: op for host in hosts for k, op in host.launches.items()})
    trace.ops.sort(key=_by_start)
    trace.kernels.sort(key=_by_start)
    trace.allocations.sort(key=lambda allocation: allocation.time)
    trace.framework.sort(key=_by_start)
    return trace


def _by_start(item: Any) -> float:
    return item.start


class _Line:
    """Where reading one thread's line stands."""

    def __init__(self, thread: int):
        self.thread = thread
        self.ops: list[tuple[float, Op]] = []  # (end, op) under way, the innermost last.
        self.runs: list[tuple[float, int]] = []  # (end, run's number) under way.
        self.step: int | None = None  # The latest run's number.
        self.last: Op | None = None  # The one whose outputs are passed on next.
        self.around: list[Op] = []  # Those around others: passed on later.

    def expect(self, op: Op) -> None:
        """Says that the outputs of `op` are passed on next."""
        if self.last is not None:
            self.around.append(self.last)
        self.last = op

    def open(self, op: Op, end: float) -> None:
        """Opens an op that the thread leaves at `end`; one around it is not busy meanwhile."""
        if self.ops:
            around = self.ops[-1][1]
            around.busy = max(0.0, around.busy - (end - op.start))
        self.ops.append((end, op))


class _HostPlane:
    """Reads one host plane."""

    def __init__(self, plane: Any, trace: Trace, marker: str | None, framework: bool):
        self._plane = plane
        self._trace = trace
        self._framework = framework
        self._reader = PlaneReader(plane)
        self._names = {key: entry.name for key, entry in plane.event_metadata.items()}
        self._kinds = {key: _kind_of(name, marker) for key, name in self._names.items()}
        self._marker = marker
        self._shape_of = self._reader.text_finder("shape")
        self._kernel_name_of = self._reader.text_finder("kernel_name")
        self._step_of = self._reader.number_finder("id")
        self._correlation_of = (
            self._reader.number_finder("correlation_id")
            if self._reader.id_of("correlation_id") >= 0
            else None
        )
        self._ops: list[Op] = []  # With a kernel.
        self._without: list[Op] = []  # Passed on without a kernel, dead or not.
        self._pending: dict[Any, Op] = {}  # Asynchronous ops not yet done.
        self._markers: list[tuple[int, float, float]] = []  # Thread, start, end.
        self._runs: list[tuple[int, float, int]] = []  # Thread, start, the run's number.
        self._calls: list[tuple[int, float, float, str]] = []  # Thread, start, end, function.
        self.launches: dict[int, Op] = {}  # Correlation id of a GPU launch -> the op.

    def read(self) -> None:
        """Reads all lines."""
        for line in self._plane.lines:
            thread = len(self._trace.threads)
            self._trace.threads[thread] = line.display_name or line.name or str(line.id)
            self._read_line(line, thread)

    def functions(self) -> dict[int, str]:
        """The runs inside the marker, and the functions that were called for them."""
        found: dict[int, str] = {}
        for thread, time, step in self._runs:
            for called_on, start, end, name in self._calls:
                if thread == called_on and start <= time <= end and self._inside(thread, time):
                    found[step] = name  # The innermost call comes last.
        return found

    def add_ops(self, trace: Trace) -> None:
        """Adds the ops that count to the trace."""
        if self._markers:
            steps = {step for thread, start, step in self._runs if self._inside(thread, start)}
            self._ops = [op for op in self._ops if self._counts(op, steps)]
            self._without = [op for op in self._without if self._counts(op, steps)]
        by_step: dict[int | None, dict[str, str]] = {}
        for op in self._ops:
            by_step.setdefault(op.step, {})[op.name] = op.type
        alive: dict[int | None, Liveness] = {}
        for op in self._without:
            if op.step not in alive:
                alive[op.step] = Liveness(trace.graph_of(op), by_step.get(op.step, {}))
            if alive[op.step].executed(op.name):
                op.type = alive[op.step].type_of(op.name)
                self._ops.append(op)
        trace.ops += self._ops

    def _counts(self, op: Op, steps: set[int]) -> bool:
        return op.step in steps or (op.step is None and self._inside(op.thread, op.start))

    def _inside(self, thread: int, time: float) -> bool:
        return not self._markers or any(
            thread == marked and start <= time <= end for marked, start, end in self._markers
        )

    def _read_line(self, line: Any, thread: int) -> None:
        base = line.timestamp_ns / 1e3
        state = _Line(thread)
        kinds, names = self._kinds, self._names
        everything = self._framework or self._correlation_of is not None
        for event in _sorted(line.events):
            kind = kinds.get(event.metadata_id)
            if kind is None and not everything:
                continue
            start = base + event.offset_ps / 1e6
            end = start + event.duration_ps / 1e6
            while state.runs and state.runs[-1][0] <= start:
                state.runs.pop()
            while state.ops and state.ops[-1][0] <= start:
                state.ops.pop()
            if type(kind) is tuple:
                op = Op(kind[0], kind[1], start, end, end - start, thread)
                # The row around an op may be missing: it ends when the profiler stops.
                op.step = state.runs[-1][1] if state.runs else state.step
                op.inputs = self._shape_of(event)
                state.open(op, end)
                state.expect(op)
                self._ops.append(op)
                continue
            if kind == _PROPAGATE:
                self._pass_on(event, start, end, state)
            elif kind is not None:
                self._read_other(kind, event, start, end, state)
            elif self._correlation_of is not None and state.ops:
                correlation = self._correlation_of(event)
                if correlation is not None:
                    self.launches[correlation] = state.ops[-1][1]
            if self._framework:
                name = names.get(event.metadata_id, "")
                self._trace.framework.append(FrameworkEvent(name, start, end, thread))

    def _pass_on(self, event: Any, start: float, end: float, state: _Line) -> None:
        state.step = self._step_of(event)
        if state.last is not None:
            state.last.step = state.step
            state.last = None
            return
        name = self._kernel_name_of(event) or ""
        for op in reversed(state.around):
            if op.name == name:
                op.step = state.step
                state.around.remove(op)
                return
        op = Op(name, "", start, end, end - start, state.thread, step=state.step, kernel=False)
        self._without.append(op)

    def _read_other(self, kind: str, event: Any, start: float, end: float, state: _Line) -> None:
        if kind == _PROCESS:
            state.step = self._step_of(event) or 0
            state.runs.append((end, state.step))
        elif kind == _ASYNC_START:
            self._start_async(event, start, end, state)
        elif kind == _ASYNC_DONE:
            self._finish_async(event, start, state)
        elif kind == _RUN:
            self._runs.append((state.thread, start, self._step_of(event) or 0))
        elif kind == _CALL:
            self._read_call(event, start, end, state)
        elif kind == self._marker:
            self._markers.append((state.thread, start, end))
        else:
            self._add_memory(event, start, sign=1 if kind == _ALLOCATE else -1)

    def _read_call(self, event: Any, start: float, end: float, state: _Line) -> None:
        values = self._reader.values(event.stats)
        name = values.get("eager_op") or ""
        if values.get("is_func"):
            self._calls.append((state.thread, start, end, name))
        elif name and name != _EAGER_CONSTANT:
            # An op run by itself: it has no name of its own, and no executor's events.
            op = Op(name, name, start, end, end - start, state.thread)
            state.open(op, end)
            self._ops.append(op)

    def _start_async(self, event: Any, start: float, end: float, state: _Line) -> None:
        values = self._reader.values(event.stats)
        name = values.get("name", "")
        if state.ops and state.ops[-1][1].name == name:
            op = state.ops[-1][1]
            state.last = None  # Its outputs are passed on where it is done.
        else:
            op_type = _without_onednn(values.get("kernel_type", ""))
            op = Op(name, op_type, start, end, end - start, state.thread)
            op.step = values.get("step_id", values.get("id"))
            state.open(op, end)
            self._ops.append(op)
        self._pending[name, values.get("_p")] = op

    def _finish_async(self, event: Any, start: float, state: _Line) -> None:
        values = self._reader.values(event.stats)
        name = values.get("name", "")
        op = self._pending.pop((name, values.get("_c")), None)
        if op is not None:
            op.end = max(op.end, start)
            state.expect(op)

    def _add_memory(self, event: Any, time: float, sign: int) -> None:
        values = self._reader.values(event.stats)
        size = int(values.get("requested_bytes") or values.get("allocation_bytes") or 0)
        self._trace.allocations.append(
            Allocation(
                time=time,
                allocator=values.get("allocator_name") or "",
                size=sign * size,
                in_use=int(values.get("bytes_allocated") or 0),
                address=int(values.get("addr") or 0),
                op=values.get("tf_op") or "",
                region=values.get("region_type") or "",
                dtype=_dtype_name(values.get("data_type")),
                shape=values.get("shape") or "",
            )
        )


def _kind_of(name: str, marker: str | None) -> Any:
    """(name, type) for an op; the event's name for what is read further; else None."""
    if name in _READ_FURTHER or name == marker:
        return name
    match = _OP_EVENT.fullmatch(name)
    return (match.group(1), _without_onednn(match.group(2))) if match else None


def _without_onednn(op_type: str) -> str:
    """The type of the op that a oneDNN kernel stands for."""
    match = _ONEDNN_TYPE.fullmatch(op_type)
    if match is None:
        return op_type
    plain = match.group(1)
    return plain if hasattr(tf.raw_ops, plain) else "_" + plain  # Such as _FusedMatMul.


def _sorted(events: Any) -> list[Any]:
    """Events by start, those around others first; the profiler mostly writes them so."""
    found = list(events)
    last_start = last_end = -1
    for event in found:
        start = event.offset_ps
        end = start + event.duration_ps
        if start < last_start or (start == last_start and end > last_end):
            return sorted(found, key=lambda event: (event.offset_ps, -event.duration_ps))
        last_start, last_end = start, end
    return found


def _dtype_name(value: Any) -> str:
    try:
        return tf.as_dtype(value).name if value else ""
    except TypeError:
        return ""


def _add_kernels(space: Any, trace: Trace, launches: dict[int, Op]) -> None:
    """Reads the GPU planes; their derived lines ("TensorFlow Ops"…) repeat the streams."""
    planes = [plane for plane in space.planes if _GPU_PLANE.fullmatch(plane.name)]
    executions: dict[str, list[Op]] = {}
    for op in sorted(trace.ops, key=_by_start) if planes else []:
        executions.setdefault(op.name, []).append(op)
    for plane in planes:
        reader = PlaneReader(plane)
        names = {key: entry.name for key, entry in plane.event_metadata.items()}
        for line in plane.lines:
            if not line.name.startswith("Stream"):
                continue
            base = line.timestamp_ns / 1e3
            for event in line.events:
                values = reader.values(event.stats)
                start = base + event.offset_ps / 1e6
                kernel = Kernel(
                    name=names.get(event.metadata_id, ""),
                    device=plane.name,
                    stream=line.id,
                    start=start,
                    end=start + event.duration_ps / 1e6,
                    details=str(values.get("kernel_details") or values.get("memcpy_details") or ""),
                )
                kernel.op, kernel.type = _launching_op(values)
                _link(kernel, launches.get(values.get("correlation_id", -1)), executions)
                trace.kernels.append(kernel)


def _link(kernel: Kernel, launcher: Op | None, executions: dict[str, list[Op]]) -> None:
    """Finds the execution that launched a kernel, and moves it to the kernel's device."""
    if launcher is None:
        launcher = _before(executions.get(kernel.op, []), kernel.start)
    if launcher is not None:
        kernel.launcher = launcher
        kernel.op = kernel.op or launcher.name
        kernel.type = kernel.type or launcher.type
        launcher.device = launcher.device.partition("/device:")[0] + kernel.device


def _launching_op(values: dict[str, Any]) -> tuple[str, str]:
    """Name and type of the op in a kernel's annotation `around::name:Type#shape=…#`."""
    for stat in ("tf_op", "level 0", "annotation"):
        for part in reversed(str(values.get(stat) or "").split("::")):
            match = _OP_EVENT.fullmatch(part.partition("#")[0])
            if match:
                return match.group(1), match.group(2)
    return "", ""


def _before(ops: list[Op], time: float) -> Op | None:
    """The last of the executions, sorted by start, that began no later than `time`."""
    position = bisect.bisect_right(ops, time, key=_by_start)
    return ops[position - 1] if position else None
