"""Lanes: rows of a time line on which nothing overlaps."""

from __future__ import annotations

import heapq
from collections.abc import Iterable


def assign(intervals: Iterable[tuple[int, int]]) -> list[int]:
    """Puts each interval on the first lane that is free.

    Args:
      intervals: (start, end) pairs, sorted by start.

    Returns:
      Each interval's lane, counted from 0.
    """
    lanes: list[int] = []
    free: list[int] = []
    busy: list[tuple[int, int]] = []  # (end, lane)
    for start, end in intervals:
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(busy)
        heapq.heappush(busy, (end, lane))
        lanes.append(lane)
    return lanes
