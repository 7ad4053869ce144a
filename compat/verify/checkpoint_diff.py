"""Compares the checkpoints of two runs: every step both have, one variable at a time.

Checkpoints whose files are named alike are paired by the number in their names, others
by the step stored in them (TF1's `global_step`, an optimizer's iterations), so that
`model.ckpt-600` meets `epoch_3.weights.h5` saved after 600 batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from compat.verify import wording
from compat.verify.checkpoints import Checkpoint, UnreadableError, opened
from compat.verify.explain import explain, is_transposed
from compat.verify.fingerprints import Fingerprint, same_values, similarity
from compat.verify.names import NameMap, Pairing, pair, pair_places
from compat.verify.report import Difference, Report, VariableRow
from compat.verify.runs import CheckpointFile, Run
from compat.verify.values import Delta, compare_arrays

PART = "checkpoints"
#: Counts saves; runs that save by name have none.
_BOOKKEEPING = "save_counter"

Progress = Callable[[str, int, int], None]
Pair = tuple[int | None, CheckpointFile, CheckpointFile]


@dataclass
class _Departure:
    """The first checkpoint at which a variable is outside the tolerance."""

    step: int | None
    delta: Delta
    shape: tuple[int, ...]
    cause: tuple[str, str] | None
    old: Fingerprint
    new: Fingerprint


@dataclass
class _Variable:
    row: VariableRow
    departure: _Departure | None = None
    worst_step: int | None = None
    retyped: bool = False


@dataclass
class _Family:
    """One series of checkpoints that both runs have, while it is compared."""

    place: str
    variables: dict[str, _Variable] = field(default_factory=dict)
    reshaped: set[str] = field(default_factory=set)
    absent: dict[tuple[str, str], list[int | None]] = field(default_factory=dict)
    unreadable: dict[str, list[str]] = field(default_factory=dict)
    suggested: list[tuple[str, str]] = field(default_factory=list)


def compare_checkpoints(
    old: Run, new: Run, names: NameMap, report: Report, progress: Progress
) -> None:
    """Compares all checkpoints of two runs and adds what is found to the report.

    Args:
      old: The reference.
      new: The other run.
      names: The names map.
      report: Where to add to; its tolerances hold.
      progress: Called with a text, what is done, and how much there is.
    """
    for run, label in ((old, "OLD"), (new, "NEW")):
        _report_damage(run, label, report)
    places, note = pair_places(old.checkpoints, new.checkpoints, names.section("directories"))
    if note:
        report.notes.append(f"checkpoints: {note}")
    for family, run, kind in _unpaired(places, old, new):
        where = "OLD" if kind == "missing" else "NEW"
        count = wording.plural(len(run.checkpoints[family]), "checkpoint")
        message = f"only {where} has checkpoints named {family} ({count})"
        report.differences.append(Difference(PART, kind, family, message, where=family))
    for one, other, _ in places.pairs:
        pairs = _pair_steps(old, new, one, other, report)
        if pairs:
            _compare_family(one, pairs, names, report, progress)


def _report_damage(run: Run, label: str, report: Report) -> None:
    for file, what in run.damaged:
        message = f"{file} in {label} is {what}"
        report.differences.append(Difference(PART, "unreadable", file, message))
    for files in run.checkpoints.values():
        for checkpoint in files:
            for lost in checkpoint.missing:
                message = f"the data file {lost} is missing in {label}"
                difference = Difference(
                    PART, "unreadable", lost, message, step=checkpoint.number, where=label
                )
                report.differences.append(difference)


def _unpaired(places: Pairing, old: Run, new: Run) -> Iterable[tuple[str, Run, str]]:
    for family in places.missing:
        yield family, old, "missing"
    for family in places.extra:
        yield family, new, "extra"


def _pair_steps(old: Run, new: Run, one: str, other: str, report: Report) -> list[Pair]:
    """Puts the checkpoints of two families together by step; reports the others."""
    ones, others = old.checkpoints[one], new.checkpoints[other]
    single = old.single and new.single and len(ones) == len(others) == 1
    if single or (len(ones) == len(others) == 1 and ones[0].number == others[0].number is None):
        return [(_stored_step(ones[0]), ones[0], others[0])]
    by_number = one == other or (_form(ones) == _form(others) == "v2" and not old.single)
    if not _numbered(ones, others):
        by_number = False
    first = _by_step(ones, by_number, "OLD", report)
    second = _by_step(others, by_number, "NEW", report)
    common = sorted(set(first) & set(second))
    for kind, label, have, lack in (
        ("missing_steps", "NEW", first, second),
        ("extra_steps", "OLD", second, first),
    ):
        lost = sorted(set(have) - set(lack))
        if lost:
            end = f"; {label} ends at step {max(lack)}" if lack and lost[-1] > max(lack) else ""
            message = f"{label} has no checkpoint {one} of step {wording.steps(lost)}{end}"
            report.differences.append(
                Difference(PART, kind, one, message, lost[0], one, count=len(lost))
            )
    return [(step, first[step], second[step]) for step in common]


def _form(files: list[CheckpointFile]) -> str:
    return files[0].form


def _numbered(ones: list[CheckpointFile], others: list[CheckpointFile]) -> bool:
    return all(file.number is not None for files in (ones, others) for file in files)


def _by_step(
    files: list[CheckpointFile], by_number: bool, label: str, report: Report
) -> dict[int, CheckpointFile]:
    found = {}
    for file in files:
        step = file.number if by_number else _stored_step(file)
        if step is None:
            step = file.number if file.number is not None else -1
        if step in found:
            report.notes.append(f"{label} has two checkpoints of step {step}; {file.path} counts")
        found[step] = file
    return found


def _stored_step(file: CheckpointFile) -> int | None:
    try:
        with opened(file) as checkpoint:
            return checkpoint.step
    except UnreadableError:
        return file.number


def _compare_family(
    place: str, pairs: list[Pair], names: NameMap, report: Report, progress: Progress
) -> None:
    family = _Family(place)
    family.suggested = _suggest(pairs[-1], names, report)
    for done, (step, one, other) in enumerate(pairs):
        progress(f"{place or 'checkpoint'} {'' if step is None else step}", done, len(pairs))
        try:
            with opened(one) as old, opened(other) as new:
                _compare_pair(family, step, old, new, names, report)
        except UnreadableError as error:
            report.differences.append(
                Difference(PART, "unreadable", place, str(error), step, place)
            )
    progress(place or "checkpoint", len(pairs), len(pairs))
    _conclude(family, pairs, report)


def _names(checkpoint: Checkpoint, other: Checkpoint, names: NameMap) -> list[str]:
    return [
        name
        for name in checkpoint.variables
        if not names.ignores(name) and (name != _BOOKKEEPING or name in other.variables)
    ]


def _pair_names(old: Checkpoint, new: Checkpoint, names: NameMap) -> Pairing:
    return pair(
        _names(old, new, names),
        _names(new, old, names),
        names.section("variables"),
        old.recorded,
        new.recorded,
    )


def _suggest(last: Pair, names: NameMap, report: Report) -> list[tuple[str, str]]:
    """Variables under other names, recognized at the last step, where values differ most."""
    _, one, other = last
    try:
        with opened(one) as old, opened(other) as new:
            left = _pair_names(old, new, names)
            if not left.missing or not left.extra:
                return []
            return same_values(
                _fingerprints(old, left.missing),
                _fingerprints(new, left.extra),
                report.rtol,
                report.atol,
            )
    except UnreadableError:
        return []


def _fingerprints(checkpoint: Checkpoint, names: list[str]) -> dict[str, Fingerprint]:
    found = {}
    for name in names:
        try:
            found[name] = Fingerprint.of(checkpoint.read(name))
        except UnreadableError:
            continue
    return found


def _compare_pair(
    family: _Family,
    step: int | None,
    old: Checkpoint,
    new: Checkpoint,
    names: NameMap,
    report: Report,
) -> None:
    found = _pair_names(old, new, names)
    for one, other in family.suggested:
        if one in found.missing and other in found.extra:
            found.pairs.append((one, other, "suggested"))
            found.missing.remove(one)
            found.extra.remove(other)
    report.count(PART, "checkpoints")
    for name in found.missing:
        family.absent.setdefault((name, "missing"), []).append(step)
    for name in found.extra:
        family.absent.setdefault((name, "extra"), []).append(step)
    for one, other, how in found.pairs:
        try:
            first, second = old.read(one), new.read(other)
        except UnreadableError as error:
            family.unreadable.setdefault(str(error), []).append(one)
            continue
        row = VariableRow(one, other, how, family.place, first.shape, old.variables[one][1])
        variable = family.variables.setdefault(one, _Variable(row))
        _compare_variable(variable, step, first, second, new.variables[other][1], report)


def _compare_variable(
    variable: _Variable,
    step: int | None,
    old: np.ndarray,
    new: np.ndarray,
    new_dtype: str,
    report: Report,
) -> None:
    row = variable.row
    row.steps += 1
    report.count(PART, "pairs")
    report.count(PART, "values", old.size)
    if old.shape != new.shape:
        if not row.departs:
            row.departs, row.first_step = True, step
            report.differences.append(_shapes_differ(row, step, old, new, report))
        return
    if row.dtype != new_dtype and not variable.retyped:
        variable.retyped = True
        _types_differ(row, step, new_dtype, report)
    delta = compare_arrays(old, new, report.rtol, report.atol)
    if delta.max_abs > row.max_abs:
        row.max_abs, variable.worst_step = delta.max_abs, step
    row.max_rel = max(row.max_rel, delta.max_rel)
    if delta.outside and variable.departure is None:
        row.departs, row.first_step = True, step
        variable.departure = _Departure(
            step,
            delta,
            old.shape,
            explain(old, new, report.rtol, report.atol),
            Fingerprint.of(old),
            Fingerprint.of(new),
        )


def _shapes_differ(
    row: VariableRow, step: int | None, old: np.ndarray, new: np.ndarray, report: Report
) -> Difference:
    kind, more = "shape", ""
    if is_transposed(old, new, report.rtol, report.atol):
        kind, more = "transposed", "; the values are equal with the axes reversed"
    message = (
        f"variable {row.name} has shape {list(old.shape)} in OLD and {list(new.shape)} in NEW"
        f"{_at(step)}{more}"
    )
    return Difference(
        PART, kind, row.name, message, step, row.where, _other(row), old=old.shape, new=new.shape
    )


def _types_differ(row: VariableRow, step: int | None, new_dtype: str, report: Report) -> None:
    message = f"variable {row.name} is {row.dtype} in OLD and {new_dtype} in NEW"
    if row.how != "exact" and row.dtype.startswith("int") and new_dtype.startswith("int"):
        # Keras and TF1 count steps in integers of different width; the values are compared.
        report.notes.append(f"{message} ({row.new_name}); compared by value")
        return
    report.differences.append(
        Difference(
            PART, "dtype", row.name, message, step, row.where, _other(row),
            old=row.dtype, new=new_dtype,
        )
    )  # fmt: skip


def _conclude(family: _Family, pairs: list[Pair], report: Report) -> None:
    report.variables += [variable.row for variable in family.variables.values()]
    report.count(PART, "variables", len(family.variables))
    for error, names in family.unreadable.items():
        count = wording.plural(len(set(names)), "variable")
        message = f"{error}: {count} not compared ({', '.join(sorted(set(names))[:4])}…)"
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


def _conclude_names(family: _Family, report: Report) -> None:
    for one, other in family.suggested:
        if one not in family.variables:
            continue
        row = family.variables[one].row
        message = f"variable {one} of OLD is named {other} in NEW: the same shape and values"
        if row.departs:
            message += f" at the last step, not yet{_at(row.first_step)}"
        report.differences.append(
            Difference(PART, "renamed", one, message, None, family.place, other)
        )
    extra = [name for name, kind in family.absent if kind == "extra"]
    for (name, kind), steps in family.absent.items():
        run = "OLD" if kind == "missing" else "NEW"
        message = f"variable {name} is only in {run}{_at(steps[0])}"
        alike = max(extra, key=lambda n: similarity(n, name), default=None)
        if kind == "missing" and alike and similarity(alike, name) > 0.6:
            message += f" (is it {alike} in NEW? the values differ)"
        report.differences.append(Difference(PART, kind, name, message, steps[0], family.place))


def _departure(variable: _Variable) -> Difference:
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
    message = f"variable {row.name} {size}{_at(step)}: {values}{wording.index(position)}"
    if reason:
        message += f"; {reason}"
    if variable.worst_step != step and row.max_abs > delta.max_abs:
        message += f"; by {wording.number(row.max_abs)} at step {variable.worst_step}"
    return Difference(
        PART, kind, row.name, message, step, row.where, _other(row),
        count=delta.outside, total=delta.size, max_abs=delta.max_abs, max_rel=delta.max_rel,
        index=position, old=delta.old, new=delta.new,
    )  # fmt: skip


def _swapped(departing: list[_Variable], report: Report) -> list[tuple[_Variable, _Variable]]:
    found, taken = [], set()
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


def _swap(first: _Variable, second: _Variable) -> Difference:
    a, b = first.row, second.row
    message = (
        f"variables {a.name} and {b.name} have exchanged their values in NEW{_at(a.first_step)}"
    )
    return Difference(
        PART, "swapped", a.name, message, a.first_step, a.where, b.new_name,
        max_abs=max(a.max_abs, b.max_abs),
    )  # fmt: skip


def _find_lag(departing: list[_Variable], pairs: list[Pair], report: Report) -> None:
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


def _find_causes(departing: list[_Variable], pairs: list[Pair], report: Report) -> None:
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
            f"{wording.plural(len(redrawn), 'variable')} already differ{_at(first)}, the first "
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


def _at(step: int | None) -> str:
    return "" if step is None else f" at step {step}"


def _other(row: VariableRow) -> str | None:
    return None if row.new_name == row.name else row.new_name
