"""The report for a terminal."""

from __future__ import annotations

import io
import json

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from compat.verify import wording
from compat.verify.report import Report

_STYLES = {"equal": "green", "different": "red", "incomplete": "yellow", "incomparable": "yellow"}


def render(report: Report, width: int, limit: int, color: bool) -> str:
    """Writes a report as text; see `Report.to_text`."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=color,
        force_jupyter=False,  # In a notebook, it would show the text in place of writing it.
        no_color=not color,
        highlight=False,
    )
    style = _STYLES[report.verdict]
    console.print(
        Panel(
            escape(report.summary),
            title=f"[bold]{report.verdict.upper()}[/bold]",
            title_align="left",
            border_style=style,
            box=box.ROUNDED if color else box.ASCII2,
        )
    )
    console.print(f"OLD  {escape(report.old)}\nNEW  {escape(report.new)}", soft_wrap=True)
    console.print(
        f"compared {escape(report.contents())}, rtol={report.rtol:g} atol={report.atol:g}"
    )
    for finding in report.findings:
        console.print(f"[bold]{escape(finding)}[/bold]")
    _differences(console, report, limit)
    _variables(console, report, limit)
    _series(console, report, limit)
    _shares(console, report, limit)
    if report.notes:
        console.print("\nNotes", style="bold")
        for note in report.notes:
            console.print(f"- {escape(note)}")
    if report.suggested:
        console.print("\nSuggested map; save it as names.json and pass --map:", style="bold")
        console.print(json.dumps(report.suggested, indent=2), markup=False, soft_wrap=True)
    return stream.getvalue()


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in columns:
        right = column in ("step", "steps", "max abs", "max rel", "OLD", "NEW", "from step")
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    return table


def _differences(console: Console, report: Report, limit: int) -> None:
    if not report.differences:
        return
    table = _table("Differences, in the order of training", "step", "what", "difference")
    for item in report.differences[:limit]:
        step = "" if item.step is None else str(item.step)
        table.add_row(step, item.kind, escape(item.message))
    console.print(table)
    _more(console, len(report.differences), limit, "difference")


def _variables(console: Console, report: Report, limit: int) -> None:
    if not report.variables:
        return
    table = _table(
        "Variables, the most different first",
        "variable", "shape", "dtype", "steps", "from step", "max abs", "max rel",
    )  # fmt: skip
    rows = sorted(report.variables, key=lambda row: (not row.departs, -row.max_abs))
    several = len({row.where for row in rows}) > 1
    for row in rows[:limit]:
        name = row.name if row.name == row.new_name else f"{row.name} -> {row.new_name}"
        if several:
            name += f" in {row.where}"
        if row.how == "suggested":
            name += " (suggested)"
        table.add_row(
            escape(name),
            "x".join(map(str, row.shape)) or "scalar",
            row.dtype,
            str(row.steps),
            _from_step(row.departs, row.first_step),
            wording.number(row.max_abs),
            wording.number(row.max_rel),
        )
    console.print(table)
    _more(console, len(rows), limit, "variable")


def _series(console: Console, report: Report, limit: int) -> None:
    if not report.series:
        return
    table = _table(
        "Curves, the most different first", "name", "in", "steps", "from step", "max abs", "max rel"
    )
    rows = sorted(report.series, key=lambda row: (not row.departs, -row.max_abs))
    for row in rows[:limit]:
        name = row.name if row.name == row.new_name else f"{row.name} -> {row.new_name}"
        table.add_row(
            escape(name),
            escape(row.where or row.part),
            str(row.common),
            _from_step(row.departs, row.first_step),
            wording.number(row.max_abs),
            wording.number(row.max_rel),
        )
    console.print(table)
    _more(console, len(rows), limit, "curve")


def _shares(console: Console, report: Report, limit: int) -> None:
    for place in dict.fromkeys(row.where for row in report.shares):
        rows = [row for row in report.shares if row.where == place]
        table = _table(f"Time by op type in {place or 'the timeline'}", "op type", "OLD", "NEW")
        for row in rows[:limit]:
            table.add_row(
                escape(row.op),
                f"{row.old_count} x, {row.old_share:.1%}",
                f"{row.new_count} x, {row.new_share:.1%}",
            )
        console.print(table)
        _more(console, len(rows), limit, "op type")


def _from_step(departs: bool, step: int | None) -> str:
    if not departs:
        return ""
    return "yes" if step is None else str(step)


def _more(console: Console, count: int, limit: int, word: str) -> None:
    if count > limit:
        more = wording.plural(count - limit, word)
        console.print(f"  … and {more} more (--limit, or --format json, shows all)")
