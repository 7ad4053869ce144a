"""XSpace → trace model.

TensorFlow's executor leaves these events on a thread's line, at the profiler's level 3:
`name:Type` around a kernel; `ExecutorState::ProcessAsync::Start` and `::Done` around an
asynchronous one, on two threads perhaps; `ExecutorPropagateOutputs` after either, and
alone for what needs no kernel (constants, no-ops, resource handles, dead branches);
`ExecutorState::Process` around a row of them, with the run's number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import Any

import tensorflow as tf

from compat.profiling.graph import GraphView
from compat.profiling.trace import Allocation, FrameworkEvent, Kernel, Op, Trace
from compat.profiling.xspace import PlaneReader

_OP_EVENT = re.compile(r"([A-Za-z0-9_.][A-Za-z0-9_.\\/>-]*):([A-Za-z_][A-Za-z0-9_>]*)")
_GPU_PLANE = re.compile(r"/device:GPU:\d+")
_PROPAGATE = "ExecutorPropagateOutputs"
_PROCESS = "ExecutorState::Process"
_ASYNC_START = "ExecutorState::ProcessAsync::Start"
_ASYNC_DONE = "ExecutorState::ProcessAsync::Done"
_MEMORY = ("MemoryAllocation", "MemoryDeallocation")
_ENVIRONMENT = "Task Environment"


def from_xspace(
    space: Any,
    graph: GraphView | None = None,
    *,
    steps: Collection[int] | None = None,
    framework: bool = False,
) -> Trace:
    """Builds the trace model.

    Args:
      space: An XSpace.
      graph: What is known of the graph; gives the types of ops that ran without a
        kernel, and tells them from branches not taken.
      steps: Numbers of the runs to keep; all if None.
      framework: Whether to keep the framework's own events.

    Returns:
      The trace.
    """
    trace = Trace(graph=graph or GraphView(), host=space.hostnames[0] if space.hostnames else "")
    hosts = []
    for plane in space.planes:
        if plane.name == _ENVIRONMENT:
            found = PlaneReader(plane).values(plane.stats)
            trace.start_ns = int(found.get("profile_start_time") or 0)
        elif plane.name.startswith("/host:"):
            hosts.append(_HostPlane(plane, trace, steps, framework))
    for host in hosts:
        host.read()
    _add_kernels(space, trace, {k: op for host in hosts for k, op in host.launches.items()})
    trace.ops.sort(key=_by_start)
    trace.kernels.sort(key=_by_start)
    trace.allocations.sort(key=lambda allocation: allocation.time)
    trace.framework.sort(key=_by_start)
    return trace


def runs_within(space: Any, marker: str) -> tuple[set[int], list[str]]:
    """What ran inside a `tf.profiler.experimental.Trace(marker)`, on its thread.

    Args:
      space: An XSpace.
      marker: The annotation's name.

    Returns:
      The numbers of the runs, and the names of the functions that were called.
    """
    steps: set[int] = set()
    functions: dict[str, None] = {}
    for plane in space.planes:
        names = {key: entry.name for key, entry in plane.event_metadata.items()}
        wanted = {key for key, name in names.items() if name in ("FunctionRun", "EagerExecute")}
        markers = {key for key, name in names.items() if name == marker}
        if not markers:
            continue
        reader = PlaneReader(plane)
        for line in plane.lines:
            spans = [
                (event.offset_ps, event.offset_ps + event.duration_ps)
                for event in line.events
                if event.metadata_id in markers
            ]
            if not spans:
                continue
            begin, end = min(start for start, _ in spans), max(stop for _, stop in spans)
            for event in line.events:
                if event.metadata_id in wanted and begin <= event.offset_ps <= end:
                    values = reader.values(event.stats)
                    if "id" in values:
                        steps.add(values["id"])
                    elif values.get("is_func"):
                        functions[values.get("eager_op", "")] = None
    return steps, list(functions)


def _by_start(item: Any) -> float:
    return item.start


class _HostPlane:
    """Reads one host plane into a trace."""

    def __init__(self, plane: Any, trace: Trace, steps: Collection[int] | None, framework: bool):
        self._plane = plane
        self._trace = trace
        self._steps = steps
        self._framework = framework
        self._reader = PlaneReader(plane)
        self._names = {key: entry.name for key, entry in plane.event_metadata.items()}
        self._kinds = {key: _kind_of(name) for key, name in self._names.items()}
        self._shape_of = self._reader.finder("shape")
        self._kernel_name_of = self._reader.finder("kernel_name")
        self._step_of = self._reader.finder("id")
        self._correlates = self._reader.id_of("correlation_id") >= 0
        self._kernels: set[str] = set()  # Names of ops seen with a kernel.
        self._without: list[Op] = []  # Passed on without a kernel, dead or not.
        self._pending: dict[Any, Op] = {}  # Asynchronous ops not yet done.
        self.launches: dict[int, Op] = {}  # Correlation id of a GPU launch -> the op.

    def read(self) -> None:
        """Adds all lines' events to the trace."""
        for line in self._plane.lines:
            self._read_line(line)
        alive = _Liveness(self._trace.graph, self._kernels)
        for op in self._without:
            if alive.executed(op.name):
                op.type = alive.type_of(op.name)
                self._trace.ops.append(op)

    def _read_line(self, line: Any) -> None:
        thread = len(self._trace.threads)
        self._trace.threads[thread] = line.display_name or line.name or str(line.id)
        base = line.timestamp_ns / 1e3
        events = line.events
        if not _is_sorted(events):
            events = sorted(events, key=lambda e: (e.offset_ps, -e.duration_ps))
        open_ops: list[Op] = []  # Ops under way on this thread, the innermost last.
        open_runs: list[tuple[float, int]] = []  # (end, run's number).
        awaiting: Counter[str] = Counter()  # Kernels whose outputs are not yet passed on.
        kinds, names = self._kinds, self._names
        for event in events:
            start = base + event.offset_ps / 1e6
            end = start + event.duration_ps / 1e6
            kind = kinds.get(event.metadata_id)
            while open_runs and open_runs[-1][0] <= start:
                open_runs.pop()
            while open_ops and open_ops[-1].end <= start:
                open_ops.pop()
            step = open_runs[-1][1] if open_runs else None
            if type(kind) is tuple:
                name, op_type = kind
                awaiting[name] += 1
                if open_ops and open_ops[-1].name == name and not open_ops[-1].type:
                    open_ops[-1].type = op_type  # Inside its own asynchronous start.
                    continue
                op = Op(name, op_type, start, end, end - start, thread, step=step)
                op.inputs = self._shape_of(event)
                self._nest(op, end - start, open_ops)
                self._keep(op)
            elif kind == _PROPAGATE:
                name = self._kernel_name_of(event) or ""
                if awaiting[name]:
                    awaiting[name] -= 1
                else:
                    op = Op(name, "", start, end, end - start, thread, step=step, kernel=False)
                    if self._wanted(op):
                        self._without.append(op)
                if self._framework:
                    self._trace.framework.append(FrameworkEvent(kind, start, end, thread))
            else:
                if kind == _PROCESS:
                    open_runs.append((end, self._step_of(event)))
                elif kind == _ASYNC_START:
                    self._start_async(event, start, end, thread, open_ops)
                elif kind == _ASYNC_DONE:
                    awaiting[self._finish_async(event, start, end)] += 1
                elif kind in _MEMORY:
                    self._add_memory(event, start, sign=1 if kind == _MEMORY[0] else -1)
                elif self._correlates and open_ops:
                    correlation = self._reader.values(event.stats).get("correlation_id")
                    if correlation is not None:
                        self.launches[correlation] = open_ops[-1]
                if self._framework:
                    self._trace.framework.append(
                        FrameworkEvent(names.get(event.metadata_id, ""), start, end, thread)
                    )

    def _nest(self, op: Op, taken: float, open_ops: list[Op]) -> None:
        if open_ops:
            open_ops[-1].busy = max(0.0, open_ops[-1].busy - taken)
        open_ops.append(op)

    def _wanted(self, op: Op) -> bool:
        return self._steps is None or op.step is None or op.step in self._steps

    def _keep(self, op: Op) -> None:
        self._kernels.add(op.name)
        if self._wanted(op):
            self._trace.ops.append(op)

    def _start_async(
        self, event: Any, start: float, end: float, thread: int, open_ops: list[Op]
    ) -> None:
        values = self._reader.values(event.stats)
        name = values.get("name", "")
        op = Op(name, values.get("kernel_type", ""), start, end, end - start, thread)
        op.step = values.get("step_id", values.get("id"))
        self._pending[(name, values.get("_p"))] = op
        self._nest(op, end - start, open_ops)
        self._keep(op)

    def _finish_async(self, event: Any, start: float, end: float) -> str:
        values = self._reader.values(event.stats)
        name = values.get("name", "")
        op = self._pending.pop((name, values.get("_c")), None)
        if op is not None:
            op.end = max(op.end, start)
            op.busy += end - start
        return name

    def _add_memory(self, event: Any, time: float, sign: int) -> None:
        values = self._reader.values(event.stats)
        self._trace.allocations.append(
            Allocation(
                time=time,
                allocator=values.get("allocator_name") or "",
                size=sign * int(values.get("requested_bytes") or values.get("allocation_bytes") or 0),
                in_use=int(values.get("bytes_allocated") or 0),
                address=int(values.get("addr") or 0),
                op=values.get("tf_op") or "",
                region=values.get("region_type") or "",
                dtype=_dtype_name(values.get("data_type")),
                shape=values.get("shape") or "",
            )
        )


