"""`ProfilerHook`: timelines of every Nth step, for Chrome's tracing page and Perfetto."""

from __future__ import annotations

import os
import socket
import time
from concurrent.futures import Future
from typing import Any

import tensorflow as tf

from compat import _tf
from compat.hooks.base import SessionRunHook
from compat.profiling import chrome, xspace
from compat.profiling.capture import HOOK_TRACE, ProfiledRun, Request
from compat.profiling.files import whole
from compat.profiling.recording import warn

v1 = tf.compat.v1


class ProfilerHook(tf.compat.v1.train.ProfilerHook, SessionRunHook):
    """Profiles CPU and GPU every N steps or seconds, and writes `timeline-<step>.json`.

    Stands for `tf.compat.v1.train.ProfilerHook`, on every surface: a step is what lies
    between `before_run` and `after_run`, be it a session's run, a function or a batch of
    `fit` (with `steps_per_execution`, several). As in TF1 the first step is never
    profiled, the file is named after the global step behind the profiled run, and the
    run's `RunMetadata` goes to the event file under `step_<step>`.

    Files are written beside the training, and are whole when they appear; `end` waits for
    the last. If TensorFlow's profiler is in use already, or a file can't be written, there
    is a warning, and training goes on.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
        *,
        keep_xplane: bool = False,
    ):
        """Checks the directory; nothing is profiled yet.

        Args:
          save_steps: Profile every so many steps; exactly one of this and `save_secs`.
          save_secs: Profile every so many seconds.
          output_dir: Where the files go; the current directory by default.
          show_dataflow: Whether the timeline has arrows from producers to consumers.
          show_memory: Whether it has tensors' lives and memory counters.
          keep_xplane: Whether to keep the raw capture as well, where TensorBoard's profile
            plugin finds it (`output_dir/plugins/profile/step_<step>/`), with the graph
            that ran, for `python -m compat timeline`.

        Raises:
          ValueError: Both or none of `save_steps` and `save_secs` are given.
          OSError: `output_dir` can't be made or written to.
        """
        # TF1's own constructor opens an event file, which eager code must not.
        self._timer = v1.train.SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._owner = f"ProfilerHook(output_dir={output_dir!r})"
        self._output_dir = output_dir
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory
        self._keep_xplane = keep_xplane
        self._file_writer: Any = None
        self._next_step: int | None = None
        self._request: Request | None = None
        self._writing: Future | None = None
        _check_directory(output_dir)

    def begin(self) -> None:
        """Looks for the global step, and opens the event file."""
        _share_plain_step_read()
        super().begin()
        self._arguments = v1.train.SessionRunArgs({"global_step": self._global_step_tensor})
        self._file_writer = v1.summary.FileWriterCache.get(self._output_dir or ".")

    def before_run(self, run_context: Any) -> Any:
        """Asks for the global step and, if it is time, for a profile."""
        self._request_summary = self._next_step is not None and self._timer.should_trigger_for_step(
            self._next_step
        )
        if not self._request_summary:
            return self._arguments
        self._wait()  # Never two captures in memory.
        self._request = Request(self._owner)
        options = v1.RunOptions(trace_level=HOOK_TRACE)
        return v1.train.SessionRunArgs(self._arguments.fetches, options=options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Has the profile written under the global step behind the run."""
        stale_global_step = int(run_values.results["global_step"])
        if self._next_step is None:
            # TF1 counts N steps or seconds from the first run on.
            self._timer.update_last_triggered_step(stale_global_step)
        global_step = stale_global_step + 1
        if self._request_summary:
            global_step = int(run_context.session.run(self._global_step_tensor))
            self._timer.update_last_triggered_step(global_step)
            self._write_later(global_step)
        self._next_step = global_step + 1

    def end(self, session: Any) -> None:
        """Waits until all files are written."""
        super().end(session)
        self._wait()
        try:
            self._file_writer.flush()
        except Exception as error:  # Of many kinds: the writer's thread passes on its own.
            warn(self._owner, f"its events can't be written ({type(error).__name__}: {error})")

    def _wait(self) -> None:
        if self._writing is not None:
            self._writing.result()
            self._writing = None

    def _write_later(self, step: int) -> None:
        request, self._request = self._request, None
        assert request is not None
        if request.reading is None:
            warn(
                request.owner,
                "the session does not honour the request; use compat's own sessions",
            )
            return
        v1.logging.info("Saving timeline for %d into '%s'.", step, self._output_file.format(step))
        self._writing = request.then(lambda run: self._write(step, run))

    def _write(self, step: int, run: ProfiledRun) -> None:
        chrome.write(
            run.trace,
            self._output_file.format(step),
            show_dataflow=self._show_dataflow,
            show_memory=self._show_memory,
        )
        if self._keep_xplane:
            place = os.path.join(self._output_dir, "plugins", "profile", f"step_{step}")
            host = os.path.join(place, socket.gethostname())
            with whole(host + xspace.GRAPH_SUFFIX, "wb") as file:
                file.write(run.graph().SerializeToString())
            with whole(host + xspace.SUFFIX, "wb") as file:
                file.write(run.space.SerializeToString())
        metadata = v1.RunMetadata()
        run.fill(metadata)
        # `add_run_metadata` refuses a tag that it had before, which a restart or a second
        # evaluation has; the newest counts.
        tagged = v1.summary.TaggedRunMetadata(
            tag=f"step_{step}", run_metadata=metadata.SerializeToString()
        )
        self._file_writer.add_event(v1.Event(wall_time=time.time(), tagged_run_metadata=tagged))


def _share_plain_step_read() -> None:
    """Adds a read of the global step for hooks to share, unless there is one.

    TF1's own chooses in every run between the step and its initial value, for those who
    fetch it before the step is initialized. No hook does, and the choice costs some
    percent of a small step.
    """
    graph = v1.get_default_graph()
    step = v1.train.get_global_step(graph)
    if isinstance(step, tf.Variable) and not graph.get_collection(_tf.GLOBAL_STEP_READ):
        with graph.name_scope(None), graph.name_scope(step.op.name + "/"):
            graph.add_to_collection(_tf.GLOBAL_STEP_READ, step.read_value() + 0)


def _check_directory(output_dir: str) -> None:
    """Makes the directory, and finds out now whether it can be written to."""
    path = output_dir or "."
    if not tf.io.gfile.exists(path):
        tf.io.gfile.makedirs(path)
    if "://" not in path and not os.access(path, os.W_OK):
        raise PermissionError(
            f"ProfilerHook can't write to output_dir; got {output_dir!r}. "
            "Pass a directory that this process may write to."
        )
