"""TensorFlow's profiler as a context manager, `record`.

Profiling never breaks what is profiled: if the profiler can't run, there is a warning and
no trace. Only one profiler session is possible in a process.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from compat import _tf
from compat.profiling import xspace


class ProfilerWarning(UserWarning):
    """A run was to be profiled, and could not be."""


class _Level(int):
    """A tracer level that is taken as a number.

    Some TensorFlow versions (2.21) read the profiler's options as truth values if they
    can, and then ignore them because they are no numbers.
    """

    def __bool__(self) -> bool:
        raise TypeError("A level is a number.")


@contextlib.contextmanager
def record(*, owner: str = "compat.profiling.record", level: int = 3) -> Iterator[Recording]:
    """Profiles the block.

    Args:
      owner: Who wants the profile, for the warning if it can't be had.
      level: The host tracer's level. 3 records every op and the shapes of inputs; below
        it, ops that TensorFlow deems cheap are missing.

    Yields:
      The `Recording`; its `space` is set when the block is over.
    """
    recording = Recording(owner, level)
    try:
        yield recording
    finally:
        recording.stop()
        recording.read()


class Recording:
    """The profiler, running from construction to `stop`.

    Attributes:
      running: Whether it runs; if not, a warning said why.
      start_ns: When it was started, nanoseconds since the epoch.
      space: The XSpace, from `read` on; None if there is none.
      stopping: Set when `stop` is under way, here or on another thread. The next recording
        then waits until the data is saved, as `tf.profiler` itself does.
    """

    #: The recording whose data is still being saved, on another thread perhaps.
    _current: Recording | None = None
    _lock = threading.Lock()

    def __init__(self, owner: str, level: int = 3):
        """Starts the profiler; see `record`."""
        self._owner = owner
        self.space: Any = None
        self._directory = ""
        self._remove: Callable[[], object] = _nothing
        self._saved = threading.Event()
        self.stopping = threading.Event()
        with self._lock:
            if Recording._current is not None and Recording._current.stopping.is_set():
                Recording._current._saved.wait()
            self.running = self._start(level)
            if self.running:
                Recording._current = self
        self.start_ns = time.time_ns()

    def stop(self) -> None:
        """Stops the profiler and has it save what it recorded."""
        if not self.running:
            return
        self.stopping.set()
        try:
            tf.profiler.experimental.stop()
        except Exception as error:
            warn(self._owner, f"the profiler's data could not be saved: {error}")
            self.running = False
            self._remove()
        finally:
            self._saved.set()

    def read(self) -> None:
        """Reads and removes what was saved; warns if there is nothing."""
        if not self.running:
            return
        try:
            self.space = xspace.read(xspace.find(self._directory)[0])
        except (OSError, ValueError) as error:
            warn(self._owner, f"the profiler left nothing to read: {error}")
        finally:
            self._remove()

    def _start(self, level: int) -> bool:
        if _tf.profiler_is_running():
            self._warn_of_rival()
            return False
        try:
            self._directory = tempfile.mkdtemp(prefix="compat-profile-")
        except OSError as error:
            warn(self._owner, f"no temporary directory to profile into: {error}")
            return False
        # If nobody reads it, it goes when the recording does.
        self._remove = weakref.finalize(self, shutil.rmtree, self._directory, ignore_errors=True)
        options = tf.profiler.experimental.ProfilerOptions(
            host_tracer_level=_Level(level),
            python_tracer_level=_Level(0),
            device_tracer_level=_Level(1),
        )
        try:
            tf.profiler.experimental.start(self._directory, options=options)
            return True
        except tf.errors.AlreadyExistsError:
            # TensorFlow keeps the session that failed to start; drop it.
            tf.profiler.experimental.stop(save=False)
            self._warn_of_rival()
        except Exception as error:
            warn(self._owner, f"the profiler did not start: {error}")
        self._remove()
        return False

    def _warn_of_rival(self) -> None:
        warn(
            self._owner,
            "another tf.profiler session is running in this process (started by "
            "tf.profiler.experimental.start, a TensorBoard callback with profile_batch, or a "
            "profiler server), and only one at a time is possible",
        )


def _nothing() -> None:
    """What there is to remove before anything was made."""


def warn(owner: str, reason: str) -> None:
    """Warns that `owner` gets no profile."""
    warnings.warn(
        f"{owner} gets no profile of this run: {reason}. The run itself goes on.",
        ProfilerWarning,
        stacklevel=2,
    )
