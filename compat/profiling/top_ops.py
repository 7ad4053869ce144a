"""Which ops a trace's time went to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from compat.profiling.trace import Trace


@dataclasses.dataclass(frozen=True)
class Cost:
    """What one op cost, over all its executions.

    Attributes:
      name: The op's name in the user's graph; a kernel's own if its op is unknown.
      type: The op's type.
      device: Where it ran.
      count: How often.
      total: Microseconds from start to end, summed up; waiting counts.
      self_time: Microseconds in which its thread or stream did nothing else.
      share: Part of all ops' self time, 0 to 1.
    """

    name: str
    type: str
    device: str
    count: int
    total: float
    self_time: float
    share: float


def costs(traces: Iterable[Trace]) -> list[Cost]:
    """The costs of all ops and GPU kernels, the costliest first.

    Args:
      traces: One trace per host.

    Returns:
      One entry for each op and device.
    """
    sums: dict[tuple[str, str, str], list[float]] = {}
    for trace in traces:
        where = f"{trace.host} " if trace.host else ""
        for op in trace.ops:
            key = (trace.name(op), op.type, where + op.device)
            _add(sums, key, op.duration, op.busy)
        for kernel in trace.kernels:
            key = (trace.name(kernel), kernel.type, where + kernel.device)
            _add(sums, key, kernel.duration, kernel.duration)
    everything = sum(self_time for _, _, self_time in sums.values()) or 1.0
    found = [
        Cost(*key, int(count), total, self_time, self_time / everything)
        for key, (count, total, self_time) in sums.items()
    ]
    return sorted(found, key=lambda cost: (-cost.self_time, cost.name))


def _add(sums: dict, key: tuple[str, str, str], total: float, self_time: float) -> None:
    entry = sums.setdefault(key, [0, 0.0, 0.0])
    entry[0] += 1
    entry[1] += total
    entry[2] += self_time
