"""Compares the checkpoints of two runs: every step both have, one variable at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from compat.verify import wording
from compat.verify.checkpoint_findings import (
    Departure,
    Family,
    Variable,
    at_step,
    conclude,
    other_name,
)
from compat.verify.checkpoint_steps import PART, Pair, pair_steps
from compat.verify.checkpoints import Checkpoint, UnreadableError, opened
from compat.verify.explain import explain, is_transposed
from compat.verify.fingerprints import Fingerprint, same_values
from compat.verify.names import NameMap, Pairing, pair, pair_places
from compat.verify.report import Difference, Report, VariableRow
from compat.verify.runs import Run
from compat.verify.values import compare_arrays

#: Counts saves; runs that save by name have none.
_BOOKKEEPING = "save_counter"

Progress = Callable[[str, int, int], None]


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
        pairs = pair_steps(old, new, one, other, report)
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


def _compare_family(
    place: str, pairs: list[Pair], names: NameMap, report: Report, progress: Progress
) -> None:
    family = Family(place)
    family.suggested = _suggest(pairs[-1], names, report)
    for done, (step, one, other) in enumerate(pairs):

        def show(name: str, number: int, count: int, step=step, done=done) -> None:
            label = f"{place or 'checkpoint'}{at_step(step)}: {name}"
            progress(label, done * count + number, len(pairs) * count)

        try:
            with opened(one) as old, opened(other) as new:
                _compare_pair(family, step, old, new, names, report, show)
        except UnreadableError as error:
            report.differences.append(
                Difference(PART, "unreadable", place, str(error), step, place)
            )
    conclude(family, pairs, report)


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
    family: Family,
    step: int | None,
    old: Checkpoint,
    new: Checkpoint,
    names: NameMap,
    report: Report,
    progress: Progress,
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
    for number, (one, other, how) in enumerate(found.pairs, 1):
        progress(one, number, len(found.pairs))
        try:
            first, second = old.read(one), new.read(other)
        except UnreadableError as error:
            family.unreadable.setdefault(str(error), []).append(one)
            continue
        row = VariableRow(one, other, how, family.place, first.shape, old.variables[one][1])
        variable = family.variables.setdefault(one, Variable(row))
        _compare_variable(variable, step, first, second, new.variables[other][1], report)


def _compare_variable(
    variable: Variable,
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
        variable.departure = Departure(
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
        f"{at_step(step)}{more}"
    )
    return Difference(
        PART,
        kind,
        row.name,
        message,
        step,
        row.where,
        other_name(row),
        old=old.shape,
        new=new.shape,
    )


def _types_differ(row: VariableRow, step: int | None, new_dtype: str, report: Report) -> None:
    message = f"variable {row.name} is {row.dtype} in OLD and {new_dtype} in NEW"
    if row.how != "exact" and row.dtype.startswith("int") and new_dtype.startswith("int"):
        # Keras and TF1 count steps in integers of different width; the values are compared.
        report.notes.append(f"{message} ({row.new_name}); compared by value")
        return
    report.differences.append(
        Difference(
            PART, "dtype", row.name, message, step, row.where, other_name(row),
            old=row.dtype, new=new_dtype,
        )
    )  # fmt: skip
