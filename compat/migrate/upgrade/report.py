"""What `compat upgrade` prints: the diff, and what was left to a person."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from compat.migrate.upgrade.engine import Line, Outcome
from compat.migrate.upgrade.registry import all_fixers


def diff(outcome: Outcome) -> str:
    """A unified diff of one file; empty if nothing changes."""
    if not outcome.changed:
        return ""
    old = outcome.old.decode("utf-8", "replace").splitlines(keepends=True)
    new = outcome.new.decode("utf-8", "replace").splitlines(keepends=True)
    name = outcome.path.as_posix()
    lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    missing = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + missing for line in lines)


def text(outcomes: Sequence[Outcome], written: bool) -> str:
    """The report for people.

    Args:
      outcomes: What became of each file.
      written: Whether the files were changed.

    Returns:
      The text.
    """
    return "\n".join([*_left(outcomes), *_errors(outcomes), *_summary(outcomes, written)]) + "\n"


def _place(outcome: Outcome, line: Line) -> str:
    cell = f"cell {line.cell}:" if line.cell is not None else ""
    return f"{outcome.path}:{cell}{line.line}"


def _left(outcomes: Sequence[Outcome]) -> Iterator[str]:
    if any(outcome.left for outcome in outcomes):
        yield "left to you:"
    for outcome in outcomes:
        for line in outcome.left:
            yield f"  {_place(outcome, line)}  {line.code} {line.text}"


def _errors(outcomes: Sequence[Outcome]) -> Iterator[str]:
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    if failed:
        yield "not touched:"
    for outcome in failed:
        assert outcome.error is not None
        code, line, what = outcome.error
        yield f"  {outcome.path}:{line}  {code} {what}"


def _summary(outcomes: Sequence[Outcome], written: bool) -> Iterator[str]:
    titles = {fixer.code: fixer.title for fixer in all_fixers()}
    totals = Counter(line.code for outcome in outcomes for line in outcome.applied)
    changed = sum(outcome.changed for outcome in outcomes)
    verb = "changed" if written else "would change"
    yield f"{changed} of {len(outcomes)} file{'s' * (len(outcomes) != 1)} {verb}"
    for code, count in sorted(totals.items()):
        yield f"  {count:>6}  {code} {titles[code]}"
    left = sum(len(outcome.left) for outcome in outcomes)
    if left:
        yield f"  {left:>6}  left to you"


def as_json(outcomes: Sequence[Outcome], written: bool) -> str:
    """The report for programs.

    Args:
      outcomes: What became of each file.
      written: Whether the files were changed.

    Returns:
      One JSON object.
    """
    content = {
        "version": 1,
        "written": written,
        "files": [_file(outcome) for outcome in outcomes],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _file(outcome: Outcome) -> dict[str, Any]:
    error = outcome.error
    return {
        "path": outcome.path.as_posix(),
        "changed": outcome.changed,
        "applied": [_line(line) for line in outcome.applied],
        "left": [{**_line(line), "text": line.text} for line in outcome.left],
        "error": None if error is None else {"code": error[0], "line": error[1], "text": error[2]},
        "diff": diff(outcome),
    }


def _line(line: Line) -> dict[str, Any]:
    return {"cell": line.cell, "line": line.line, "code": line.code}
