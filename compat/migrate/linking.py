"""Puts the facts of single files together into findings.

What `hooks.BaseHook` or `common.tf` means depends on another file; here all are known.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from compat.migrate import collision, lookup, styles, surfaces, symbols
from compat.migrate.findings import Finding, HookClass, Report
from compat.migrate.source.facts import ClassFact, FileFacts, Use
from compat.migrate.source.ignores import matches
from compat.migrate.source.project import Modules

# How often a name may be handed on from module to module.
_LONGEST_WAY = 12


class CodeBase:
    """The files of one check, put together.

    Args:
      facts: What each file says.
      modules: The modules they form.
    """

    def __init__(self, facts: Sequence[FileFacts], modules: Modules):
        self._facts = facts
        self._modules = modules
        self._by_path = {fact.path: fact for fact in facts}
        self._classes = {
            (fact.path, item.qualname): item for fact in facts for item in fact.classes
        }

    def missing_imports(self) -> re.Pattern[bytes] | None:
        """What an unparsed file would have to mention to matter: names of hook classes."""
        names = {item.qualname.rpartition(".")[2] for _, item, _ in self._hook_classes()}
        if not names:
            return None
        return re.compile(rb"\b(" + "|".join(sorted(names)).encode() + rb")\b")

    def report(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Report:
        """Makes the report.

        Args:
          select: Prefixes of the codes wanted; all if empty.
          ignore: Prefixes of the codes not wanted.

        Returns:
          The findings and hook classes that no comment or option silences.
        """
        report = Report(files=len(self._facts))

        def wanted(fact: FileFacts, code: str, line: int) -> bool:
            chosen = (not select or matches(code, select)) and not matches(code, ignore)
            return chosen and not (fact.ignores and fact.ignores.silences(code, line))

        for fact in self._facts:
            for finding in set(self._findings(fact)):
                if wanted(fact, finding.code, finding.line):
                    report.findings.append(_in_cell(finding, fact))
                else:
                    report.silenced += 1
        report.findings += self._collisions(wanted)
        report.findings.sort()
        for fact, item, base in self._hook_classes():
            code = self._hook_code(item, base)
            if wanted(fact, code, item.line):
                report.hooks.append(_hook(fact, item, base, code))
        report.hooks.sort(key=lambda hook: (hook.path, hook.cell or 0, hook.line))
        return report

    # Symbols

    def _findings(self, fact: FileFacts) -> Iterator[Finding]:
        if fact.error is not None:
            code, line, what = fact.error
            yield Finding(fact.path, line, 1, code, symbols.RULES[code].title, what)
            return
        tf2 = styles.is_tf2_style([use.paths for use in fact.tensorflow], fact.imports)
        for use in fact.tensorflow:
            for finding in self._verdicts(fact, use, use.paths):
                if not (tf2 and finding.code == "C305"):
                    yield finding
        for use in fact.local:
            paths = tuple(p for path in use.paths for p in self._tensorflow_paths(fact, path))
            yield from self._verdicts(fact, use, paths)
        for code, name, line, column in fact.methods:
            row = next(row for row in symbols.METHODS if row.name == name)
            yield Finding(fact.path, line, column, code, f"Session.{name}", row.note, row.use)

    def _verdicts(self, fact: FileFacts, use: Use, paths: tuple[str, ...]) -> Iterator[Finding]:
        for path in paths:
            name = lookup.tensorflow_name(path)
            verdict = lookup.classify(name) if name else None
            if verdict is None:
                continue
            private = verdict.symbol.startswith(("tensorflow.", "tensorflow_estimator."))
            symbol = verdict.symbol if private else f"tf.{verdict.symbol}"
            yield Finding(
                fact.path, use.line, use.column, verdict.code, symbol, verdict.note, verdict.use
            )

    def _collisions(self, wanted: Callable[[FileFacts, str, int], bool]) -> Iterator[Finding]:
        """One finding for each module named compat that the import swap would find."""
        seen = set()
        for fact in self._facts:
            other = collision.in_the_way(fact.path) if fact.tensorflow else None
            if other is None or other in seen:
                continue
            line = fact.tensorflow[0].line
            if wanted(fact, "C601", line):
                seen.add(other)
                symbol = f"module {_relative(other)}"
                yield Finding(fact.path, line, 1, "C601", symbol, collision.ADVICE)

    # Names across files

    def _follow(self, fact: FileFacts, path: str, steps: int = 0) -> Iterator[tuple[Path, str]]:
        """Yields (file, path) for everything a path may lead to, through local modules."""
        yield fact.path, path
        if steps > _LONGEST_WAY or lookup.tensorflow_name(path) is not None:
            return
        if path.startswith("@."):
            return
        found = self._modules.find(path, fact.path)
        if found is None:
            return
        file, rest = found
        other = self._by_path.get(file)
        if other is None or not rest:
            return
        name, _, attributes = rest.partition(".")
        targets = other.exports.get(name) or tuple(f"{star}.{name}" for star in other.stars)
        for target in targets:
            longer = f"{target}.{attributes}" if attributes else target
            yield from self._follow(other, longer, steps + 1)

    def _tensorflow_paths(self, fact: FileFacts, path: str) -> list[str]:
        return [
            found
            for _, found in self._follow(fact, path)
            if lookup.tensorflow_name(found) is not None
        ]

    # Hook classes

    def _hook_classes(self) -> list[tuple[FileFacts, ClassFact, str]]:
        found = []
        for fact in self._facts:
            for item in fact.classes:
                base = self._hook_base(fact, item, set())
                if base or surfaces.looks_like_hook(item.methods):
                    found.append((fact, item, base))
        return found

    def _hook_base(self, fact: FileFacts, item: ClassFact, seen: set[tuple[Path, str]]) -> str:
        """The TF1 hook or listener class that a class comes from; empty if none."""
        seen.add((fact.path, item.qualname))
        for paths in item.bases:
            for start in paths:
                for file, path in self._follow(fact, start):
                    name = lookup.tensorflow_name(path)
                    if name is not None:
                        leaf = name.rpartition(".")[2]
                        if leaf in symbols.HOOK_BASES or leaf in symbols.LISTENER_BASES:
                            return leaf
                        continue
                    parent = self._classes.get((file, path))
                    if parent is not None and (file, path) not in seen:
                        base = self._hook_base(self._by_path[file], parent, seen)
                        if base:
                            return base
        return ""

    @staticmethod
    def _hook_code(item: ClassFact, base: str) -> str:
        if base in symbols.LISTENER_BASES:
            return "C502"
        return "C501" if base else "C503"


def _hook(fact: FileFacts, item: ClassFact, base: str, code: str) -> HookClass:
    known = symbols.LISTENER_METHODS if code == "C502" else symbols.HOOK_METHODS
    line, cell = _cell_line(fact, item.line)
    return HookClass(
        name=item.qualname.removeprefix("@."),
        path=fact.path,
        line=line,
        code=code,
        base=_public_base(base),
        methods=tuple(name for name in known if name in item.methods),
        surfaces=surfaces.judge(list(item.traits)),
        cell=cell,
    )


def _public_base(leaf: str) -> str:
    if not leaf:
        return ""
    homes = ("train", "estimator.experimental")
    return next(f"tf.{home}.{leaf}" for home in homes if f"{home}.{leaf}" in lookup.tf1_names())


def _cell_line(fact: FileFacts, line: int) -> tuple[int, int | None]:
    if not fact.notebook_cells:
        return line, None
    starts = sorted((start, cell) for cell, start in fact.notebook_cells.items())
    start, cell = starts[max(bisect_right(starts, (line, 0)) - 1, 0)]
    return line - start, cell


def _in_cell(finding: Finding, fact: FileFacts) -> Finding:
    line, cell = _cell_line(fact, finding.line)
    if cell is None:
        return finding
    return replace(finding, line=line, cell=cell)


def _relative(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
