"""The compatibility table, from the tables of `compat.migrate`."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable

from compat.migrate import contrib, elsewhere, lookup, symbols

#: Below a namespace, names with the same answers share a row if there are this many.
_SHARED = 5
_HOOK_CODES = ("C102", "C201", "C204", "C205", "C208")
_HOOK_HOMES = ("train", "")


def markdown() -> str:
    """The tables of the page."""
    names = sorted(lookup.tf1_names())
    first = sorted(filter(_is_about_hooks, names), key=_hooks_first)
    parts = [_heading("Sessions, hooks and what they use"), _table([[name] for name in first])]
    rest = [name for name in names if name not in set(first)]
    for home, below in itertools.groupby(sorted(rest, key=_home_first), key=_home):
        parts += [_heading(f"`tf.{home}`" if home else "`tf` itself"), _table(_rows(below))]
    parts += [_heading("`tf.contrib`"), _replacements(contrib.REPLACEMENTS)]
    parts += [_heading("Names that TF 1.15 no longer had"), _replacements(symbols.RENAMED)]
    return "\n\n".join(parts)


def counts() -> str:
    """How many names there are, and how many work in a graph session."""
    names = lookup.tf1_names()
    works = sum(lookup.places(name)[elsewhere.SESSION].works for name in names)
    return f"{len(names):,} public names of TF 1.15, of which {works:,} work in a graph session"


def _heading(text: str) -> str:
    return f"## {text}"


def _home(name: str) -> str:
    return name.rpartition(".")[0].partition(".")[0]


def _home_first(name: str) -> tuple[str, str]:
    return _home(name), name


def _hooks_first(name: str) -> tuple[bool, bool, str]:
    is_hook = name.endswith(("Hook", "Listener"))
    return not is_hook, not name.startswith("train."), name


def _is_about_hooks(name: str) -> bool:
    return _home(name) in _HOOK_HOMES and lookup.classify(name).code in _HOOK_CODES


def _rows(names: Iterable[str]) -> list[list[str]]:
    """Names by row: those with the same answers together, if they are many."""
    groups: dict[tuple[elsewhere.Answer, ...], list[str]] = {}
    for name in names:
        groups.setdefault(tuple(lookup.places(name).values()), []).append(name)
    rows: list[list[str]] = []
    for group in groups.values():
        rows += [group] if len(group) >= _SHARED else [[name] for name in group]
    return sorted(rows, key=lambda row: (len(row) > 1, row))


def _table(rows: list[list[str]]) -> str:
    head = "".join(f"<th>{place}</th>" for place in ("symbol", *elsewhere.PLACES))
    body = "\n".join(
        f"<tr><td>{_symbols(row)}</td>{_answers(lookup.places(row[0]).values())}</tr>"
        for row in rows
    )
    return _whole(head, body)


def _whole(head: str, body: str) -> str:
    return (
        '<div class="compatibility"><table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _symbols(names: list[str]) -> str:
    marked = [f"<code>tf.{name}</code>" for name in names]
    if len(marked) == 1:
        return marked[0]
    return f"<details><summary>{len(marked)} names</summary>{'<br>'.join(marked)}</details>"


def _answers(answers: Iterable[elsewhere.Answer]) -> str:
    """The cells of a row; what is said of neighbours alike stands in one cell."""
    cells = []
    for answer, alike in itertools.groupby(answers):
        count = len(list(alike))
        if answer == elsewhere.Answer(True):
            cells += ['<td class="yes">✓</td>'] * count
            continue
        kind, mark = ("yes", "✓ ") if answer.works else ("no", "")
        span = f' colspan="{count}"' if count > 1 else ""
        cells.append(f'<td class="{kind}"{span}>{mark}{_inline(answer.note)}</td>')
    return "".join(cells)


def _replacements(rows: Iterable[contrib.Replacement | symbols.Row]) -> str:
    body = "\n".join(
        f"<tr><td><code>tf.{row.name}</code></td><td>{_inline(_instead(row))}</td></tr>"
        for row in sorted(rows, key=lambda row: row.name)
    )
    return _whole("<th>symbol</th><th>instead</th>", body)


def _instead(row: contrib.Replacement | symbols.Row) -> str:
    use = re.sub(r"\b(tf\.[\w.]+\w)", r"`\1`", row.use)
    if row.name in symbols.CONTRIB_KEPT:
        return "✓ works on every surface"
    if getattr(row, "same", False) and row.name.count(".") > 1:
        return f"✓ is {use}"
    return f"{use} ({row.note})" if row.note else use


def _inline(text: str) -> str:
    """HTML of a text with code in backquotes."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))
