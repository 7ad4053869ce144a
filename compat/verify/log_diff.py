"""Compares the numbers that two runs logged, aligned by step."""

from __future__ import annotations

from compat.verify.event_diff import compare_tags
from compat.verify.logs import read_log
from compat.verify.names import NameMap, pair_places
from compat.verify.report import Difference, Report
from compat.verify.runs import Run


def compare_logs(old: Run, new: Run, names: NameMap, report: Report) -> None:
    """Compares all logs of two runs and adds what is found to the report.

    Numbers may be apart by the tolerance and what was lost when both were written with
    few digits. Logs without any number are left out.

    Args:
      old: The reference.
      new: The other run.
      names: The names map; its `logs` translate the logged names.
      report: Where to add to; its tolerances hold.
    """
    ones = {file: read_log(path) for file, path in old.logs.items()}
    others = {file: read_log(path) for file, path in new.logs.items()}
    ones = {file: found for file, found in ones.items() if found or file in others}
    others = {file: found for file, found in others.items() if found or file in ones}
    places, note = pair_places(ones, others, names.section("directories"))
    if note:
        report.notes.append(f"logs: {note}")
    for found, run, kind in ((places.missing, "OLD", "missing"), (places.extra, "NEW", "extra")):
        for file in found:
            message = f"the log {file} is only in {run}"
            report.differences.append(Difference("logs", kind, file, message, where=file))
    for one, other, _ in places.pairs:
        compare_tags("logs", "logs", one, ones[one], others[other], names, report)
