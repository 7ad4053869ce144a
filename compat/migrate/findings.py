"""What `compat check` reports: findings, hook classes and their totals."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from compat.migrate import symbols
from compat.migrate.surfaces import Surface


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
      path: The file.
      line: The line, from 1; of a notebook, the line in its cell.
      column: The column, from 1.
      code: A key of `symbols.RULES`.
      symbol: The name it is about, as TF 1.15 writes it (`tf.train.Server`).
      note: How it differs, or what to do.
      use: What to use instead.
      cell: Of a notebook, the cell from 1.
    """

    path: Path
    line: int
    column: int
    code: str
    symbol: str
    note: str = ""
    use: str = ""
    cell: int | None = None

    @property
    def status(self) -> str:
        """One of the statuses of `symbols`."""
        return symbols.RULES[self.code].status

    def __lt__(self, other: Finding) -> bool:
        return self._key() < other._key()

    def _key(self) -> tuple[Path, int, int, int, str, str]:
        return (self.path, self.cell or 0, self.line, self.column, self.code, self.symbol)

    @property
    def place(self) -> str:
        """`file:line:column`, or `file:cell 3:line:column` in a notebook."""
        cell = f"cell {self.cell}:" if self.cell is not None else ""
        return f"{self.path}:{cell}{self.line}:{self.column}"

    @property
    def message(self) -> str:
        """The finding in one sentence."""
        title = symbols.RULES[self.code].title
        parts = [f"{self.symbol}: {self.note or title}"]
        if self.use:
            parts.append(f"use {self.use}")
        return "; ".join(parts)


@dataclass(frozen=True)
class HookClass:
    """A hook or listener class of the code base.

    Attributes:
      name: Its name.
      path: Its file.
      line: Where, from 1.
      code: C501 hook, C502 listener, C503 hook by its methods.
      base: The TF1 class it comes from.
      methods: The hook methods it defines.
      surfaces: Where it can run.
      cell: Of a notebook, the cell from 1.
    """

    name: str
    path: Path
    line: int
    code: str
    base: str
    methods: tuple[str, ...]
    surfaces: tuple[Surface, ...]
    cell: int | None = None


@dataclass
class Report:
    """The outcome of one check.

    Attributes:
      findings: Every symbol in use, sorted by place.
      hooks: The hook classes, sorted by place.
      files: How many files were looked at.
      silenced: How many findings a comment or an option silenced.
    """

    findings: list[Finding] = field(default_factory=list)
    hooks: list[HookClass] = field(default_factory=list)
    files: int = 0
    silenced: int = 0

    def counts(self) -> dict[str, int]:
        """How many findings each status has."""
        totals = dict.fromkeys(symbols.STATUS_TITLES, 0)
        for finding in self.findings:
            totals[finding.status] += 1
        return totals

    def exit_code(self, fail_on: str) -> int:
        """The exit status of the command.

        Args:
          fail_on: The mildest status that counts as a problem: `differs`, `hand`,
            `unsupported`, or `never`.

        Returns:
          2 if a file could not be read, 1 if there is a problem, else 0.
        """
        found = {finding.status for finding in self.findings}
        if symbols.ERROR in found:
            return 2
        ranks = [symbols.UNSUPPORTED, symbols.HAND, symbols.DIFFERS]
        problems = ranks[: ranks.index(fail_on) + 1] if fail_on in ranks else []
        return 1 if found & set(problems) else 0
