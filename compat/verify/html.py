"""The report as one HTML page: no scripts, fonts or pictures from elsewhere."""

from __future__ import annotations

import html
import json

from compat.verify import plot, wording
from compat.verify.page import PAGE
from compat.verify.report import Difference, Report, SeriesRow, VariableRow

#: Curves and rows on one page; JSON has them all.
_CURVES = 24
_ROWS = 300

_WORDS = {
    "equal": "Equal",
    "different": "Different",
    "incomplete": "Incomplete",
    "incomparable": "Not comparable",
}


def render(report: Report) -> str:
    """Writes a report as a page; see `Report.to_html`."""
    body = "".join(
        (
            _header(report),
            _curves(report),
            _differences(report),
            _variables(report),
            _timelines(report),
            _map(report),
            _notes(report),
        )
    )
    title = f"{_WORDS[report.verdict]}: {report.old} and {report.new}"
    return PAGE.replace("{{title}}", _text(title)).replace("{{body}}", body)


def _text(value: object) -> str:
    return html.escape(str(value))


def _header(report: Report) -> str:
    tiles = "".join(
        f'<div class="tile"><b>{number:,}</b>{_text(what)}</div>'
        for tally in report.compared.values()
        for what, number in tally.items()
        if what != "pairs" and number
    )
    findings = "".join(f"<p class='finding'>{_text(item)}</p>" for item in report.findings)
    return (
        f'<header class="{report.verdict}"><div class="verdict">{_WORDS[report.verdict]}</div>'
        f"<p>{_text(report.summary)}</p>{findings}</header>"
        '<dl class="runs">'
        f'<dt><i class="key old"></i>OLD</dt><dd>{_text(report.old)}</dd>'
        f'<dt><i class="key new"></i>NEW</dt><dd>{_text(report.new)}</dd>'
        "<dt>tolerance</dt><dd>|NEW &minus; OLD| ≤ "
        f"{report.atol:g} + {report.rtol:g} · |OLD|</dd></dl>"
        f'<div class="tiles">{tiles}</div>'
    )


def _curves(report: Report) -> str:
    rows = sorted(report.series, key=_importance)
    if not rows:
        return ""
    parts = ["<section><h2>Curves</h2>"]
    for place, row in enumerate(rows[:_CURVES]):
        parts.append(_curve(row, report, opened=place == 0))
    if len(rows) > _CURVES:
        parts.append(f"<p class='more'>… and {len(rows) - _CURVES} more curves</p>")
    return "".join(parts) + "</section>"


def _importance(row: SeriesRow) -> tuple[bool, bool, bool]:
    """Losses first, those of event files before logged ones, then what departs."""
    return ("loss" not in row.name.lower(), row.part != "events", not row.departs)


def _curve(row: SeriesRow, report: Report, opened: bool) -> str:
    name = row.name if row.name == row.new_name else f"{row.name} → {row.new_name}"
    state = f"departs at step {row.first_step}" if row.departs else "within the tolerance"
    style = "bad" if row.departs else "good"
    return (
        f"<details{' open' if opened else ''}><summary><b>{_text(name)}</b> "
        f"<span>{_text(row.where or row.part)}, {wording.plural(row.common, 'common step')}, "
        f"max |difference| {wording.number(row.max_abs)}</span> "
        f'<em class="{style}">{state}</em></summary>'
        f"<figure>{plot.draw(row, report.rtol, report.atol)}<figcaption>"
        '<i class="key old"></i>OLD <i class="key new"></i>NEW <i class="key apart"></i>'
        '|NEW &minus; OLD| <i class="key limit"></i>tolerance<output></output></figcaption>'
        "</figure></details>"
    )


