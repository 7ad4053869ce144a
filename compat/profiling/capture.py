"""Runs that are profiled: what a session does for `RunOptions(trace_level=FULL_TRACE)`.

The trace of a run is its `ProfiledRun`. Whoever gives a `RunMetadata` finds its
`step_stats` filled when the run returns. A hook that only writes files asks with a
`Request` instead: its run is recorded as any other, but what was recorded is saved,
read and written beside the training, on threads of their own.
"""

from __future__ import annotations

import collections
import contextlib
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import tensorflow as tf

from compat import _tf
from compat.profiling import parse, step_stats
from compat.profiling.graph import (
    GraphView,
    RunView,
    executed_graph,
    function_view,
)
from compat.profiling.recording import Recording, warn
from compat.profiling.trace import Trace

#: What hooks ask for; a run for which anything higher is asked fills its RunMetadata.
HOOK_TRACE = tf.compat.v1.RunOptions.HARDWARE_TRACE

_MARKER = "compat.profiling.run"
_KEPT_VIEWS = 8
_SWITCH_SECONDS = 2e-4
# Apart, so that no recording waits to be stopped while an earlier one is being read.
_stopper = ThreadPoolExecutor(max_workers=1, thread_name_prefix="compat-profiling-stop")
_reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="compat-profiling-read")


class ProfiledRun:
    """One run's capture.

    Attributes:
      space: The XSpace.
      trace: The trace model, of this run's ops only.
      functions: FunctionDefs that were called, by name.
    """

    def __init__(self, space: Any, start_ns: int, graph: weakref.ref | None):
        self.space = space
        self.functions: dict[str, Any] = {}
        self._graph = graph
        self.trace: Trace = parse.from_xspace(space, self._view, marker=_MARKER)
        self.trace.start_ns = self.trace.start_ns or start_ns

    def fill(self, run_metadata: Any, with_graphs: bool = False) -> None:
        """Fills a `RunMetadata`: `step_stats`, and `partition_graphs` if asked."""
        step_stats.fill(self.trace, run_metadata.step_stats)
        if with_graphs:
            run_metadata.partition_graphs.append(self.graph())

    def graph(self) -> Any:
        """The functions that ran, as one GraphDef."""
        return executed_graph(self.functions.values(), _tf.function_definition)

    def _view(self, name: str) -> GraphView | None:
        definition = _tf.function_definition(name)
        if definition is None:
            return None
        self.functions[name] = definition
        return _view_of(definition, self._graph() if self._graph else None)


class Request:
    """A hook's wish to have this thread's next profiled run, read beside the training.

    Attributes:
      reading: Gives the `ProfiledRun`; None as long as no run has taken up the request.
    """

    _waiting = threading.local()

    def __init__(self, owner: str):
        """Makes the request.

        Args:
          owner: Who asks, for warnings.
        """
        self.owner = owner
        self.reading: Reading | None = None
        requests = getattr(self._waiting, "requests", [])
        # A request of the same owner is left over from a run that failed.
        self._waiting.requests = [r for r in requests if r.owner != owner] + [self]

    @classmethod
    def take(cls) -> list[Request]:
        """This thread's open requests, which are then no longer open."""
        requests: list[Request] = getattr(cls._waiting, "requests", [])
        cls._waiting.requests = []
        return requests

    def then(self, work: Callable[[ProfiledRun], None]) -> Future | None:
        """Has `work` done with the run, beside the training.

        Args:
          work: Takes the `ProfiledRun`; its errors become warnings.

        Returns:
          The work's future; None if there is no run.
        """
        reading = self.reading
        if reading is None:
            return None

        def read_and_work() -> None:
            with _yielding():
                run = reading.result()
                if run is not None:
                    try:
                        work(run)
                    except Exception as error:
                        warn(self.owner, f"{type(error).__name__}: {error}")

        return _reader.submit(read_and_work)


class Reading:
    """What was recorded, read when somebody wants it, once."""

    def __init__(
        self, recording: Recording, owner: str, graph: weakref.ref | None, saved: Future | None
    ):
        """Reads nothing yet.

        Args:
          recording: The recording.
          owner: Who asked for it, for warnings.
          graph: The graph that the user knows the run by.
          saved: Done when the recording is saved; None if it is.
        """
        self._recording = recording
        self._owner = owner
        self._graph = graph
        self._saved = saved
        self._lock = threading.Lock()
        self._read = False
        self._run: ProfiledRun | None = None

    def result(self) -> ProfiledRun | None:
        """The run, once it is saved; None, with a warning, if it could not be recorded."""
        with self._lock:
            if not self._read:
                self._read = True
                if self._saved is not None:
                    self._saved.result()
                self._recording.read()
                self._run = self._make()
            return self._run

    def _make(self) -> ProfiledRun | None:
        if self._recording.space is None:
            return None
        try:
            return ProfiledRun(self._recording.space, self._recording.start_ns, self._graph)
        except Exception as error:
            warn(self._owner, f"its trace could not be read ({type(error).__name__}: {error})")
            return None


@contextlib.contextmanager
def _yielding() -> Iterator[None]:
    """Lets the training's thread have the interpreter soon whenever it wants it."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, _SWITCH_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def traced_call(
    fn: Callable[[], Any], graph: tf.Graph | None, options: Any, run_metadata: Any
) -> Any:
    """Calls `fn` once, under the profiler if `options` ask for a trace.

    Args:
      fn: The run: a function without arguments.
      graph: The graph that the user knows it by; gives names and static shapes.
      options: A `tf.compat.v1.RunOptions`. Nothing is traced at `NO_TRACE`.
      run_metadata: The `tf.compat.v1.RunMetadata` to fill: `step_stats` and, with
        `output_partition_graphs`, `partition_graphs`. Nothing is traced if None.

    Returns:
      What `fn` returned.
    """
    if run_metadata is None or not options.trace_level:
        return fn()
    requests = Request.take()
    owner = requests[0].owner if requests else "run(options=RunOptions(trace_level=…))"
    recording = Recording(owner)
    try:
        with tf.profiler.experimental.Trace(_MARKER):
            value = fn()
        _wait_for_gpus()
    except BaseException:
        recording.stop()
        recording.read()
        raise
    known_by = weakref.ref(graph) if graph is not None else None
    if requests and options.trace_level <= HOOK_TRACE:
        # Not read before the step is over: reading would hold it up.
        reading = Reading(recording, owner, known_by, _stopper.submit(recording.stop))
        recording.stopping.set()
    else:
        recording.stop()
        reading = Reading(recording, owner, known_by, saved=None)
        run = reading.result()
        if run is not None:
            run.fill(run_metadata, options.output_partition_graphs)
    for request in requests:
        request.reading = reading
    return value


def _wait_for_gpus() -> None:
    """Waits for what GPUs have still to do; what fails there shows where it is used."""
    if tf.config.list_logical_devices("GPU"):
        with tf.__internal__.eager_context.eager_mode(), contextlib.suppress(tf.errors.OpError):
            tf.test.experimental.sync_devices()


_views: collections.OrderedDict[tuple[str, int], RunView] = collections.OrderedDict()


def _view_of(definition: Any, graph: tf.Graph | None) -> RunView:
    """The view of a function that ran; its next run finds it as it was left."""
    key = (definition.signature.name, id(graph))
    view = _views.get(key)
    if view is None or not view.shows(graph):
        view = _views[key] = RunView(function_view(definition, _tf.function_definition), graph)
        if len(_views) > _KEPT_VIEWS:
            _views.popitem(last=False)
    return view
