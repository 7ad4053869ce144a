"""Numbers, steps and values as the report's sentences write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def steps(numbers: Iterable[int], limit: int = 6) -> str:
    """Steps as runs of equal distance: `20, 40, … 200 (10 steps)`.

    Args:
      numbers: The steps, ascending.
      limit: Up to so many are listed one by one.

    Returns:
      Words that name them.
    """
    found = [int(n) for n in numbers]
    if len(found) <= limit:
        text = ", ".join(str(n) for n in found[:-1])
        return f"{text} and {found[-1]}" if text else "".join(str(n) for n in found)
    distances = np.diff(found)
    if (distances == distances[0]).all():
        return f"{found[0]}, {found[1]}, … {found[-1]} ({len(found)} steps)"
    head = ", ".join(str(n) for n in found[:limit])
    return f"{head}, … {found[-1]} ({len(found)} steps)"


def number(value: float) -> str:
    """A difference with the digits that matter."""
    return f"{value:.3g}"


def value(item: Any) -> str:
    """One value of a run, with all the digits its type has, strings cut short."""
    if isinstance(item, bytes):
        item = item.decode("utf-8", "backslashreplace")
    if isinstance(item, str):
        return repr(item if len(item) <= 60 else item[:57] + "…")
    if isinstance(item, float):
        return f"{item:.9g}"
    return str(item)


def place(text: str) -> str:
    """` in eval/`, or nothing for the run's own directory."""
    return f" in {text}" if text else ""


def index(position: Sequence[int] | None) -> str:
    """`[3, 7]`, or nothing for a scalar."""
    return f" at [{', '.join(map(str, position))}]" if position else ""


def plural(count: int, word: str) -> str:
    """`1 step`, `2 steps`."""
    return f"{count:,} {word}" if count == 1 or word.endswith("series") else f"{count:,} {word}s"
