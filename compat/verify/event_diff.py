"""Compares the event files of two runs, directory by directory, tag by tag."""

from __future__ import annotations

from collections.abc import Callable

from compat.verify import wording
from compat.verify.events import CLOCK_NAME, read_events
from compat.verify.names import NameMap, pair, pair_places
from compat.verify.report import Difference, Report
from compat.verify.runs import Run
from compat.verify.series import Series
from compat.verify.series_diff import SeriesPair, are_swapped, compare_series, same_series

Progress = Callable[[str, int, int], None]


def compare_events(old: Run, new: Run, names: NameMap, report: Report, progress: Progress) -> None:
    """Compares all event files of two runs and adds what is found to the report.

    Args:
      old: The reference.
      new: The other run.
      names: The names map.
      report: Where to add to; its tolerances hold.
      progress: Called with a text, bytes read and bytes in all.
    """
    places, note = pair_places(old.events, new.events, names.section("directories"))
    if note:
        report.notes.append(f"events: {note}")
    for found, run, kind in ((places.missing, "OLD", "missing"), (places.extra, "NEW", "extra")):
        for place in found:
            message = f"only {run} has event files in {place or 'its own directory'}"
            report.differences.append(Difference("events", kind, place, message, where=place))
    for one, other, _ in places.pairs:
        first = read_events(old.events[one], progress)
        second = read_events(new.events[other], progress)
        for log, label in ((first, "OLD"), (second, "NEW")):
            for path, what in log.damaged:
                message = f"{path} in {label} is {what}"
                report.differences.append(Difference("events", "unreadable", path, message))
        report.count("events", "event records", first.records + second.records)
        before = len(report.differences)
        compare_tags("events", "tags", one, first.tags, second.tags, names, report)
        _blame_damage(report.differences[before:], bool(first.damaged), bool(second.damaged))


def _blame_damage(differences: list[Difference], old: bool, new: bool) -> None:
    """What is absent may lie behind the damage of a file: nobody can say it differs."""
    for damaged, label, kinds in (
        (old, "OLD", ("extra", "extra_steps")),
        (new, "NEW", ("missing", "missing_steps")),
    ):
        for item in differences:
            if damaged and item.kind in kinds:
                item.kind = "unreadable"
                item.message += f" (an event file of {label} is damaged)"


def compare_tags(
    part: str,
    section: str,
    where: str,
    old: dict[str, Series],
    new: dict[str, Series],
    names: NameMap,
    report: Report,
) -> None:
    """Compares named series of one directory or file.

    Args:
      part: `events` or `logs`.
      section: The section of the names map that speaks of them.
      where: The directory or file, relative to the run.
      old: Name -> series of OLD.
      new: Name -> series of NEW.
      names: The names map.
      report: Where to add to.
    """
    mapping = names.section(section)
    clocks = sorted({n for n in (*old, *new) if CLOCK_NAME.search(n)})
    if clocks:
        shown = ", ".join(clocks)
        report.notes.append(f"{part}{wording.place(where)}: speeds are not compared ({shown})")
    kept = [{n: s for n, s in side.items() if _counts(n, names)} for side in (old, new)]
    found = pair(kept[0], kept[1], mapping)
    pairs = []
    for one, other, _ in found.pairs:
        target = mapping.get(one)
        series = kept[1][other]
        if target is not None and target.name == other:
            series = series.moved(target.scale, target.offset)
        pairs.append(SeriesPair(part, where, one, other, kept[0][one], series))
    for both in pairs:
        compare_series(both, report)
        report.count(part, "pairs")
        report.count(part, "tags" if part == "events" else "logged series")
        if both.row is not None:
            report.series.append(both.row)
    _merge_swapped(pairs, report)
    for both in pairs:
        report.differences += both.differences
    _report_unpaired(part, section, where, kept, found.missing, found.extra, report)


def _counts(name: str, names: NameMap) -> bool:
    return not CLOCK_NAME.search(name) and not names.ignores(name)


def _merge_swapped(pairs: list[SeriesPair], report: Report) -> None:
    """Two series that exchanged their values are one difference, not two."""
    departing = [p for p in pairs if p.row is not None and p.row.departs]
    taken: set[str] = set()
    for i, first in enumerate(departing):
        for second in departing[i + 1 :]:
            if {first.name, second.name} & taken or not are_swapped(first, second, report):
                continue
            taken |= {first.name, second.name}
            assert first.row is not None
            step, size = first.row.first_step, first.row.max_abs
            for both in (first, second):
                both.differences = [d for d in both.differences if d.kind == "duplicate"]
            message = (
                f"{first.label} and {second.name} have exchanged their values in NEW "
                f"from step {step} on"
            )
            first.add("swapped", message, step, max_abs=size)
            first.differences[-1].new_name = second.new_name


def _report_unpaired(
    part: str,
    section: str,
    where: str,
    kept: list[dict[str, Series]],
    missing: list[str],
    extra: list[str],
    report: Report,
) -> None:
    left = list(extra)
    for name in missing:
        series = kept[0][name]
        word = "tag" if part == "events" else "logged"
        for other in left:
            target = same_series(series, kept[1][other], report)
            if target is None:
                continue
            left.remove(other)
            moved = (target.scale, target.offset) != (1, 0)
            fields = {"name": other, "scale": target.scale, "offset": target.offset}
            report.suggested.setdefault(section, {})[name] = fields if moved else other
            factor = "" if target.scale == 1 else f"{target.scale} * "
            steps = f", at {factor}NEW's step {target.offset:+}" if moved else ""
            message = (
                f"{word} {name} of OLD is named {other} in NEW{wording.place(where)}: "
                f"the same values{steps}"
            )
            report.differences.append(
                Difference(part, "renamed", name, message, None, where, other)
            )
            report.count(part, "pairs")
            break
        else:
            report.differences.append(_only(part, "missing", name, series, where))
    for name in left:
        report.differences.append(_only(part, "extra", name, kept[1][name], where))


def _only(part: str, kind: str, name: str, series: Series, where: str) -> Difference:
    run = "OLD" if kind == "missing" else "NEW"
    step = int(series.steps.min()) if len(series.steps) else None
    what = {"events": f"{series.kind} tag", "logs": "logged"}[part]
    if series.kind in ("graph", "run metadata"):
        what, step = "the", None if series.kind == "graph" else step
    count = "" if step is None else f" ({wording.plural(len(series.steps), 'record')})"
    message = f"{what} {name}{wording.place(where)} is only in {run}{count}"
    return Difference(part, kind, name, message, step, where)
