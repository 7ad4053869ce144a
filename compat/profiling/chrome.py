"""Trace model → Chrome trace JSON, in the shape of TensorFlow 1's timelines.

Open the file in `chrome://tracing` or Perfetto. It has process rows "… Compute" and
"… Tensors" for each device, one for each GPU stream, "Allocators", and "Framework" if the
trace has the framework's events. Times are microseconds since the
capture began; `otherData` says when that was.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from compat.profiling import lanes
from compat.profiling.files import whole
from compat.profiling.graph import tensor_name
from compat.profiling.tensors import edges, memory_curves, tensors
from compat.profiling.trace import Kernel, Op, Trace

_CHUNK = 2000
_by_time = itemgetter("ts")


def events(
    trace: Trace, *, show_dataflow: bool = True, show_memory: bool = False
) -> Iterator[dict[str, Any]]:
    """The trace's events: metadata first, then all others by time.

    Args:
      trace: The trace.
      show_dataflow: Whether to add flow events along the graph's edges, and from ops to
        the GPU kernels they launched.
      show_memory: Whether to add tensors' lives and the allocators' counters.

    Yields:
      Events of the Trace Event Format.
    """
    return _Formatter(trace).events(show_dataflow, show_memory)


def write(
    trace: Trace, path: str | Path, *, show_dataflow: bool = True, show_memory: bool = False
) -> None:
    """Writes the trace to a file that appears whole.

    Args:
      trace: The trace.
      path: The JSON file.
      show_dataflow: See `events`.
      show_memory: See `events`.

    Raises:
      OSError: The file can't be written.
    """
    write_all([trace], path, show_dataflow=show_dataflow, show_memory=show_memory)


def write_all(
    traces: Sequence[Trace],
    path: str | Path,
    *,
    show_dataflow: bool = True,
    show_memory: bool = False,
) -> None:
    """Writes several hosts' traces to one file; process rows then begin with the host.

    Args:
      traces: One trace per host.
      path: The JSON file.
      show_dataflow: See `events`.
      show_memory: See `events`.

    Raises:
      OSError: The file can't be written.
    """
    formatter: _Formatter | None = None
    streams = []
    for trace in traces:
        formatter = _Formatter(trace, after=formatter, name_host=len(traces) > 1)
        streams.append(formatter.events(show_dataflow, show_memory))
    # Nameless rows ("M" events) come first.
    merged = heapq.merge(*streams, key=lambda event: event.get("ts", float("-inf")))
    other = [{"host": trace.host, "start_time_ns": str(trace.start_ns)} for trace in traces]
    with whole(path) as file:
        file.write('{"traceEvents":[\n')
        write = file.write  # Not every file system's file knows writelines.
        for text in _as_text(merged):
            write(text)
        file.write(f'],\n"displayTimeUnit":"ms","otherData":{json.dumps({"hosts": other})}}}\n')


def _as_text(stream: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Lines of JSON; encoding many events at a time is what makes a million of them cheap."""
    chunk: list[dict[str, Any]] = []
    separator = ""
    for event in stream:
        chunk.append(event)
        if len(chunk) == _CHUNK:
            yield separator + json.dumps(chunk)[1:-1]
            separator = ",\n"
            chunk = []
    if chunk:
        yield separator + json.dumps(chunk)[1:-1]


def _ns(microseconds: float) -> int:
    return round(microseconds * 1000)


