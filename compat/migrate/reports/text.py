"""The report for people at a terminal, one block a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from compat.migrate import symbols
from compat.migrate.findings import Finding, HookClass, Report


def render(report: Report) -> str:
    """Writes a report as text."""
    lines: list[str] = []
    for path, findings in groupby(report.findings, key=lambda finding: finding.path):
        lines += [str(path), *_file(list(findings)), ""]
    if report.hooks:
        lines += ["hook classes", *(line for hook in report.hooks for line in _hook(hook)), ""]
    lines += _summary(report)
    return "\n".join(lines) + "\n"


def _file(findings: list[Finding]) -> Iterator[str]:
    works: dict[str, list[str]] = {}
    for finding in findings:
        cell = f"cell {finding.cell}:" if finding.cell is not None else ""
        if finding.status == symbols.WORKS:
            where = works.setdefault(finding.symbol, [])
            if f"{cell}{finding.line}" not in where:
                where.append(f"{cell}{finding.line}")
        else:
            title = symbols.STATUS_TITLES[finding.status]
            place = f"{cell}{finding.line}:{finding.column}"
            yield f"  {place:<8} {finding.code} [{title}] {finding.message}"
    if works:
        yield f"  {symbols.STATUS_TITLES[symbols.WORKS]}:"
        for symbol, lines in sorted(works.items()):
            yield f"    {symbol} ({', '.join(lines)})"


def _hook(hook: HookClass) -> Iterator[str]:
    cell = f"cell {hook.cell}:" if hook.cell is not None else ""
    base = hook.base or "no TF1 base class: wrap it in compat.HookCallback for fit"
    methods = ", ".join(hook.methods) or "inherited methods only"
    yield f"  {hook.path}:{cell}{hook.line}  {hook.code} {hook.name} ({base}): {methods}"
    for surface in hook.surfaces:
        yield f"      {surface.name}: {surface.answer}"
        for reason in surface.reasons:
            yield f"        - {reason}"


def _summary(report: Report) -> Iterator[str]:
    counts = report.counts()
    yield f"{report.files} file{'s' * (report.files != 1)} checked"
    for status, title in symbols.STATUS_TITLES.items():
        if status == symbols.INFO:
            if report.hooks:
                yield f"  {len(report.hooks):>6}  {title}"
        elif counts[status] or status == symbols.WORKS:
            names = {f.symbol for f in report.findings if f.status == status}
            word = "files" if status == symbols.ERROR else "uses"
            extra = "" if status == symbols.ERROR else f" of {len(names)} symbols"
            yield f"  {counts[status]:>6}  {word}{extra}: {title}"
    if report.silenced:
        yield f"  {report.silenced:>6}  silenced by comments or options"