def _differences(report: Report) -> str:
    if not report.differences:
        return ""
    rows = "".join(_difference(item) for item in report.differences[:_ROWS])
    return (
        f"<section><h2>Differences, in the order of training ({len(report.differences):,})</h2>"
        "<div class='scroll'><table><thead><tr><th class='n'>step</th><th>part</th><th>what</th>"
        f"<th>difference</th></tr></thead><tbody>{rows}</tbody></table></div>"
        f"{_more(len(report.differences))}</section>"
    )


def _difference(item: Difference) -> str:
    step = "" if item.step is None else f"{item.step:,}"
    return (
        f"<tr><td class='n'>{step}</td><td class='w'>{_text(item.part)}</td>"
        f"<td><span class='kind'>{_text(item.kind.replace('_', ' '))}</span></td>"
        f"<td>{_text(item.message)}</td></tr>"
    )


def _variables(report: Report) -> str:
    if not report.variables:
        return ""
    order = sorted(report.variables, key=lambda row: (not row.departs, -row.max_abs))
    several = len({row.where for row in order}) > 1
    rows = "".join(_variable(row, several) for row in order[:_ROWS])
    return (
        f"<section><h2>Variables ({len(order):,})</h2><div class='scroll'><table><thead><tr>"
        "<th>variable</th><th>shape</th><th>dtype</th><th class='n'>checkpoints</th>"
        "<th class='n'>departs at</th><th class='n'>max abs</th><th class='n'>max rel</th>"
        f"</tr></thead><tbody>{rows}</tbody></table></div>{_more(len(order))}</section>"
    )


def _variable(row: VariableRow, several: bool) -> str:
    name = _text(row.name)
    if several:
        name += f"<small>in {_text(row.where)}</small>"
    if row.new_name != row.name:
        name += f"<small>{_text(row.new_name)} in NEW, by {_text(row.how)} name</small>"
    start = ("yes" if row.first_step is None else f"{row.first_step:,}") if row.departs else ""
    style = " class='departs'" if row.departs else ""
    shape = "&times;".join(map(str, row.shape)) or "scalar"
    return (
        f"<tr{style}><td>{name}</td><td class='w'>{shape}</td><td class='w'>{_text(row.dtype)}</td>"
        f"<td class='n'>{row.steps}</td><td class='n'>{start}</td>"
        f"<td class='n'>{wording.number(row.max_abs)}</td>"
        f"<td class='n'>{wording.number(row.max_rel)}</td></tr>"
    )


def _timelines(report: Report) -> str:
    parts = []
    for place in dict.fromkeys(row.where for row in report.shares):
        rows = "".join(
            f"<tr><td>{_text(row.op)}</td>"
            f"<td class='n'>{row.old_count:,}</td>{_bar('old', row.old_share)}"
            f"<td class='n'>{row.new_count:,}</td>{_bar('new', row.new_share)}</tr>"
            for row in report.shares
            if row.where == place
        )
        parts.append(
            f"<section><h2>Time by op type{_text(wording.place(place))}</h2>"
            "<div class='scroll'><table><thead><tr><th>op type</th><th class='n'>OLD ran</th>"
            "<th>share of time</th><th class='n'>NEW ran</th><th>share of time</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></div></section>"
        )
    return "".join(parts)


def _bar(run: str, share: float) -> str:
    return (
        f"<td><div class='bar {run}' style='width:{share * 100:.1f}%'></div>"
        f"<small>{share:.1%}</small></td>"
    )


def _map(report: Report) -> str:
    if not report.suggested:
        return ""
    text = _text(json.dumps(report.suggested, indent=2))
    return (
        "<section><h2>Suggested names map</h2><p>These names hold the same values. Save the map "
        f"as names.json and pass it with --map.</p><pre>{text}</pre></section>"
    )


def _notes(report: Report) -> str:
    if not report.notes:
        return ""
    items = "".join(f"<li>{_text(note)}</li>" for note in report.notes)
    return f"<section><h2>Notes</h2><ul>{items}</ul></section>"


def _more(count: int) -> str:
    return f"<p class='more'>… and {count - _ROWS:,} more</p>" if count > _ROWS else ""