class _Formatter:
    """Gives every execution its process and lane, and words the events."""

    def __init__(self, trace: Trace, after: _Formatter | None = None, name_host: bool = False):
        self._trace = trace
        # Numbers are the file's, so one host's go on where another's end.
        self._first_pid = after._next_pid if after else 0
        self._flows: Iterator[int] = after._flows if after else itertools.count()
        self._objects: Iterator[int] = after._objects if after else itertools.count()
        self._prefix = f"{trace.host} " if name_host else ""
        self._pids: dict[str, int] = {}
        self._allocators = self._pid("Allocators")
        self._arguments: dict[tuple, dict[str, str]] = {}
        self._places: dict[int, tuple[int, int]] = {}  # id of op or kernel -> pid, lane
        self._place(trace.ops, lambda op: op.device + " Compute")
        self._place(trace.kernels, lambda k: f"{k.device}/stream:{k.stream} Compute")
        for device in trace.devices():
            self._pid(device + " Tensors")
        if trace.framework:
            self._pid("Framework")

    @property
    def _next_pid(self) -> int:
        return self._first_pid + len(self._pids)

    def events(self, show_dataflow: bool, show_memory: bool) -> Iterator[dict[str, Any]]:
        """All events, in order."""
        trace = self._trace
        streams: list[Iterable[dict[str, Any]]] = [
            map(self._op, trace.ops),
            map(self._kernel, trace.kernels),
        ]
        if show_dataflow:
            streams.append(sorted(self._dataflow(), key=_by_time))
        if show_memory:
            lives = [*self._lives(), *self._counters()]
            streams.append(sorted(lives, key=_by_time))
        if trace.framework:
            streams.append(self._framework())
        for name, pid in self._pids.items():
            yield _metadata("process_name", pid, 0, self._prefix + name)
        if trace.framework:
            pid = self._pid("Framework")
            for thread, name in trace.threads.items():
                yield _metadata("thread_name", pid, thread, name)
        yield from heapq.merge(*streams, key=_by_time)

    def _pid(self, name: str) -> int:
        return self._pids.setdefault(name, self._next_pid)

    def _place(self, items: list, row_of: Any) -> None:
        """Gives each item a lane of its row on which it overlaps with nothing."""
        rows: dict[str, list] = {}
        for item in items:
            rows.setdefault(row_of(item), []).append(item)
        for row in sorted(rows):
            pid = self._pid(row)
            spans = [(_ns(item.start), _ns(item.end)) for item in rows[row]]
            for item, lane in zip(rows[row], lanes.assign(spans), strict=True):
                self._places[id(item)] = (pid, lane)

    def _region(self, item: Any, name: str, category: str, arguments: dict) -> dict[str, Any]:
        pid, tid = self._places[id(item)]
        start = _ns(item.start)
        return {
            "name": name,
            "cat": category,
            "ph": "X",
            "ts": start / 1000,
            "dur": (_ns(item.end) - start) / 1000,
            "pid": pid,
            "tid": tid,
            "args": arguments,
        }

    def _op(self, op: Op) -> dict[str, Any]:
        key = (op.name, op.type, op.kernel, op.step)
        arguments = self._arguments.get(key)
        if arguments is None:
            arguments = {"name": self._trace.name(op), "op": op.type}
            for position, source in enumerate(self._trace.input_names(op)):
                arguments[f"input{position}"] = source
            self._arguments[key] = arguments
        return self._region(op, op.type, "Op", arguments)

    def _kernel(self, kernel: Kernel) -> dict[str, Any]:
        arguments = {
            "name": self._trace.name(kernel),
            "op": kernel.type or "unknown",
            "kernel": kernel.name,
        }
        if kernel.details:
            arguments["details"] = kernel.details
        return self._region(kernel, kernel.type or kernel.name, "Op", arguments)

    def _framework(self) -> Iterator[dict[str, Any]]:
        pid = self._pid("Framework")
        for event in self._trace.framework:
            start = _ns(event.start)
            yield {
                "name": event.name,
                "cat": "Framework",
                "ph": "X",
                "ts": start / 1000,
                "dur": (_ns(event.end) - start) / 1000,
                "pid": pid,
                "tid": event.thread,
                "args": {},
            }

    def _dataflow(self) -> Iterator[dict[str, Any]]:
        """Arrows between lanes; within a lane they would only cover the ops."""
        for edge in edges(self._trace):
            if self._places[id(edge.producer)] != self._places[id(edge.consumer)]:
                name = tensor_name(self._trace.name(edge.producer), edge.output)
                yield from self._arrow(name, "DataFlow", edge.producer, edge.consumer)
        for kernel in self._trace.kernels:
            if kernel.launcher is not None:
                name = self._trace.name(kernel.launcher)
                yield from self._arrow(name, "Launch", kernel.launcher, kernel)

    def _arrow(self, name: str, category: str, source: Any, target: Any) -> list[dict[str, Any]]:
        end = _ns(target.start)
        if end < _ns(source.start):
            return []  # The clocks of a GPU and its host differ a little.
        # A flow belongs to the slice around its time, which a slice's end is not part of.
        start = min(max(_ns(source.start), _ns(source.end) - 1), end)
        flow = {"name": name, "cat": category, "id": next(self._flows)}
        ends = [("s", start, source), ("t", end, target)]
        return [
            flow
            | {
                "ph": phase,
                "ts": time / 1000,
                "pid": self._places[id(item)][0],
                "tid": self._places[id(item)][1],
            }
            for phase, time, item in ends
        ]

    def _lives(self) -> Iterator[dict[str, Any]]:
        """Objects: made when its producer starts, described when it ends, deleted last."""
        for tensor in tensors(self._trace):
            _, lane = self._places[id(tensor.producer)]
            common = {"cat": "Tensor", "name": tensor.name, "id": next(self._objects)}
            common |= {"pid": self._pid(tensor.producer.device + " Tensors"), "tid": lane}
            created = _ns(tensor.created)
            shown = max(created, _ns(tensor.producer.end))
            snapshot = {
                "tensor_description": (
                    f"{tensor.dtype}{list(tensor.shape)} {tensor.size} bytes in {tensor.allocator}"
                ),
                "dtype": tensor.dtype,
                "shape": list(tensor.shape),
                "bytes": tensor.size,
                "allocator": tensor.allocator,
                "source": tensor.source,
            }
            yield common | {"ph": "N", "ts": created / 1000}
            yield common | {"ph": "O", "ts": shown / 1000, "args": {"snapshot": snapshot}}
            yield common | {"ph": "D", "ts": max(shown, _ns(tensor.freed)) / 1000}

    def _counters(self) -> Iterator[dict[str, Any]]:
        for allocator, curve in memory_curves(self._trace).items():
            for time, size in curve:
                yield {
                    "name": allocator,
                    "cat": "Memory",
                    "ph": "C",
                    "ts": _ns(time) / 1000,
                    "pid": self._allocators,
                    "tid": 0,
                    "args": {allocator: size},
                }


def _metadata(kind: str, pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": pid, "tid": tid, "args": {"name": name}}
