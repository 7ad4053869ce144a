"""The report for a pull request or an issue."""

from __future__ import annotations

from collections.abc import Iterator

from compat.migrate import symbols
from compat.migrate.findings import Report


def render(report: Report) -> str:
    """Writes a report as Markdown."""
    return "\n".join([*_summary(report), *_problems(report), *_hooks(report)]) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _summary(report: Report) -> Iterator[str]:
    counts = report.counts()
    yield f"# TensorFlow 1 symbols in {report.files} file{'s' * (report.files != 1)}"
    yield ""
    yield "| status | uses | symbols |"
    yield "| --- | ---: | ---: |"
    for status, title in symbols.STATUS_TITLES.items():
        if status != symbols.INFO and (counts[status] or status == symbols.WORKS):
            names = {f.symbol for f in report.findings if f.status == status}
            yield f"| {title} | {counts[status]} | {len(names)} |"


def _problems(report: Report) -> Iterator[str]:
    for status, title in symbols.STATUS_TITLES.items():
        found = [finding for finding in report.findings if finding.status == status]
        if not found:
            continue
        yield ""
        yield f"## {title[0].upper()}{title[1:]}"
        yield ""
        if status == symbols.WORKS:
            places: dict[str, list[str]] = {}
            for finding in found:
                places.setdefault(finding.symbol, []).append(finding.place)
            yield "| symbol | uses | first |"
            yield "| --- | ---: | --- |"
            for symbol, where in sorted(places.items()):
                yield f"| `{_cell(symbol)}` | {len(where)} | {_cell(where[0])} |"
        else:
            yield "| place | rule | symbol | what |"
            yield "| --- | --- | --- | --- |"
            for finding in found:
                what = finding.note or symbols.RULES[finding.code].title
                use = f"; use {finding.use}" if finding.use else ""
                yield (
                    f"| {_cell(finding.place)} | {finding.code} | `{_cell(finding.symbol)}` "
                    f"| {_cell(what + use)} |"
                )


def _hooks(report: Report) -> Iterator[str]:
    if not report.hooks:
        return
    names = [surface.name for surface in report.hooks[0].surfaces]
    yield ""
    yield "## Hook classes"
    yield ""
    yield f"| class | place | {' | '.join(names)} | why |"
    yield f"| --- | --- | {' | '.join('---' for _ in names)} | --- |"
    for hook in report.hooks:
        answers = " | ".join(surface.answer for surface in hook.surfaces)
        reasons = dict.fromkeys(r for surface in hook.surfaces for r in surface.reasons)
        cell = f"cell {hook.cell}:" if hook.cell is not None else ""
        place = _cell(f"{hook.path}:{cell}{hook.line}")
        yield f"| `{hook.name}` | {place} | {answers} | {_cell('; '.join(reasons))} |"
