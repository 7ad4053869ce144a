"""The record of one run of a program: every call, value, message and outcome, in order."""

from __future__ import annotations

import logging
import re
import sys

from .describe import describe, describe_error


class Runaway(BaseException):
    """A program that does not end by itself."""


class Journal:
    """Collects entries; an entry is a dict with the place (`at`) and what was seen there."""

    def __init__(self, directory, names=()):
        """Starts an empty journal.

        Args:
          directory: The run's own directory, written as DIR in entries.
          names: Graph element names that errors may mention.
        """
        self.entries = []
        self.notes = []  # Full error texts by entry: shown, never compared.
        self.names = list(names)
        self._directory = directory

    def add(self, at, **seen):
        """Adds an entry of plain data."""
        if len(self.entries) > 5000:
            raise Runaway
        self.entries.append(self._clean({"at": at, **seen}))
        self.notes.append("")

    def value(self, at, value):
        """Adds a described value."""
        self.add(at, value=describe(value))

    def error(self, at, error):
        """Adds a described exception."""
        self.add(at, error=describe_error(error, self.names))
        self.notes[-1] = f"{type(error).__name__}: {error}"

    def _clean(self, value):
        if isinstance(value, dict):
            return {key: self._clean(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._clean(item) for item in value]
        return value.replace(self._directory, "DIR") if isinstance(value, str) else value


class LogRecords(logging.Handler):
    """Puts TensorFlow's log records into a journal while it is installed.

    Usage:
      with LogRecords(journal): …
    """

    def __init__(self, journal):
        """Prepares to write to `journal`."""
        super().__init__(logging.DEBUG)
        self._journal = journal
        self._logger = logging.getLogger("tensorflow")

    def emit(self, record):
        """Adds the record: level and the message's head, without a traceback behind it."""
        text = re.sub(r"\b0x[0-9a-f]+", "0x…", record.getMessage())
        if "deprecated and will be removed" in text:
            return  # TensorFlow says so once per process, so only to the first back end.
        self._journal.add(
            "log", level=record.levelname, text="\n".join(text.splitlines()[:2])[:800]
        )

    def __enter__(self):
        logger = self._logger
        self._before = logger.handlers, logger.level, logger.propagate
        logger.handlers, logger.propagate = [self], False
        logger.setLevel(logging.INFO)
        _forget_counted_messages()
        return self

    def __exit__(self, *error):
        self._logger.handlers, level, self._logger.propagate = self._before
        self._logger.setLevel(level)


def _forget_counted_messages():
    """Resets `log_first_n`, which counts for the whole process and so for both back ends."""
    for name, module in list(sys.modules.items()):
        if name.endswith("platform.tf_logging"):
            getattr(module, "_log_counter_per_token", {}).clear()
