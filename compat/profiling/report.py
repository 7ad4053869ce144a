"""Trace model → one self-contained HTML page: time line, costliest ops, memory.

The page needs no network: data, styles and the script that draws are in it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compat.profiling import lanes
from compat.profiling.files import whole
from compat.profiling.report_page import PAGE
from compat.profiling.tensors import memory_curves
from compat.profiling.top_ops import Cost, costs
from compat.profiling.trace import Trace

#: More bars than this make a browser slow; the longest are kept.
MAX_BARS = 200_000
_CHART_WIDTH, _CHART_HEIGHT = 1000, 160
_COLOURS = ("#2f6f9f", "#b4572e", "#4f7a3a", "#7a4f8f", "#8f7a2f")


def write(
    traces: Sequence[Trace], path: str | Path, *, title: str = "Timeline", top: int = 50
) -> None:
    """Writes the page to a file that appears whole.

    Args:
      traces: One trace per host.
      path: The HTML file.
      title: The page's heading.
      top: How many ops the table lists.

    Raises:
      OSError: The file can't be written.
    """
    with whole(path) as file:
        file.write(page(traces, title=title, top=top))


def page(traces: Sequence[Trace], *, title: str = "Timeline", top: int = 50) -> str:
    """The page's text; see `write`."""
    data, left_out = _bars(traces)
    note = f"Only the {MAX_BARS} longest are drawn; {left_out} shorter ones are left out."
    found = costs(traces)
    parts = {
        "@@TITLE@@": html.escape(title),
        "@@SUMMARY@@": html.escape(_summary(traces, found)),
        "@@NOTE@@": note if left_out else "",
        "@@TABLE@@": "\n".join(_table_row(cost) for cost in found[:top]),
        "@@MEMORY@@": "\n".join(_memory_charts(traces)) or "<p>Nothing is known of memory.</p>",
        # A name must not end the script element that holds the data.
        "@@DATA@@": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }
    text = PAGE
    for token, value in parts.items():
        text = text.replace(token, value)
    return text


def _summary(traces: Sequence[Trace], found: list[Cost]) -> str:
    begin = min((trace.span()[0] for trace in traces), default=0.0)
    end = max((trace.span()[1] for trace in traces), default=0.0)
    executions = sum(cost.count for cost in found)
    return f"{executions} executions of {len(found)} ops in {(end - begin) / 1000:.3f} ms"


def _bars(traces: Sequence[Trace]) -> tuple[dict[str, Any], int]:
    """The rows with their bars [start, duration, lane, name, type], names as numbers."""
    by_row: dict[str, list] = {}
    for trace in traces:
        where = f"{trace.host} " if trace.host and len(traces) > 1 else ""
        for op in trace.ops:
            by_row.setdefault(where + op.device, []).append((op, trace.name(op)))
        for kernel in trace.kernels:
            row = f"{where}{kernel.device}/stream:{kernel.stream}"
            by_row.setdefault(row, []).append((kernel, trace.name(kernel)))
    total = sum(len(items) for items in by_row.values())
    shortest = 0.0
    if total > MAX_BARS:
        durations = [item.duration for items in by_row.values() for item, _ in items]
        shortest = sorted(durations, reverse=True)[MAX_BARS - 1]
    numbers: dict[str, int] = {}
    rows, drawn = [], 0
    for row, items in sorted(by_row.items()):
        kept = [(item, name) for item, name in items if item.duration >= shortest]
        kept.sort(key=lambda entry: entry[0].start)
        # A lane's bars must not overlap after they are rounded to nanoseconds either.
        spans = [(round(item.start * 1000), round(item.end * 1000)) for item, _ in kept]
        bars = [
            [
                start / 1000,
                (end - start) / 1000,
                lane,
                numbers.setdefault(name, len(numbers)),
                numbers.setdefault(item.type or "unknown", len(numbers)),
            ]
            for (item, name), (start, end), lane in zip(
                kept, spans, lanes.assign(spans), strict=True
            )
        ]
        drawn += len(bars)
        count = max((bar[2] for bar in bars), default=0) + 1
        rows.append({"title": row, "lanes": count, "bars": bars})
    return {"rows": rows, "names": list(numbers)}, total - drawn


def _table_row(cost: Cost) -> str:
    cells = [
        f"<td>{html.escape(cost.name)}</td>",
        f"<td>{html.escape(cost.type)}</td>",
        f"<td>{html.escape(cost.device.rpartition('device:')[2])}</td>",
    ]
    numbers = (f"{cost.total:.1f}", f"{cost.self_time:.1f}", cost.count, f"{cost.share:.1%}")
    cells += [f'<td class="number">{number}</td>' for number in numbers]
    return f"<tr>{''.join(cells)}</tr>"


def _memory_charts(traces: Sequence[Trace]) -> list[str]:
    charts: list[str] = []
    for trace in traces:
        begin, end = trace.span()
        for allocator, curve in sorted(memory_curves(trace).items()):
            within = [(time, size) for time, size in curve if time <= end]
            if within:
                colour = _COLOURS[len(charts) % len(_COLOURS)]
                charts.append(_chart(allocator, within, begin, max(end, begin + 1e-3), colour))
    return charts


def _chart(
    allocator: str, curve: list[tuple[float, int]], begin: float, end: float, colour: str
) -> str:
    """A step curve of bytes in use, as SVG."""
    peak = max(size for _, size in curve) or 1
    x_scale, y_scale = _CHART_WIDTH / (end - begin), _CHART_HEIGHT / peak
    path = [f"M0 {_CHART_HEIGHT}"]
    for time, size in curve:
        x, y = max(0.0, time - begin) * x_scale, _CHART_HEIGHT - max(0, size) * y_scale
        path.append(f"H{x:.1f}V{y:.1f}")
    path.append(f"H{_CHART_WIDTH}V{_CHART_HEIGHT}Z")
    label = f"{html.escape(allocator)}: at most {_bytes(peak)} in use"
    return (
        f'<figure><figcaption>{label}</figcaption><svg viewBox="0 0 {_CHART_WIDTH} '
        f'{_CHART_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{label}">'
        f'<path d="{"".join(path)}" fill="{colour}" fill-opacity="0.35" stroke="{colour}" '
        'vector-effect="non-scaling-stroke"/></svg></figure>'
    )


def _bytes(size: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} GiB"
