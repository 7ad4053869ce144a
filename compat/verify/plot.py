"""One curve of both runs as SVG: the values on top, their difference below."""

from __future__ import annotations

import html
import itertools
import json
import math
from collections.abc import Callable

import numpy as np

from compat.verify.report import SeriesRow

WIDTH = 940
_LEFT, _RIGHT, _TOP = 78, 18, 12
_VALUES, _GAP, _APART = 250, 34, 120
_BOTTOM = _TOP + _VALUES + _GAP + _APART
HEIGHT = _BOTTOM + 38
#: More points than pixels show nothing more; what is drawn keeps every extreme.
_POINTS = 1200

Scale = Callable[[np.ndarray], np.ndarray]


def draw(row: SeriesRow, rtol: float, atol: float) -> str:
    """Draws one series of both runs.

    Args:
      row: The series, with the curves.
      rtol: Relative tolerance, for the line that the difference must not cross.
      atol: Absolute tolerance.

    Returns:
      An `<svg>` element, with the points it shows as JSON in `data-points`.
    """
    old, new = _sorted(*row.old), _sorted(*row.new)
    steps, one, other = _common(old, new)
    first = min(curve[0][0] for curve in (old, new) if len(curve[0]))
    last = max(curve[0][-1] for curve in (old, new) if len(curve[0]))
    x = _linear(first, last, _LEFT, WIDTH - _RIGHT)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" class="plot" '
        f'aria-label="{html.escape(row.name)} of both runs and their difference" '
        f"data-points='{_points(steps, one, other, x)}'>",
        *_values_panel(old, new, x),
        *_difference_panel(steps, one, other, x, rtol, atol + row.slack),
        *_step_axis(first, last, x),
    ]
    if row.first_step is not None:
        at = float(x(np.array([row.first_step]))[0])
        parts.append(
            f'<line class="first" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{_BOTTOM}"/>'
        )
        side, shift = ("end", -5) if at > WIDTH / 2 else ("start", 5)
        parts.append(
            f'<text class="first" x="{at + shift:.1f}" y="{_TOP + 10}" text-anchor="{side}">'
            f"departs at step {row.first_step}</text>"
        )
    parts.append(
        f'<line class="cursor" x1="0" x2="0" y1="{_TOP}" y2="{_BOTTOM}" visibility="hidden"/>'
    )
    return "".join(parts) + "</svg>"


