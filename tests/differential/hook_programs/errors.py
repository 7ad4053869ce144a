"""The eight kinds of exceptions that programs raise, marked so that a test knows its own."""

from __future__ import annotations

import tensorflow as tf

from .describe import OWN

KINDS = [
    "ValueError",
    "RuntimeError",
    "KeyboardInterrupt",
    "StopIteration",
    "OutOfRangeError",
    "AbortedError",
    "UnavailableError",
    "InvalidArgumentError",
]

#: After these a MonitoredSession makes a new session and goes on.
PREEMPTIONS = ["AbortedError", "UnavailableError"]

_PYTHON = {
    "ValueError": ValueError,
    "RuntimeError": RuntimeError,
    "KeyboardInterrupt": KeyboardInterrupt,
    "StopIteration": StopIteration,
}


def make_error(kind, place):
    """An exception of a kind (a name or an index) whose text names where it was raised."""
    if not isinstance(kind, str):
        kind = KINDS[kind % len(KINDS)]
    text = f"{OWN} {place}"
    if kind in _PYTHON:
        return _PYTHON[kind](text)
    return getattr(tf.errors, kind)(None, None, text)
