"""A progress bar for large trees, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

# Small trees are done before a bar could be drawn.
_LARGE = 200

T = TypeVar("T")


def progress(items: Iterable[T], total: int, quiet: bool) -> Iterator[T]:
    """Passes items on and shows how many there were.

    Args:
      items: The items.
      total: How many they will be.
      quiet: Whether to show nothing.

    Yields:
      The items.
    """
    if quiet or total < _LARGE or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(
        items, description="reading", total=total, console=Console(stderr=True), transient=True
    )
