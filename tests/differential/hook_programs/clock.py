"""A clock that moves only when a program says so, in place of `time.time`."""

from __future__ import annotations

import time


class FakeClock:
    """Stands for `time.time` while it is installed.

    Usage:
      with FakeClock() as clock: clock.advance(2.5)
    """

    def __init__(self, now=1_000_000.0):
        """Starts at `now`, in seconds."""
        self._now = now

    def advance(self, seconds):
        """Moves the time on."""
        self._now += seconds

    def __enter__(self):
        self._real, time.time = time.time, lambda: self._now
        return self

    def __exit__(self, *error):
        time.time = self._real
