"""What `verify` found: the differences, the verdict and the exit status.

The verdict is one of

* `equal`: everything that either run recorded was read, has its counterpart and agrees
  within the tolerance (exit status 0);
* `different`: something departs, is missing or is new (1);
* `incomplete`: what could be read agrees, but a file is damaged or missing, so that nobody
  can sign for all of it (1);
* `incomparable`: nothing at all could be compared (2).

The JSON form is one object:

| key | value |
| --- | --- |
| `schema` | version of this form, 1 |
| `verdict`, `exit_code`, `summary` | as above; the summary is one sentence |
| `old`, `new` | the paths, as given |
| `tolerance` | `rtol` and `atol` |
| `compared` | part -> what was compared -> how many |
| `differences` | in the order of training; the fields of `Difference` that are set |
| `findings`, `notes` | sentences: probable common causes; what was left out or paired otherwise |
| `variables` | one `VariableRow` a pair of variables |
| `series` | one `SeriesRow` a pair of curves, without the points |
| `timelines` | one `ShareRow` an op type |
| `suggested_map` | a names map (see `compat.verify.names`), empty if none is needed |

Steps are training steps; `null` where none applies. `step` is left out in that case.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from compat.verify import wording

#: The version of the JSON form; it changes when a field is renamed or removed.
SCHEMA = 1

#: Every kind of difference, and what it means.
KINDS = {
    "value": "numbers outside the tolerance",
    "nonfinite": "NaN or infinite in one run, another number in the other",
    "rounding": "the values of one run are those of the other, rounded to a shorter type",
    "scale": "the values of one run are those of the other times a constant",
    "transposed": "the same values with the axes reversed",
    "permuted": "the same values in another order",
    "seed": "other random numbers of the same kind: another seed or initializer",
    "text": "strings differ",
    "shape": "the shapes differ",
    "dtype": "the types differ",
    "missing": "only in OLD",
    "extra": "only in NEW",
    "renamed": "the same values under another name",
    "swapped": "two names have exchanged their values",
    "missing_steps": "steps that only OLD has",
    "extra_steps": "steps that only NEW has",
    "step_shift": "the same values, recorded a constant number of steps earlier or later",
    "lag": "at each step the value that the other run had one record before",
    "duplicate": "a step recorded more often in one run than in the other",
    "count": "the numbers of occurrences differ",
    "unreadable": "a damaged or missing file: part of a run could not be compared",
}

_EXIT = {"equal": 0, "different": 1, "incomplete": 1, "incomparable": 2}


@dataclass
class Difference:
    """One thing in which the runs differ.

    Attributes:
      part: `checkpoints`, `events`, `logs` or `timelines`.
      kind: A key of `KINDS`.
      name: The variable, tag, logged number, op or file, under its name in OLD if it has one.
      message: A sentence for people: what, where, by how much.
      step: The first training step at which it shows; None where steps don't apply.
      where: The directory (relative to the runs) or file it was found in.
      new_name: The name in NEW, where that is another one.
      count: How many elements or records are concerned.
      total: Out of how many.
      max_abs: Largest absolute difference.
      max_rel: Largest relative difference of what is more than `atol` apart.
      index: Position of the worst element in its array.
      old: The value in OLD there.
      new: The value in NEW there.
    """

    part: str
    kind: str
    name: str
    message: str
    step: int | None = None
    where: str = ""
    new_name: str | None = None
    count: int | None = None
    total: int | None = None
    max_abs: float | None = None
    max_rel: float | None = None
    index: tuple[int, ...] | None = None
    old: Any = None
    new: Any = None


@dataclass
class VariableRow:
    """One pair of variables, over all checkpoints both runs have.

    Attributes:
      name: Name in OLD.
      new_name: Name in NEW.
      how: `exact`, `map`, `recorded` (the full name stored with the object) or `suggested`.
      where: The checkpoints' directory and base name.
      shape: Dimensions, from OLD.
      dtype: Type, from OLD.
      steps: Checkpoints compared.
      first_step: First step at which the values depart, None if they never do.
      max_abs: Largest absolute difference at any step.
      max_rel: Largest relative difference at any step.
    """

    name: str
    new_name: str
    how: str
    where: str
    shape: tuple[int, ...]
    dtype: str
    steps: int = 0
    first_step: int | None = None
    departs: bool = False
    max_abs: float = 0.0
    max_rel: float = 0.0


@dataclass
class SeriesRow:
    """One pair of recorded series (a scalar tag or a logged number).

    Attributes:
      part: `events` or `logs`.
      name: Name in OLD.
      new_name: Name in NEW.
      where: Directory or file, relative to the runs.
      common: Steps both have.
      max_abs: Largest absolute difference at a common step.
      max_rel: Largest relative difference there.
      departs: Whether any value is outside the tolerance.
      first_step: First step at which it is.
      slack: What rounding in a log adds to the tolerance, at most.
      old: Steps and values of OLD, for plots.
      new: Steps and values of NEW.
    """

    part: str
    name: str
    new_name: str
    where: str
    common: int
    max_abs: float
    max_rel: float
    departs: bool
    first_step: int | None
    slack: float = 0.0
    old: tuple[np.ndarray, np.ndarray] = field(repr=False, default=(np.empty(0), np.empty(0)))
    new: tuple[np.ndarray, np.ndarray] = field(repr=False, default=(np.empty(0), np.empty(0)))


@dataclass
class ShareRow:
    """One op type of a timeline: how often it ran and its share of the time.

    Attributes:
      where: The timeline.
      op: The op type.
      old_count: Occurrences in OLD.
      new_count: Occurrences in NEW.
      old_share: Share of all op time in OLD, 0 to 1.
      new_share: The same in NEW.
    """

    where: str
    op: str
    old_count: int
    new_count: int
    old_share: float
    new_share: float


@dataclass
class Report:
    """The result of a comparison.

    Attributes:
      old: What was compared, as given.
      new: What it was compared with.
      rtol: Tolerance relative to OLD's value.
      atol: Absolute tolerance.
      differences: Everything that differs, sorted by step.
      findings: Sentences about a probable common cause.
      notes: What was left out or paired by other than its name, and why.
      compared: What was compared: part -> counts.
      variables: One row a pair of variables.
      series: One row a pair of scalar series.
      shares: One row an op type of each timeline.
      suggested: The names map, completed by pairs that have the same values.
      reason: Why nothing could be compared, for the verdict `incomparable`.
    """

    old: str
    new: str
    rtol: float
    atol: float
    differences: list[Difference] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    compared: dict[str, dict[str, Any]] = field(default_factory=dict)
    variables: list[VariableRow] = field(default_factory=list)
    series: list[SeriesRow] = field(default_factory=list)
    shares: list[ShareRow] = field(default_factory=list)
    suggested: dict[str, Any] = field(default_factory=dict)
    reason: str = ""

    def count(self, part: str, what: str, number: int = 1) -> None:
        """Adds to the tally of what was compared."""
        tally = self.compared.setdefault(part, {})
        tally[what] = tally.get(what, 0) + number

    def sort(self) -> None:
        """Puts the differences in the order of training; those without a step come last."""
        self.differences.sort(key=lambda d: (d.step is None, d.step or 0))

    @property
    def verdict(self) -> str:
        """`equal`, `different`, `incomplete` or `incomparable`."""
        if not any(tally.get("pairs") for tally in self.compared.values()):
            return "incomparable"
        if any(difference.kind != "unreadable" for difference in self.differences):
            return "different"
        return "incomplete" if self.differences else "equal"

    @property
    def equal(self) -> bool:
        """Whether the verdict is `equal`."""
        return self.verdict == "equal"

    @property
    def exit_code(self) -> int:
        """0 equal, 1 different or incomplete, 2 nothing could be compared."""
        return _EXIT[self.verdict]

    @property
    def first(self) -> Difference | None:
        """The first difference in the order of training, None if there is none."""
        return self.differences[0] if self.differences else None

    @property
    def summary(self) -> str:
        """The verdict in one sentence."""
        if self.verdict == "equal":
            return f"Equal within rtol={self.rtol:g}, atol={self.atol:g}: {self.contents()}."
        if self.verdict == "incomparable":
            return f"Nothing could be compared: {self.reason or 'the runs share no names'}."
        if self.verdict == "incomplete":
            return f"What could be read is equal ({self.contents()}), but: {self._first_message()}"
        count = len(self.differences)
        head = "One difference: " if count == 1 else f"{count} differences, the first: "
        return head + self._first_message()

    def _first_message(self) -> str:
        return self.differences[0].message

    def contents(self) -> str:
        """What was compared, in words."""
        words = [
            wording.plural(number, what if what.endswith("series") else what.removesuffix("s"))
            for tally in self.compared.values()
            for what, number in tally.items()
            if what != "pairs" and number
        ]
        return ", ".join(words) or "nothing"

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data: what `to_json` writes."""
        return {
            "schema": SCHEMA,
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "summary": self.summary,
            "old": self.old,
            "new": self.new,
            "tolerance": {"rtol": self.rtol, "atol": self.atol},
            "compared": self.compared,
            "differences": [_set_fields(item) for item in self.differences],
            "findings": self.findings,
            "notes": self.notes,
            "variables": [dataclasses.asdict(item) for item in self.variables],
            "series": [_without_curves(item) for item in self.series],
            "timelines": [dataclasses.asdict(item) for item in self.shares],
            "suggested_map": self.suggested,
        }

    def to_json(self) -> str:
        """The report as JSON; NaN and infinities become the strings "nan", "inf", "-inf"."""
        return json.dumps(_strict(self.to_dict()), indent=1, allow_nan=False)

    def to_text(self, width: int = 100, limit: int = 20, color: bool = False) -> str:
        """The report for a terminal.

        Args:
          width: Columns.
          limit: Rows a table shows before it says how many more there are.
          color: Whether to write ANSI colors.

        Returns:
          Text that ends in a newline.
        """
        from compat.verify.text import render

        return render(self, width, limit, color)

    def to_html(self) -> str:
        """The report as one HTML page that needs nothing from elsewhere."""
        from compat.verify.html import render

        return render(self)


def _set_fields(item: Difference) -> dict[str, Any]:
    return {key: value for key, value in dataclasses.asdict(item).items() if value is not None}


def _without_curves(item: SeriesRow) -> dict[str, Any]:
    row = {f.name: getattr(item, f.name) for f in dataclasses.fields(item)}
    del row["old"], row["new"]
    return row


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, complex):
        return [_strict(value.real), _strict(value.imag)]
    if isinstance(value, np.generic):
        return _strict(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