def _sorted(steps: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(steps, kind="stable")
    return steps[order], values[order]


def _common(
    old: tuple[np.ndarray, np.ndarray], new: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    # The later of two records of one step counts, as in the comparison.
    last = []
    for steps, values in (old, new):
        kept, place = np.unique(steps[::-1], return_index=True)
        last.append((kept, values[::-1][place]))
    both, one, other = np.intersect1d(
        last[0][0], last[1][0], assume_unique=True, return_indices=True
    )
    return both, last[0][1][one], last[1][1][other]


def _linear(low: float, high: float, start: float, end: float) -> Scale:
    span = high - low
    if not span:
        return lambda v: np.full(np.shape(v), (start + end) / 2)
    return lambda v: start + (np.asarray(v, float) - low) / span * (end - start)


def _values_panel(
    old: tuple[np.ndarray, np.ndarray], new: tuple[np.ndarray, np.ndarray], x: Scale
) -> list[str]:
    finite = np.concatenate([values[np.isfinite(values)] for _, values in (old, new)])
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    margin = 0.06 * (high - low) or abs(high) * 0.1 or 1.0
    bottom = _TOP + _VALUES
    y = _linear(low - margin, high + margin, bottom, _TOP)
    parts = _frame(_TOP, bottom, "value")
    for tick in _ticks(low, high):
        parts += _tick(float(y(np.array([tick]))[0]), f"{tick:.6g}")
    for name, (steps, values) in (("old", old), ("new", new)):
        parts.append(_curve(name, steps, values, x, y))
    return parts


def _difference_panel(
    steps: np.ndarray, old: np.ndarray, new: np.ndarray, x: Scale, rtol: float, atol: float
) -> list[str]:
    top = _TOP + _VALUES + _GAP
    bottom = top + _APART
    parts = _frame(top, bottom, "|difference|")
    with np.errstate(all="ignore"):
        apart, limit = np.abs(new - old), atol + rtol * np.abs(old)
    shown = np.isfinite(apart) & np.isfinite(limit)
    steps, apart, limit = steps[shown], apart[shown], limit[shown]
    positive = np.concatenate([apart[apart > 0], limit[limit > 0]])
    if not positive.size:
        return [
            *parts,
            _note(top, "no step is in both runs" if not steps.size else "no difference"),
        ]
    low = math.floor(math.log10(positive.min()) - 0.2)
    high = max(math.ceil(math.log10(positive.max()) + 0.2), low + 1)
    y = _linear(low, high, bottom, top)

    def log_y(values: np.ndarray) -> np.ndarray:
        # Zero has no logarithm: it lies on the axis.
        return y(np.log10(np.maximum(values, 10.0**low)))

    for power in range(low, high + 1, max(1, (high - low) // 4)):
        parts += _tick(
            float(y(np.array([power]))[0]), f"1e{power}" if power > low else f"≤ 1e{low}"
        )
    parts.append(_curve("limit", steps, limit, x, log_y))
    parts.append(_curve("apart", steps, apart, x, log_y))
    outside = apart > limit
    for at in _spread(np.flatnonzero(outside), 300):
        place = f'cx="{x(steps[at : at + 1])[0]:.1f}" cy="{log_y(apart[at : at + 1])[0]:.1f}"'
        parts.append(f'<circle class="outside" {place} r="2.6"/>')
    if not apart.any():
        parts.append(_note(top, "no difference"))
    return parts


def _spread(positions: np.ndarray, count: int) -> np.ndarray:
    return positions[:: max(1, -(-len(positions) // count))]


def _note(top: float, text: str) -> str:
    return (
        f'<text class="note" x="{WIDTH / 2}" y="{top + _APART / 2}" text-anchor="middle">'
        f"{text}</text>"
    )


def _frame(top: float, bottom: float, label: str) -> list[str]:
    middle = (top + bottom) / 2
    return [
        f'<rect class="frame" x="{_LEFT}" y="{top}" width="{WIDTH - _LEFT - _RIGHT}" '
        f'height="{bottom - top}"/>',
        f'<text class="label" transform="translate(14 {middle}) rotate(-90)" '
        f'text-anchor="middle">{label}</text>',
    ]


def _tick(at: float, text: str) -> list[str]:
    return [
        f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>',
        f'<text class="tick" x="{_LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{text}</text>',
    ]


def _step_axis(first: float, last: float, x: Scale) -> list[str]:
    parts = []
    for tick in _ticks(first, last, whole=True):
        at = float(x(np.array([tick]))[0])
        parts.append(
            f'<text class="tick" x="{at:.1f}" y="{_BOTTOM + 16}" text-anchor="middle">'
            f"{tick:g}</text>"
        )
    parts.append(
        f'<text class="label" x="{WIDTH - _RIGHT}" y="{_BOTTOM + 33}" text-anchor="end">step</text>'
    )
    return parts


def _ticks(low: float, high: float, count: int = 5, whole: bool = False) -> list[float]:
    """Round numbers within a range."""
    if not high > low:
        return [low]
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    distance = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough)
    if whole:
        distance = max(1.0, round(distance))
    start = math.ceil(low / distance - 1e-9)
    stop = math.floor(high / distance + 1e-9)
    return [round(i * distance, 12) for i in range(start, stop + 1)]


def _curve(name: str, steps: np.ndarray, values: np.ndarray, x: Scale, y: Scale) -> str:
    """A path that is interrupted where the value isn't finite."""
    if len(steps) > _POINTS:
        kept = _extremes(values)
        steps, values = steps[kept], values[kept]
    pieces, pen = [], "M"
    for step, value in zip(steps, values, strict=True):
        if not math.isfinite(value):
            pen = "M"
            continue
        at = f"{float(x(np.array([step]))[0]):.1f} {float(y(np.array([value]))[0]):.1f}"
        pieces.append(pen + at)
        pen = "L"
    # A run of one point would be invisible.
    dots = ' stroke-linecap="round"' if len(pieces) < 2 else ""
    path = "".join(pieces) + ("h.1" if len(pieces) == 1 else "")
    return f'<path class="{name}" d="{path}"{dots}/>'


def _extremes(values: np.ndarray) -> np.ndarray:
    """Positions of the smallest and largest value of each of many short stretches."""
    edges = np.linspace(0, len(values), _POINTS // 2 + 1).astype(int)
    kept = {0, len(values) - 1}
    for start, stop in itertools.pairwise(edges):
        part = values[start:stop]
        kept |= {start + int(part.argmin()), start + int(part.argmax())}
    return np.array(sorted(kept))


def _points(steps: np.ndarray, old: np.ndarray, new: np.ndarray, x: Scale) -> str:
    """What the page shows under the pointer: x, step, old, new of each point."""
    chosen = _spread(np.arange(len(steps)), _POINTS)
    rows = [
        [round(float(x(steps[i : i + 1])[0]), 1), int(steps[i]), f"{old[i]:.9g}", f"{new[i]:.9g}"]
        for i in chosen
    ]
    return html.escape(json.dumps(rows, separators=(",", ":")), quote=True)
