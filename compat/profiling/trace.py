"""The trace model: what ran, where and when, taken from an XSpace.

Times are microseconds since the capture began. Ops are apart from the framework's own
events (executor, thread pool, Python), GPU kernels apart from the ops that launched them.
Build it with `compat.profiling.parse.from_xspace`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from compat.profiling.graph import GraphView

#: What TensorFlow 1 called the only CPU device of a process.
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@dataclasses.dataclass(slots=True, eq=False)
class Op:
    """One execution of an op.

    Attributes:
      name: The op's name in the executed graph.
      type: Its type, such as `"MatMul"`; `"unknown"` if neither trace nor graph tells.
      start: When it began.
      end: When it ended; for an asynchronous op (a dequeue), when its result was there.
      busy: How long its thread worked on it and on no other op inside it, in microseconds.
      thread: Key of its thread in `Trace.threads`.
      device: The device it belongs to.
      step: The executor's number of the run it was part of; None if unknown.
      inputs: Types and shapes of its inputs as the run had them, such as
        `"(float[64,256];int32[2])"`; None if not recorded.
      kernel: Whether a kernel ran; constants and no-ops are passed on without one.
    """

    name: str
    type: str
    start: float
    end: float
    busy: float
    thread: int
    device: str = CPU
    step: int | None = None
    inputs: str | None = None
    kernel: bool = True

    @property
    def duration(self) -> float:
        """Microseconds from start to end."""
        return self.end - self.start


@dataclasses.dataclass(slots=True, eq=False)
class Kernel:
    """A kernel or copy on a GPU stream.

    Attributes:
      name: The kernel's own name, or such as `"MemcpyH2D"`.
      device: The GPU, such as `"/device:GPU:0"`.
      stream: The stream's number.
      start: When the GPU began with it.
      end: When it was done.
      op: Name of the op that launched it; empty if unknown.
      type: That op's type; empty if unknown.
      details: Launch configuration, or kind and size of a copy, as the profiler words it.
      launcher: That op's execution, if it is in the trace.
    """

    name: str
    device: str
    stream: int
    start: float
    end: float
    op: str = ""
    type: str = ""
    details: str = ""
    launcher: Op | None = None

    @property
    def duration(self) -> float:
        """Microseconds from start to end."""
        return self.end - self.start


@dataclasses.dataclass(slots=True, eq=False)
class Allocation:
    """An allocator gave or took back memory.

    Attributes:
      time: When.
      allocator: The allocator's name, such as `"GPU_0_bfc"`.
      size: Bytes; negative when given back.
      in_use: Bytes that the allocator had given out afterwards.
      address: The block's address.
      op: Name of the op it was for; empty when memory is given back.
      region: `"output"`, `"temp"`, `"persist"` or empty.
      dtype: Element type's name; may be empty.
      shape: Text such as `"[64,256]"`; may be empty.
    """

    time: float
    allocator: str
    size: int
    in_use: int
    address: int
    op: str = ""
    region: str = ""
    dtype: str = ""
    shape: str = ""


@dataclasses.dataclass(slots=True, eq=False)
class FrameworkEvent:
    """Something that TensorFlow did which is not an op: scheduling, calls, iterators."""

    name: str
    start: float
    end: float
    thread: int


@dataclasses.dataclass
class Trace:
    """Everything a capture says about one process.

    Attributes:
      ops: Executions of ops, by start.
      kernels: GPU activity, by start.
      allocations: Memory events, by time; empty where no allocator reports them (the
        plain CPU allocator does not).
      framework: The framework's events, by start; empty unless asked for.
      threads: Names of threads by key.
      start_ns: The capture's begin, nanoseconds since the epoch; 0 if unknown.
      graph: What is known of the graph that ran.
      graphs: The same for single runs, by their numbers, if several functions ran.
      host: The machine's name; may be empty.
      derived: What `compat.profiling.tensors` worked out already.
    """

    ops: list[Op] = dataclasses.field(default_factory=list)
    kernels: list[Kernel] = dataclasses.field(default_factory=list)
    allocations: list[Allocation] = dataclasses.field(default_factory=list)
    framework: list[FrameworkEvent] = dataclasses.field(default_factory=list)
    threads: dict[int, str] = dataclasses.field(default_factory=dict)
    start_ns: int = 0
    graph: GraphView = dataclasses.field(default_factory=GraphView)
    graphs: dict[int, GraphView] = dataclasses.field(default_factory=dict)
    host: str = ""
    derived: dict[str, Any] = dataclasses.field(default_factory=dict, repr=False)

    def devices(self) -> list[str]:
        """Devices that ops belong to, sorted."""
        return sorted({op.device for op in self.ops})

    def graph_of(self, op: Op) -> GraphView:
        """What is known of the graph that an op ran in."""
        return self.graphs.get(op.step, self.graph) if op.step is not None else self.graph

    def name(self, item: Op | Kernel) -> str:
        """An op's name in the user's graph; for a kernel, that of the op it belongs to."""
        if isinstance(item, Op):
            return self.graph_of(item).name(item.name)
        if item.launcher is not None:
            return self.name(item.launcher)
        return self.graph.name(item.op) or item.name

    def input_names(self, op: Op) -> list[str]:
        """An op's inputs as TF1's timelines name them: `"a"`, `"a:1"`, `"^waits_for"`."""
        graph = self.graph_of(op)
        node = graph.node(op.name)
        if node is None or (node.inputs and not op.kernel):
            return []  # What the graph computes was folded into a constant without inputs.
        return graph.input_names(op.name)

    def span(self) -> tuple[float, float]:
        """First start and last end of ops and kernels; zeros if there are none."""
        everything: list[Any] = [*self.ops, *self.kernels]
        if not everything:
            return 0.0, 0.0
        return min(item.start for item in everything), max(item.end for item in everything)
