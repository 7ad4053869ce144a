"""Compares two series: steps (gaps, shifts, duplicates after a restart), then values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from compat.verify import wording
from compat.verify.explain import rounding, scale
from compat.verify.names import Target
from compat.verify.report import Difference, Report, SeriesRow
from compat.verify.series import Series
from compat.verify.values import compare_arrays


@dataclass
class _Aligned:
    """Two series without repetitions, and what they have in common."""

    old_steps: np.ndarray
    new_steps: np.ndarray
    common: np.ndarray
    old: np.ndarray
    new: np.ndarray
    slack: np.ndarray | float


@dataclass
class SeriesPair:
    """What to compare, and what was found.

    Attributes:
      part: `events` or `logs`.
      where: Directory or file.
      name: Name in OLD.
      new_name: Name in NEW.
      old: OLD's records.
      new: NEW's records, at OLD's steps.
      differences: What differs.
      row: The row for the report, for numbers.
    """

    part: str
    where: str
    name: str
    new_name: str
    old: Series
    new: Series
    differences: list[Difference] = field(default_factory=list)
    row: SeriesRow | None = None

    @property
    def label(self) -> str:
        """The series as a sentence names it."""
        word = {"events": "tag", "logs": "logged"}[self.part]
        shown = self.name if self.name == self.new_name else f"{self.name} ({self.new_name} in NEW)"
        return f"{word} {shown}{wording.place(self.where)}"

    def add(self, kind: str, message: str, step: int | None, **more: Any) -> None:
        """Adds a difference of this series."""
        new_name = None if self.name == self.new_name else self.new_name
        self.differences.append(
            Difference(self.part, kind, self.name, message, step, self.where, new_name, **more)
        )


def compare_series(pair: SeriesPair, report: Report) -> None:
    """Compares one pair of series and fills in its differences and its row.

    Args:
      pair: The pair; NEW's steps have been moved to OLD's already.
      report: Gives the tolerances.
    """
    _compare_repetitions(pair)
    aligned = _align(pair.old, pair.new)
    shift = _shift(pair, aligned, report)
    if shift:
        moved = "later" if shift > 0 else "earlier"
        first = int(aligned.old_steps[0])
        message = (
            f"{pair.label} is recorded {wording.plural(abs(shift), 'step')} {moved} in NEW: "
            f"what OLD has at step {first}, NEW has at step {first + shift}; the values are equal"
        )
        pair.add("step_shift", message, first, count=len(aligned.old_steps))
        aligned = _align(pair.old, pair.new.moved(1, -shift))
    _compare_steps(pair, aligned)
    if pair.old.kind != pair.new.kind:
        message = f"{pair.label} is a {pair.old.kind} in OLD and a {pair.new.kind} in NEW"
        pair.add("dtype", message, _first(aligned.common))
    elif pair.old.numeric:
        _compare_numbers(pair, aligned, report)
    elif pair.old.kind in ("histogram", "tensor"):
        _compare_vectors(pair, aligned, report)
    else:
        _compare_texts(pair, aligned)


def _align(old: Series, new: Series) -> _Aligned:
    old_steps, old_at = old.last_of_each_step()
    new_steps, new_at = new.last_of_each_step()
    common, one, other = np.intersect1d(
        old_steps, new_steps, assume_unique=True, return_indices=True
    )
    slack: np.ndarray | float = 0.0
    if old.slack is not None and new.slack is not None:
        # Each number was rounded when it was written: they may be apart by both halves.
        slack = old.slack[old_at][one] + new.slack[new_at][other]
    return _Aligned(
        old_steps, new_steps, common, old.values[old_at][one], new.values[new_at][other], slack
    )


def _first(steps: np.ndarray) -> int | None:
    return int(steps[0]) if len(steps) else None


def _compare_repetitions(pair: SeriesPair) -> None:
    old, new = pair.old.repeated(), pair.new.repeated()
    for label, series, here, there in (
        ("NEW", pair.new, new, old),
        ("OLD", pair.old, old, new),
    ):
        more = sorted(step for step, count in here.items() if count > there.get(step, 1))
        if not more:
            continue
        files = series.files_of(more[0])
        where = f"in {files[0]}" if len(files) == 1 else f"in {files[0]} and again in {files[-1]}"
        cause = ", as after a restart" if len(files) > 1 else ""
        differing = series.disagreements()
        values = f"with other values at {differing} of them" if differing else "with equal values"
        message = (
            f"{pair.label} is duplicated in {label} at step {wording.steps(more)}, "
            f"{where}{cause}, {values}"
        )
        pair.add("duplicate", message, more[0], count=len(more))


def _shift(pair: SeriesPair, aligned: _Aligned, report: Report) -> int | None:
    """The constant by which NEW's steps are later than OLD's, if the values say so too."""
    old, new = aligned.old_steps, aligned.new_steps
    if pair.old.kind != pair.new.kind or min(len(old), len(new)) < 2:
        return None
    if np.array_equal(old, new):
        return None
    for shift in {int(new[0] - old[0]), int(new[-1] - old[-1])} - {0}:
        moved = _align(pair.old, pair.new.moved(1, -shift))
        # All but a few at an end: a short overlap of a flat curve would prove nothing.
        if len(moved.common) < max(2, 0.8 * max(len(old), len(new))):
            continue
        if _agree(pair.old, moved, report):
            return shift
    return None


def _agree(series: Series, aligned: _Aligned, report: Report) -> bool:
    """Whether all values at common steps are the same."""
    if series.numeric:
        return not _outside(aligned, report).any()
    if series.kind in ("histogram", "tensor"):
        return all(
            not _vectors_apart(series.kind, old, new, report)[0]
            for old, new in zip(aligned.old, aligned.new, strict=True)
        )
    return bool((aligned.old == aligned.new).all())


def _compare_steps(pair: SeriesPair, aligned: _Aligned) -> None:
    for kind, label, have, lack in (
        ("missing_steps", "NEW", aligned.old_steps, aligned.new_steps),
        ("extra_steps", "OLD", aligned.new_steps, aligned.old_steps),
    ):
        lost = np.setdiff1d(have, lack, assume_unique=True)
        if not lost.size:
            continue
        if lack.size and lost[0] > lack[-1]:
            what = f"; {label} ends at step {lack[-1]}"
        elif lack.size and lost[-1] < lack[0]:
            what = f"; {label} begins at step {lack[0]}"
        else:
            what = ", a gap" if lack.size else ""
        message = f"{pair.label} has no record in {label} at step {wording.steps(lost)}{what}"
        pair.add(kind, message, int(lost[0]), count=int(lost.size), total=int(have.size))


def _outside(aligned: _Aligned, report: Report) -> np.ndarray:
    return _apart(aligned.old, aligned.new, aligned.slack, report)


def _apart(
    old: np.ndarray, new: np.ndarray, slack: np.ndarray | float, report: Report
) -> np.ndarray:
    alike = (old == new) | (np.isnan(old) & np.isnan(new))
    finite = np.isfinite(old) & np.isfinite(new)
    with np.errstate(all="ignore"):
        apart = np.abs(new - old) > report.atol + report.rtol * np.abs(old) + slack
    return np.where(finite, apart, ~alike)


def _compare_numbers(pair: SeriesPair, aligned: _Aligned, report: Report) -> None:
    row = _row(pair, aligned, report)
    outside = _outside(aligned, report)
    count = int(np.count_nonzero(outside))
    if not count:
        return
    first = int(np.argmax(outside))
    step = int(aligned.common[first])
    row.departs, row.first_step = True, step
    one, other = float(aligned.old[first]), float(aligned.new[first])
    kind, reason = _cause(aligned, report)
    size = "" if kind == "nonfinite" else f" by {wording.number(abs(other - one))}"
    message = (
        f"{pair.label} differs from step {step} on{size}: {wording.value(one)} in OLD, "
        f"{wording.value(other)} in NEW; {count} of {len(outside)} records"
    )
    if row.max_abs > abs(other - one):
        message += f", by up to {wording.number(row.max_abs)}"
    if reason:
        message += f"; {reason}"
    pair.add(
        kind, message, step, count=count, total=len(outside), max_abs=row.max_abs,
        max_rel=row.max_rel, old=one, new=other,
    )  # fmt: skip


def _cause(aligned: _Aligned, report: Report) -> tuple[str, str]:
    old, new = aligned.old, aligned.new
    finite = np.isfinite(old) & np.isfinite(new)
    if not finite[int(np.argmax(_outside(aligned, report)))]:
        return "nonfinite", ""
    if len(old) > 2 and finite.all():
        slack = np.max(aligned.slack)
        for late, early, run, of in ((new, old, "NEW", "OLD"), (old, new, "OLD", "NEW")):
            if not _apart(early[:-1], late[1:], slack, report).any():
                return "lag", f"{run} has at each step what {of} has one record before"
        found = rounding(old, new) or scale(old, new)
        if found:
            return found
    return "value", ""


def _row(pair: SeriesPair, aligned: _Aligned, report: Report) -> SeriesRow:
    finite = np.isfinite(aligned.old) & np.isfinite(aligned.new)
    old, new = aligned.old[finite], aligned.new[finite]
    apart = np.abs(new - old)
    beyond = apart > report.atol
    ratios = apart[beyond] / np.maximum(np.abs(old[beyond]), report.atol or 1e-300)
    pair.row = SeriesRow(
        pair.part,
        pair.name,
        pair.new_name,
        pair.where,
        len(aligned.common),
        float(apart.max(initial=0)),
        float(ratios.max(initial=0)),
        False,
        None,
        float(np.max(aligned.slack, initial=0)),
        (pair.old.steps, pair.old.values),
        (pair.new.steps, pair.new.values),
    )
    return pair.row


def _compare_vectors(pair: SeriesPair, aligned: _Aligned, report: Report) -> None:
    first, count, largest = None, 0, 0.0
    for step, old, new in zip(aligned.common, aligned.old, aligned.new, strict=True):
        differs, apart = _vectors_apart(pair.old.kind, old, new, report)
        largest = max(largest, apart)
        if differs:
            count += 1
            first = int(step) if first is None else first
    if first is None:
        return
    what = "count, range or energy" if pair.old.kind == "histogram" else "values"
    message = (
        f"{pair.label}: the {what} of the {pair.old.kind} differ from step {first} on, in "
        f"{count} of {len(aligned.common)} records, by up to {wording.number(largest)}"
    )
    pair.add("value", message, first, count=count, total=len(aligned.common), max_abs=largest)


def _vectors_apart(
    kind: str, old: np.ndarray, new: np.ndarray, report: Report
) -> tuple[bool, float]:
    """Whether two records differ, and the largest difference of an element."""
    if old.size != new.size and kind == "tensor":
        return True, 0.0
    # TF1's and TF2's histograms have count and range in common.
    size = min(old.size, new.size)
    delta = compare_arrays(old[:size], new[:size], report.rtol, report.atol)
    return bool(delta.outside), delta.max_abs


def _compare_texts(pair: SeriesPair, aligned: _Aligned) -> None:
    differing = np.flatnonzero(aligned.old != aligned.new)
    if not differing.size:
        return
    at = int(differing[0])
    step, old, new = int(aligned.common[at]), aligned.old[at], aligned.new[at]
    steps = wording.steps(aligned.common[differing])
    message = (
        f"{pair.label}: the {pair.old.kind} differs at step {steps}: "
        f"{wording.value(old)} in OLD, {wording.value(new)} in NEW"
    )
    pair.add(
        "text", message, step, count=int(differing.size), total=len(aligned.common),
        old=old, new=new,
    )  # fmt: skip


def same_series(old: Series, new: Series, report: Report) -> Target | None:
    """Whether a series is found again under another name, perhaps at other steps.

    Args:
      old: A series only OLD has.
      new: A series only NEW has.
      report: Gives the tolerances.

    Returns:
      How NEW's steps translate to OLD's (without a name), or None if it isn't the same.
    """
    one, at = old.last_of_each_step()
    other, new_at = new.last_of_each_step()
    if old.kind != new.kind or len(one) != len(other):
        return None
    # Among many series most are told apart by their first value.
    if old.numeric and _apart(old.values[at[:1]], new.values[new_at[:1]], 0.0, report).any():
        return None
    first, second = old.values[at], new.values[new_at]
    if old.numeric:
        if _apart(first, second, 0.0, report).any():
            return None
        if np.array_equal(one, other):
            return Target("")
        # Two records determine any line; a constant fits every other constant.
        if len(one) < 3 or (first == first[0]).all():
            return None
        factor = round((one[-1] - one[0]) / (other[-1] - other[0]))
        target = Target("", int(factor), int(one[0] - other[0] * factor))
        return target if np.array_equal(other * factor + target.offset, one) else None
    if not np.array_equal(one, other) or old.kind in ("histogram", "tensor"):
        return None
    return Target("") if len(one) and (first == second).all() else None


def are_swapped(first: SeriesPair, second: SeriesPair, report: Report) -> bool:
    """Whether two series that differ have exchanged their values."""
    if not (first.old.numeric and second.old.numeric):
        return False
    return same_series(first.old, second.new, report) == Target("") and same_series(
        second.old, first.new, report
    ) == Target("")
