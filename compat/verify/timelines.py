"""Compares Chrome traces of steps: which ops ran how often, and where the time went.

Reads TF1's `timeline-<step>.json` and the traces of `tf.profiler` alike. Ops and their
counts are compared; times are put side by side, for they differ between any two runs.
"""

from __future__ import annotations

import collections
import gzip
import json
import re
from dataclasses import dataclass, field
from typing import Any

from compat.verify import wording
from compat.verify.names import NameMap, pair, pair_places
from compat.verify.report import Difference, Report, ShareRow
from compat.verify.runs import Run

_PART = "timelines"


@dataclass
class _Trace:
    """The ops of one trace.

    Attributes:
      types: Op name -> op type.
      counts: Op name -> how often it ran.
      times: Op type -> microseconds in all.
    """

    types: dict[str, str] = field(default_factory=dict)
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    times: collections.Counter[str] = field(default_factory=collections.Counter)


def compare_timelines(old: Run, new: Run, names: NameMap, report: Report) -> None:
    """Compares all timelines of two runs and adds what is found to the report.

    Args:
      old: The reference.
      new: The other run.
      names: The names map; its `ops` translate op names.
      report: Where to add to.
    """
    places, note = pair_places(old.timelines, new.timelines, names.section("directories"))
    if note:
        report.notes.append(f"timelines: {note}")
    for found, run, kind in ((places.missing, "OLD", "missing"), (places.extra, "NEW", "extra")):
        for file in found:
            message = f"the timeline {file} is only in {run}"
            report.differences.append(Difference(_PART, kind, file, message, where=file))
    for one, other, _ in places.pairs:
        try:
            first, second = _read(old.timelines[one]), _read(new.timelines[other])
        except (OSError, EOFError, ValueError) as error:
            report.differences.append(Difference(_PART, "unreadable", one, str(error), where=one))
            continue
        _compare(one, first, second, names, report)


def _read(path: str) -> _Trace:
    opener: Any = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as stream:
        try:
            events = json.load(stream)["traceEvents"]
        except (ValueError, KeyError, TypeError, EOFError) as error:
            raise ValueError(f"{path} is no complete timeline: {error}") from None
    trace = _Trace()
    for event in events:
        if not isinstance(event, dict) or event.get("ph") != "X":
            continue
        found = _op(event)
        if found:
            name, kind = found
            trace.types[name] = kind
            trace.counts[name] += 1
            trace.times[kind] += event.get("dur", 0)
    return trace


def _op(event: dict[str, Any]) -> tuple[str, str] | None:
    """Name and type of the op that an event times, None if it times something else."""
    args = event.get("args") or {}
    if "op" in args and "name" in args:
        name, kind = str(args["name"]), str(args["op"])
        # A full trace times ops a second time, as `name:Type` of an unknown op.
        return None if kind == "unknown" and _split(name) else (name, kind)
    return _split(str(args.get("long_name") or event.get("name", "")))


def _split(text: str) -> tuple[str, str] | None:
    """Name and type from the `name:Type` under which the profiler records an op."""
    name, _, kind = text.rpartition(":")
    if name and name[-1] != ":" and " " not in name and re.match(r"_?[A-Z]\w*$", kind):
        return name, kind
    return None


def _compare(place: str, old: _Trace, new: _Trace, names: NameMap, report: Report) -> None:
    ones, others = ([n for n in t.counts if not names.ignores(n)] for t in (old, new))
    found = pair(ones, others, names.section("ops"))
    report.count(_PART, "timelines")
    report.count(_PART, "pairs", len(found.pairs))
    report.count(_PART, "ops", len(found.pairs))
    for kind, left, trace, run in (
        ("missing", found.missing, old, "OLD"),
        ("extra", found.extra, new, "NEW"),
    ):
        for name in left:
            message = (
                f"op {name} ({trace.types[name]}) is only in {run}{wording.place(place)}, "
                f"{wording.plural(trace.counts[name], 'time')}"
            )
            report.differences.append(
                Difference(_PART, kind, name, message, where=place, count=trace.counts[name])
            )
    for one, other, _ in found.pairs:
        before, after = old.counts[one], new.counts[other]
        if old.types[one] != new.types[other]:
            message = (
                f"op {one}{wording.place(place)} is a {old.types[one]} in OLD and a "
                f"{new.types[other]} in NEW"
            )
            report.differences.append(Difference(_PART, "dtype", one, message, where=place))
        if before != after:
            message = (
                f"op {one} ({old.types[one]}) ran {wording.plural(before, 'time')} in OLD and "
                f"{wording.plural(after, 'time')} in NEW{wording.place(place)}"
            )
            report.differences.append(
                Difference(_PART, "count", one, message, where=place, old=before, new=after)
            )
    report.shares += _shares(place, old, new)


def _shares(place: str, old: _Trace, new: _Trace) -> list[ShareRow]:
    counts: list[collections.Counter[str]] = []
    for trace in (old, new):
        by_type: collections.Counter[str] = collections.Counter()
        for name, count in trace.counts.items():
            by_type[trace.types[name]] += count
        counts.append(by_type)
    totals = [sum(trace.times.values()) or 1 for trace in (old, new)]
    rows = [
        ShareRow(
            place,
            kind,
            counts[0][kind],
            counts[1][kind],
            old.times[kind] / totals[0],
            new.times[kind] / totals[1],
        )
        for kind in {*counts[0], *counts[1]}
    ]
    return sorted(rows, key=lambda row: (-max(row.old_share, row.new_share), row.op))