class _Liveness:
    """Tells ops that ran without a kernel from those of branches that were not taken.

    The executor passes both on in the same way. A constant, a no-op and what the
    optimizer turned into a constant never have a kernel; a dead op has at least one dead
    input, which begins at a `Switch` or at an argument of a branch.
    """

    def __init__(self, graph: GraphView, kernels: set[str]):
        self._graph = graph
        self._kernels = kernels
        self._dead: dict[str, bool] = {}

    def executed(self, name: str) -> bool:
        """Whether an op that was passed on without a kernel counts as run."""
        return name not in self._kernels and not self._is_dead(name)

    def type_of(self, name: str) -> str:
        """The op's type; what the graph computes from inputs was folded into a constant."""
        if name == "_SOURCE":
            return "NoOp"
        node = self._graph.node(name)
        if node is None:
            return "unknown"
        return "Const" if node.inputs else node.op

    def _is_dead(self, name: str) -> bool:
        waiting, seen = [name], {name}
        while waiting:
            node = self._graph.node(waiting.pop())
            if node is None:
                continue
            for source in [*(producer for producer, _ in node.inputs), *node.controls]:
                if source in seen:
                    continue
                seen.add(source)
                origin = self._graph.node(source)
                if origin is None:
                    if _is_branch_argument(source):
                        return True
                elif origin.op in ("Switch", "RefSwitch"):
                    if source in self._kernels:
                        return True
                elif source not in self._kernels:
                    waiting.append(source)
        return False


