"""One recorded quantity over the steps of a run: a scalar tag, a logged number, a text."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np


class Series:
    """The records of one name, in the order they were written.

    Attributes:
      kind: `scalar` (numbers), `histogram` or `tensor` (arrays), or a kind whose records
        are strings.
      steps: Step of each record.
      values: Its value.
      slack: Half a unit of the last digit written, where numbers come from text; else None.
    """

    def __init__(self, kind: str):
        self.kind = kind
        self._steps = array("q")
        self._numbers = array("d")
        self._slack = array("d")
        self._objects: list[Any] = []
        self._file_of = array("i")
        self._files: dict[str, int] = {}
        self.steps = np.empty(0, np.int64)
        self.values = np.empty(0)
        self.slack: np.ndarray | None = None
        self._last: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def numeric(self) -> bool:
        """Whether each record is one number."""
        return self.kind == "scalar"

    def add(self, step: int, value: Any, file: str, slack: float | None = None) -> None:
        """Adds one record."""
        self._steps.append(step)
        self._file_of.append(self._files.setdefault(file, len(self._files)))
        if self.numeric:
            self._numbers.append(value if isinstance(value, (int, float)) else float("nan"))
        else:
            self._objects.append(value)
        if slack is not None:
            self._slack.append(slack)

    def close(self) -> None:
        """Makes arrays of what was added; nothing can be added after."""
        self.steps = np.frombuffer(self._steps, np.int64)
        if self.numeric:
            self.values = np.frombuffer(self._numbers, np.float64)
        else:
            self.values = np.empty(len(self._objects), object)
            self.values[:] = self._objects
        if self._slack:
            self.slack = np.frombuffer(self._slack, np.float64)

    def moved(self, scale: int, offset: int) -> Series:
        """The same records at `step * scale + offset`."""
        if (scale, offset) == (1, 0):
            return self
        copy = Series(self.kind)
        copy.__dict__.update(self.__dict__)
        copy.steps = self.steps * scale + offset
        copy._last = None
        return copy

    def last_of_each_step(self) -> tuple[np.ndarray, np.ndarray]:
        """The steps, ascending, and for each the position of its last record.

        After a restart the later record is the one that training went on from.
        """
        if self._last is None:
            backwards = self.steps[::-1]
            steps, first = np.unique(backwards, return_index=True)
            self._last = steps, len(backwards) - 1 - first
        return self._last

    def repeated(self) -> dict[int, int]:
        """Step -> number of records, of the steps that have more than one."""
        steps, counts = np.unique(self.steps, return_counts=True)
        several = counts > 1
        return dict(zip(steps[several].tolist(), counts[several].tolist(), strict=True))

    def files_of(self, step: int) -> list[str]:
        """The files that hold a record of a step."""
        names = list(self._files)
        positions = np.flatnonzero(self.steps == step)
        return list(dict.fromkeys(names[self._file_of[i]] for i in positions))

    def disagreements(self) -> int:
        """In how many of the repeated steps a number was recorded with other values."""
        count = 0
        for step in self.repeated():
            values = self.values[self.steps == step]
            if any(not _same(v, values[0]) for v in values[1:]):
                count += 1
        return count


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=True)
    return one == other or (one != one and other != other)
