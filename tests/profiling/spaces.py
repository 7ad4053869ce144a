"""XSpaces as TensorFlow writes them, made by hand and by hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from compat import _tf


class SpaceBuilder:
    """Builds an XSpace; events and stats are given by name, times in microseconds."""

    def __init__(self, hostname="host", start_ns=1_000_000_000):
        self.space = _tf.new_xspace()
        self.space.hostnames.append(hostname)
        environment = self.space.planes.add(name="Task Environment")
        environment.stat_metadata[1].name = "profile_start_time"
        environment.stats.add(metadata_id=1, uint64_value=start_ns)

    def plane(self, name):
        return PlaneBuilder(self.space.planes.add(name=name))


class PlaneBuilder:
    """One plane, with numbers for names handed out as they come."""

    def __init__(self, plane):
        self.plane = plane
        self._events = {}
        self._stats = {}

    def line(self, name, id=0, timestamp_ns=0):
        return LineBuilder(self, self.plane.lines.add(name=name, id=id, timestamp_ns=timestamp_ns))

    def event_id(self, name):
        number = self._events.setdefault(name, len(self._events) + 1)
        self.plane.event_metadata[number].name = name
        return number

    def stat_id(self, name):
        number = self._stats.setdefault(name, len(self._stats) + 1)
        self.plane.stat_metadata[number].name = name
        return number

    def add_stats(self, target, stats):
        for name, value in stats.items():
            stat = target.add(metadata_id=self.stat_id(name))
            if isinstance(value, str):
                stat.ref_value = self.stat_id(value)  # As TensorFlow stores repeated text.
            elif isinstance(value, float):
                stat.double_value = value
            elif value < 0:
                stat.int64_value = value
            else:
                stat.uint64_value = value


class LineBuilder:
    """One thread or stream."""

    def __init__(self, plane, line):
        self._plane = plane
        self._line = line

    def event(self, event_name, start, duration=0.0, /, **stats):
        event = self._line.events.add(
            metadata_id=self._plane.event_id(event_name),
            offset_ps=round(start * 1e6),
            duration_ps=round(duration * 1e6),
        )
        self._plane.add_stats(event.stats, stats)
        return self

    def op(self, name, kind, start, duration, shape=None, step=7):
        """A kernel, and its outputs passed on after it."""
        stats = {"shape": shape} if shape is not None else {}
        self.event(f"{name}:{kind}", start, duration, **stats)
        return self.passed_on(name, start + duration + 0.1, step)

    def passed_on(self, name, start, step=7):
        return self.event("ExecutorPropagateOutputs", start, 0.1, kernel_name=name, id=step)


_names = st.sampled_from(
    [
        *(f"scope/op_{i}:{kind}" for i in range(4) for kind in ("MatMul", "Add")),
        "ExecutorPropagateOutputs",
        "ExecutorState::Process",
        "ExecutorState::ProcessAsync::Start",
        "ExecutorState::ProcessAsync::Done",
        "MemoryAllocation",
        "MemoryDeallocation",
        "FunctionRun",
        "EagerExecute",
        "ThreadpoolListener::StartRegion",
        'a name: with, odd "characters" <&> \u00e9',
        "",
    ]
)
_ops = st.sampled_from([f"scope/op_{i}" for i in range(4)])
_stats = st.fixed_dictionaries(
    {},
    optional={
        "shape": st.sampled_from(["(float[2,3];int32[])", "()", "", "nonsense", "[4,5]"]),
        "kernel_name": _ops,
        "name": _ops,
        "kernel_type": st.just("MatMul"),
        "id": st.integers(-3, 3),
        "_p": st.integers(0, 2),
        "_c": st.integers(0, 2),
        "allocator_name": st.sampled_from(["GPU_0_bfc", "cpu"]),
        "requested_bytes": st.integers(0, 10**9),
        "bytes_allocated": st.integers(0, 10**12),
        "addr": st.integers(0, 3),
        "tf_op": _ops,
        "region_type": st.sampled_from(["output", "temp"]),
        "data_type": st.sampled_from([0, 1, 3, 7, 10_000]),
        "correlation_id": st.integers(0, 3),
        "annotation": st.sampled_from(["scope/op_1:MatMul#shape=()#", "nothing", "#x=1#"]),
        "kernel_details": st.just("regs:8"),
    },
)
_times = st.floats(0, 50, allow_nan=False, width=32)
_events = st.lists(st.tuples(_names, _times, _times, _stats), max_size=25)


@st.composite
def spaces(draw):
    """An XSpace with host threads and GPU streams, in no particular order."""
    builder = SpaceBuilder()
    host = builder.plane("/host:CPU")
    for number in range(draw(st.integers(0, 3))):
        line = host.line(f"thread {number}", id=number, timestamp_ns=draw(st.integers(0, 10**6)))
        for name, start, duration, stats in draw(_events):
            line.event(name, start, duration, **stats)
    for number in range(draw(st.integers(0, 2))):
        gpu = builder.plane(f"/device:GPU:{number}")
        for stream in range(draw(st.integers(0, 2))):
            line = gpu.line(draw(st.sampled_from([f"Stream #{stream}(Compute)", "Steps"])), stream)
            for name, start, duration, stats in draw(_events):
                line.event(name, start, duration, **stats)
    return builder.space