def _is_branch_argument(name: str) -> bool:
    return any(part in name for part in ("/then/_", "/else/_", "/body/_", "/cond/_"))


def _kind_of(name: str) -> Any:
    """(name, type) for an op; the event's name for what is read further; else None."""
    if name in (_PROPAGATE, _PROCESS, _ASYNC_START, _ASYNC_DONE, *_MEMORY):
        return name
    match = _OP_EVENT.fullmatch(name)
    return (match.group(1), match.group(2)) if match else None


def _is_sorted(events: Any) -> bool:
    last_start = last_end = -1
    for event in events:
        start = event.offset_ps
        end = start + event.duration_ps
        if start < last_start or (start == last_start and end > last_end):
            return False
        last_start, last_end = start, end
    return True


def _dtype_name(value: Any) -> str:
    try:
        return tf.as_dtype(value).name if value else ""
    except TypeError:
        return ""


def _add_kernels(space: Any, trace: Trace, launches: dict[int, Op]) -> None:
    """Reads the GPU planes; their derived lines ("TensorFlow Ops"…) repeat the streams."""
    latest: dict[str, list[Op]] = {}
    for op in sorted(trace.ops, key=_by_start):
        latest.setdefault(op.name, []).append(op)
    for plane in space.planes:
        if not _GPU_PLANE.fullmatch(plane.name):
            continue
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
                kernel.launcher = launches.get(values.get("correlation_id", -1)) or _before(
                    latest.get(kernel.op, []), start
                )
                if kernel.launcher is not None:
                    kernel.op = kernel.op or kernel.launcher.name
                    kernel.type = kernel.type or kernel.launcher.type
                    kernel.launcher.device = kernel.launcher.device.rpartition("/")[0] + plane.name
                trace.kernels.append(kernel)


def _launching_op(values: dict[str, Any]) -> tuple[str, str]:
    """Name and type of the op in a kernel's annotation `name:Type#shape=…#`."""
    for stat in ("tf_op", "level 0", "annotation"):
        match = _OP_EVENT.fullmatch(str(values.get(stat) or "").partition("#")[0])
        if match:
            return match.group(1), match.group(2)
    return "", ""


def _before(ops: list[Op], time: float) -> Op | None:
    """The last of the executions that began no later than `time`."""
    found = None
    for op in ops:
        if op.start > time:
            break
        found = op
    return found
