"""Reads the numbers out of logs: TF1's hooks, Estimator, Keras's progress, CSV files.

A number counts under the name written before it, at the step that its line names; Keras's
progress belongs to the epoch announced above it; other lines without a step count by their
place among those that log the same name. Speeds and times of day are left out.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator

from compat.verify.series import Series

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)"
#: `loss = 0.5`, `loss: 0.5`; what follows the number tells whether it is a speed.
_PAIR = re.compile(
    rf"([A-Za-z_][\w./%()@ -]*?)\s*(?:=\s*|:\s+)({_NUMBER})(?![\w:]|\.\w)\s*(\S*)", re.I
)
_STEP = re.compile(r"\b(?:global[_ ]?step|step|iter(?:ation)?)\b\s*[=:#]?\s*(\d+)(?!\.?\d)", re.I)
_EPOCH = re.compile(r"^\s*epoch\s+(\d+)(?:\s*/\s*\d+)?\s*$", re.I)
_EPOCH_INLINE = re.compile(r"\bepoch\b\s*[=:#]?\s*(\d+)", re.I)
_KERAS_LINE = re.compile(r"^\s*(\d+)/(\d+|Unknown)\b.*?\s-\s")
#: `INFO:tensorflow:`, `I1201 05:29:33.035443 8345 basic_session_run_hooks.py:260] `.
_PREFIX = re.compile(
    r"^(?:(?:DEBUG|INFO|WARNING|ERROR|FATAL):[\w.]+:|[DIWEF]\d{4} [\d:.]+ +\d+ \S+\] )"
)
#: What the runtime itself has to say; it differs by version.
_RUNTIME = re.compile(r"^(?:\d{4}-\d\d-\d\d [\d:.]+: [IWEF] |[IWEF]\d{4} .*\.cc:\d+\] )")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x08")
_CLOCK_AFTER = re.compile(r"^\(?(?:s|ms|us|sec|secs|seconds|min|[\w-]+/s(?:ec)?|[mu]?s/\w+)\b")
_CLOCK_NAME = re.compile(
    r"(/sec|per sec(ond)?|_per_sec(ond)?|\btime|\bETA|elapsed|duration)\s*$", re.I
)
_STEP_NAME = re.compile(r"^(global[_ ]?step|step|iter(ation)?|epoch)$", re.I)


def read_log(path: str) -> dict[str, Series]:
    """Reads one log.

    Args:
      path: A text file, or a CSV file with a column named `step` or `epoch`.

    Returns:
      Name -> its numbers.
    """
    series: dict[str, Series] = {}
    ordinals: dict[str, int] = {}
    rows = _csv_rows(path) if path.endswith(".csv") else _text_rows(path)
    for step, name, text in rows:
        if name not in series:
            series[name] = Series("scalar")
        if step is None:
            step = ordinals[name] = ordinals.get(name, -1) + 1
        series[name].add(step, float(text), path, _slack(text))
    for found in series.values():
        found.close()
    return series


def _slack(text: str) -> float:
    """Half a unit of the last digit written."""
    value = float(text)
    if not math.isfinite(value) or not re.search(r"[.eE]", text):
        return 0.0
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent or 0) - decimals)


def _csv_rows(path: str) -> Iterator[tuple[int | None, str, str]]:
    with open(path, newline="", encoding="utf-8", errors="replace") as stream:
        for row in csv.DictReader(stream):
            steps = [k for k in row if k and _STEP_NAME.match(k)]
            if not steps:
                return
            step = re.match(r"\d+", row[steps[0]] or "")
            for name, text in row.items():
                number = name and name != steps[0] and re.fullmatch(_NUMBER, text or "", re.I)
                if number and not _CLOCK_NAME.search(name):
                    yield int(step.group()) if step else None, name, text


def _text_rows(path: str) -> Iterator[tuple[int | None, str, str]]:
    epoch: int | None = None
    pending: list[tuple[int | None, str, str]] = []
    with open(path, encoding="utf-8", errors="replace", newline=None) as stream:
        for line in stream:
            if _RUNTIME.match(line):
                continue
            line = _PREFIX.sub("", _TERMINAL.sub("", line))
            begun = _EPOCH.match(line)
            if begun:
                yield from pending
                epoch, pending = int(begun.group(1)), []
            elif _KERAS_LINE.match(line):
                # A progress bar is drawn again and again: the last one has the epoch's means.
                bar = [(epoch, name, text) for name, text in _pairs(line.split(" - ", 1)[1])]
                pending = bar or pending
            else:
                yield from _line(line)
    yield from pending


def _line(line: str) -> Iterator[tuple[int | None, str, str]]:
    named = _STEP.search(line) or _EPOCH_INLINE.search(line)
    step = int(named.group(1)) if named else None
    for name, text in _pairs(line):
        if not _STEP_NAME.match(name):
            yield step, name, text


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    for match in _PAIR.finditer(line):
        name, text, after = match.groups()
        name = name.split(",")[-1].split(" - ")[-1].strip(" -(")
        quoted = line[match.start() - 1 : match.start()] == "`"  # Code in a warning.
        if not name or quoted or _CLOCK_AFTER.match(after) or _CLOCK_NAME.search(name):
            continue
        yield name, text
