"""`compare`: two runs in, one report out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from compat.verify.names import NameMap
from compat.verify.parts import PARTS
from compat.verify.report import Difference, Report
from compat.verify.runs import Run, find

Progress = Callable[[str, int, int], None]


def compare(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    rtol: float = 1e-5,
    atol: float = 1e-6,
    name_map: Any = None,
    *,
    only: Iterable[str] = PARTS,
    ignore: Iterable[str] = (),
    progress: Progress | None = None,
) -> Report:
    """Compares two runs from the files they left.

    Numbers are equal if `|new - old| <= atol + rtol * |old|`; integers, booleans and
    strings must be the same.

    Args:
      old: The reference: a run's directory, a checkpoint, event file, timeline or log.
      new: The other run.
      rtol: Relative tolerance.
      atol: Absolute tolerance.
      name_map: What OLD's names are called in NEW: a dict, or a path to JSON; see
        `compat.verify.names`.
      only: Parts to compare: `checkpoints`, `events`, `logs`, `timelines`.
      ignore: Patterns of names that are left out, besides those of the map.
      progress: Called with a text, what is done, and how much there is.

    Returns:
      The report.

    Raises:
      FileNotFoundError: If a path doesn't exist.
      ValueError: If a tolerance, a part or the map is not valid.

    Example:
      report = compat.verify.compare("old_run", "new_run", rtol=1e-4)
      assert report.equal, report.to_text()
    """
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise ValueError(f"{name} is a number of at least 0; got {value!r}")
    parts = list(only)
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        raise ValueError(f"unknown part; got {unknown[0]!r}. The parts are {', '.join(PARTS)}")
    names = NameMap.load(name_map, ignore)
    report = Report(os.fspath(old), os.fspath(new), rtol, atol)
    first, second = find(report.old), find(report.new)
    for part in PARTS:
        if part in parts:
            _compare_part(part, first, second, names, report, progress or _silent)
    if names.ignore:
        report.notes.append(f"not compared, as asked: {', '.join(names.ignore)}")
    if report.suggested:
        report.suggested = names.with_pairs(report.suggested)
    report.reason = _reason(first, second, parts)
    report.sort()
    return report


def _silent(text: str, done: int, total: int) -> None:
    pass


def _compare_part(
    part: str, old: Run, new: Run, names: NameMap, report: Report, progress: Progress
) -> None:
    """Compares one part, importing what it needs: logs need no TensorFlow."""
    have = [part in run.holds() for run in (old, new)]
    if not any(have):
        return
    if not all(have):
        here, run = ("OLD", old) if have[0] else ("NEW", new)
        kind = "missing" if have[0] else "extra"
        message = f"only {here} has {part} ({_sample(getattr(run, part))})"
        report.differences.append(Difference(part, kind, part, message))
        return
    if part == "checkpoints":
        from compat.verify.checkpoint_diff import compare_checkpoints

        compare_checkpoints(old, new, names, report, progress)
    elif part == "events":
        from compat.verify.event_diff import compare_events

        compare_events(old, new, names, report, progress)
    elif part == "logs":
        from compat.verify.log_diff import compare_logs

        compare_logs(old, new, names, report)
    else:
        from compat.verify.timelines import compare_timelines

        compare_timelines(old, new, names, report)


def _sample(found: dict[str, Any]) -> str:
    names = [name or "its own directory" for name in found]
    return ", ".join(names[:3]) + ("…" if len(names) > 3 else "")


def _reason(old: Run, new: Run, parts: list[str]) -> str:
    held = [[part for part in run.holds() if part in parts] for run in (old, new)]
    for label, run, found in (("OLD", old, held[0]), ("NEW", new, held[1])):
        if not found:
            return f"{label} ({run.path}) has no {' and no '.join(parts)}"
    if not set(held[0]) & set(held[1]):
        return f"OLD has {', '.join(held[0])}, NEW has {', '.join(held[1])}"
    return "no checkpoint step, tag or logged name is in both runs"
