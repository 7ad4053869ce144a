"""Turns what a series of checkpoints showed into differences with their probable causes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from compat.verify import wording
from compat.verify.checkpoint_steps import PART, Pair
from compat.verify.checkpoints import UnreadableError, opened
from compat.verify.fingerprints import Fingerprint, similarity
from compat.verify.report import Difference, Report, VariableRow
from compat.verify.values import Delta


@dataclass
class Departure:
    """The first checkpoint at which a variable is outside the tolerance."""

    step: int | None
    delta: Delta
    shape: tuple[int, ...]
    cause: tuple[str, str] | None
    old: Fingerprint
    new: Fingerprint


@dataclass
class Variable:
    """A pair of variables while their checkpoints are compared."""

    row: VariableRow
    departure: Departure | None = None
    worst_step: int | None = None
    retyped: bool = False


@dataclass
class Family:
    """One series of checkpoints that both runs have, while it is compared."""

    place: str
    variables: dict[str, Variable] = field(default_factory=dict)
    reshaped: set[str] = field(default_factory=set)
    absent: dict[tuple[str, str], list[int | None]] = field(default_factory=dict)
    unreadable: dict[str, list[str]] = field(default_factory=dict)
    suggested: list[tuple[str, str]] = field(default_factory=list)


def conclude(family: Family, pairs: list[Pair], report: Report) -> None:
    """Adds all that was seen in a series of checkpoints to the report."""
    report.variables += [variable.row for variable in family.variables.values()]
    report.count(PART, "variables", len(family.variables))
    for error, names in family.unreadable.items():
        count = wording.plural(len(set(names)), "variable")
        shown = ", ".join(sorted(set(names))[:4]) + ("…" if len(set(names)) > 4 else "")
        message = f"{error}: {count} not compared ({shown})"
        report.differences.append(
            Difference(PART, "unreadable", family.place, message, None, family.place)
        )
    _conclude_names(family, report)
    departing = [v for v in family.variables.values() if v.departure]
    swapped = _swapped(departing, report)
    for first, second in swapped:
        report.differences.append(_swap(first, second))
    gone = {id(v) for both in swapped for v in both}
    for variable in departing:
        if id(variable) not in gone:
            report.differences.append(_departure(variable))
    _find_lag(departing, pairs, report)
    _find_causes(departing, pairs, report)


def _conclude_names(family: Family, report: Report) -> None:
    for one, other in family.suggested:
        if one not in family.variables:
            continue
        row = family.variables[one].row
        message = f"variable {one} of OLD is named {other} in NEW: the same shape and values"
        if row.departs:
            message = message.replace("the same shape and", "the same shape and nearly the same")
        report.suggested.setdefault("variables", {})[one] = other
        report.differences.append(
            Difference(PART, "renamed", one, message, None, family.place, other)
        )
    extra = [name for name, kind in family.absent if kind == "extra"]
    for (name, kind), steps in family.absent.items():
        run = "OLD" if kind == "missing" else "NEW"
        message = f"variable {name} is only in {run}{at_step(steps[0])}"
        alike = max(extra, key=lambda n: similarity(n, name), default=None)
        if kind == "missing" and alike and similarity(alike, name) > 0.6:
            message += f" (is it {alike} in NEW? the values differ)"
        report.differences.append(Difference(PART, kind, name, message, steps[0], family.place))


def _departure(variable: Variable) -> Difference:
    row, departure = variable.row, variable.departure
    assert departure is not None
    delta, step = departure.delta, departure.step
    kind, reason = departure.cause or ("value", "")
    position = None
    if delta.index is not None:
        position = tuple(int(i) for i in np.unravel_index(delta.index, departure.shape))
    values = f"{wording.value(delta.old)} in OLD, {wording.value(delta.new)} in NEW"
    share = f"{delta.outside:,} of {delta.size:,} elements"
    if row.dtype == "string":
        kind, size = "text", f"differs in {share}"
    elif delta.nonfinite:
        kind, size = "nonfinite", f"has NaN or infinities in one run, {share} differ"
    else:
        relative = f" (relative {wording.number(delta.max_rel)})"
        size = f"differs by {wording.number(delta.max_abs)}{relative}, {share}"
    message = f"variable {row.name} {size}{at_step(step)}: {values}{wording.index(position)}"
    if reason:
        message += f"; {reason}"
    if variable.worst_step != step and row.max_abs > delta.max_abs:
        message += f"; by {wording.number(row.max_abs)} at step {variable.worst_step}"
    return Difference(
        PART, kind, row.name, message, step, row.where, other_name(row),
        count=delta.outside, total=delta.size, max_abs=delta.max_abs, max_rel=delta.max_rel,
        index=position, old=delta.old, new=delta.new,
    )  # fmt: skip


def _swapped(departing: list[Variable], report: Report) -> list[tuple[Variable, Variable]]:
    found: list[tuple[Variable, Variable]] = []
    taken: set[int] = set()
    for i, first in enumerate(departing):
        for second in departing[i + 1 :]:
            a, b = first.departure, second.departure
            assert a is not None and b is not None
            if a.shape != b.shape or a.step != b.step or {id(first), id(second)} & taken:
                continue
            if a.old.matches(b.new, report.rtol, report.atol) and b.old.matches(
                a.new, report.rtol, report.atol
            ):
                found.append((first, second))
                taken |= {id(first), id(second)}
    return found


def _swap(first: Variable, second: Variable) -> Difference:
    a, b = first.row, second.row
    message = (
        f"variables {a.name} and {b.name} have exchanged their values in NEW{at_step(a.first_step)}"
    )
    return Difference(
        PART, "swapped", a.name, message, a.first_step, a.where, b.new_name,
        max_abs=max(a.max_abs, b.max_abs),
    )  # fmt: skip


def _find_lag(departing: list[Variable], pairs: list[Pair], report: Report) -> None:
    """Whether one run's checkpoints hold what the other's held one checkpoint before."""
    moving = [v for v in departing if v.departure and not v.departure.old.constant]
    if not moving or len(pairs) < 2:
        return
    row = moving[0].row
    old, new = [], []
    for _, one, other in pairs:
        try:
            with opened(one) as first, opened(other) as second:
                old.append(Fingerprint.of(first.read(row.name)))
                new.append(Fingerprint.of(second.read(row.new_name)))
        except (UnreadableError, KeyError):
            return
    start = next(i for i, (step, _, _) in enumerate(pairs) if step == row.first_step)
    for run, of, late, early in (("NEW", "OLD", new, old), ("OLD", "NEW", old, new)):
        checked = range(max(start, 1), len(pairs))
        if checked and all(
            early[i - 1].matches(late[i], report.rtol, report.atol) for i in checked
        ):
            step, before = pairs[checked[0]][0], pairs[checked[0] - 1][0]
            message = (
                f"{run}'s checkpoint of step {step} holds what {of}'s holds at step {before} "
                f"(seen in {row.name})"
            )
            report.differences.append(
                Difference(PART, "lag", row.where or row.name, message, step, row.where)
            )
            return


def _find_causes(departing: list[Variable], pairs: list[Pair], report: Report) -> None:
    causes = [v.departure.cause[0] for v in departing if v.departure and v.departure.cause]
    first = pairs[0][0]
    redrawn = [
        v.row.name
        for v in departing
        if v.departure and v.departure.cause and v.departure.cause[0] == "seed"
        and v.departure.step == first
    ]  # fmt: skip
    if redrawn:
        report.findings.append(
            f"{wording.plural(len(redrawn), 'variable')} already differ{at_step(first)}, the first "
            "checkpoint both have, with the same mean and spread: another seed or initializer?"
        )
    if causes.count("rounding") > 1:
        report.findings.append(
            f"{causes.count('rounding')} variables hold rounded values: was a shorter type "
            "used for training or for saving?"
        )
    if causes.count("scale") > 1:
        report.findings.append(
            f"{causes.count('scale')} variables differ by a constant factor: a sum in one run "
            "and a mean in the other, or another definition of an optimizer's slots?"
        )


def at_step(step: int | None) -> str:
    """` at step 20`, or nothing."""
    return "" if step is None else f" at step {step}"


def other_name(row: VariableRow) -> str | None:
    """The name in NEW if it is another one."""
    return None if row.new_name == row.name else row.new_name
