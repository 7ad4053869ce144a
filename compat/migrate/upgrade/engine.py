"""Upgrades one file: asks the fixers, puts the imports together, applies the edits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import libcst as cst

from compat.migrate import collision
from compat.migrate.source.ignores import Ignores, matches
from compat.migrate.source.positions import Positions
from compat.migrate.source.reading import Source, SourceError
from compat.migrate.source.scopes import ImportedName
from compat.migrate.source.tree import descendants
from compat.migrate.upgrade.assembly import Statement, assemble
from compat.migrate.upgrade.context import FileContext
from compat.migrate.upgrade.registry import fixers
from compat.migrate.upgrade.rewriting import apply


class Line(NamedTuple):
    """A remark or an edit and where it is.

    Attributes:
      line: The line, from 1; of a notebook, the line in its cell.
      code: The rule or fixer.
      text: What; empty for an edit.
      cell: Of a notebook, the cell from 1.
    """

    line: int
    code: str
    text: str = ""
    cell: int | None = None


class Outcome(NamedTuple):
    """What became of one file.

    Attributes:
      path: The file.
      old: Its bytes.
      new: Its new bytes; the same object if nothing changes.
      applied: The edits, in order.
      left: What is left to a person, in order.
      error: Code, line and words, if it could not be read.
    """

    path: Path
    old: bytes = b""
    new: bytes = b""
    applied: tuple[Line, ...] = ()
    left: tuple[Line, ...] = ()
    error: tuple[str, int, str] | None = None

    @property
    def changed(self) -> bool:
        """Whether the file's bytes would change."""
        return self.new != self.old


def upgrade_file(
    path: Path, mode: str, select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> Outcome:
    """Upgrades one file in memory.

    Args:
      path: The file.
      mode: One of `registry.MODES`.
      select: Prefixes of the codes wanted; all if empty.
      ignore: Prefixes of the codes not wanted.

    Returns:
      What would become of it.
    """
    content = b""
    try:
        source = Source(path)
        content = source.content
        return upgrade_source(source, mode, select, ignore)
    except SourceError as error:
        return Outcome(path, content, content, error=(error.code, error.line, error.what))


def upgrade_source(
    source: Source, mode: str, select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> Outcome:
    """Upgrades one parsed file.

    Args:
      source: The file.
      mode: One of `registry.MODES`.
      select: Prefixes of the codes wanted; all if empty.
      ignore: Prefixes of the codes not wanted.

    Returns:
      What would become of it.

    Raises:
      SourceError: If it could not be written back as it is elsewhere.
    """
    context = FileContext(source.module, source.path, mode)
    if not context.imports and not context.uses:
        return Outcome(source.path, source.content, source.content)
    other = collision.in_the_way(source.path)
    if other is not None:
        first = context.imports[0].statement if context.imports else context.uses[0].chain.root
        context.remark("C601", first, f"{other.name}: {collision.ADVICE}")
        return _outcome(source, context, source.module)
    run_fixers(context)
    _drop_silenced(source, context, select, ignore)
    return _outcome(source, context, apply(context))


def _drop_silenced(
    source: Source, context: FileContext, select: Sequence[str], ignore: Sequence[str]
) -> None:
    """Takes back the edits and remarks that a comment or an option silences."""
    places = _Places(source, context)

    def silenced(code: str, node: cst.CSTNode) -> bool:
        chosen = (not select or matches(code, select)) and not matches(code, ignore)
        return not chosen or places.silences(code, node)

    for edit in [edit for edit in context.applied if silenced(edit.code, edit.node)]:
        context.applied.remove(edit)
        context.edits.pop(edit.node, None)
    if not context.applied:
        context.new_imports.clear()
    context.remarks = [item for item in context.remarks if not silenced(item.code, item.node)]


def run_fixers(context: FileContext) -> None:
    """Lets every fixer of the context's mode see the file."""
    _imports(context)
    chain_fixers = fixers(context.mode, "chain")
    for use in context.uses:
        for fixer in chain_fixers:
            if fixer.function(context, use):
                break
    for fixer in fixers(context.mode, "file"):
        fixer.function(context)


def _imports(context: FileContext) -> None:
    rules = fixers(context.mode, "import")
    codes: dict[int, str] = {}
    statements: dict[int, tuple[Statement, list[tuple[int, ImportedName]]]] = {}
    for index, imported in enumerate(context.names.imports):
        entry = statements.setdefault(id(imported.statement), (imported.statement, []))
        entry[1].append((index, imported))
        for rule in rules:
            target = rule.function(context, imported)
            if target is not None and target != imported.path:
                context.import_targets[index] = target
                codes[id(imported.statement)] = rule.code
                break
    for statement, members in statements.values():
        names = [imported for _, imported in members]
        targets = [context.import_targets.get(index) for index, _ in members]
        made = assemble(statement, names, targets)
        if made is not None:
            _put(context, statement, made, codes[id(statement)])


def _put(context: FileContext, statement: Statement, made: list[Statement], code: str) -> None:
    """Replaces an import statement by others, each on a line of its own where possible."""
    if len(made) == 1:
        context.replace(statement, made[0], code)
        return
    line = next(
        (
            node
            for node in descendants(context.module)
            if isinstance(node, cst.SimpleStatementLine) and statement in node.body
        ),
        None,
    )
    if line is None or len(line.body) > 1:
        context.replace(statement, lambda updated: cst.FlattenSentinel(made or [cst.Pass()]), code)
        return
    if not made:
        bare = line in context.module.body and not line.leading_lines
        bare = bare and line.trailing_whitespace.comment is None
        if bare:
            context.replace(line, lambda updated: cst.RemoveFromParent(), code)
        else:
            context.replace(statement, cst.Pass(), code)
        return

    def split(updated: Any) -> Any:
        first = updated.with_changes(body=[made[0]], trailing_whitespace=cst.TrailingWhitespace())
        middle = [cst.SimpleStatementLine([small]) for small in made[1:-1]]
        last = updated.with_changes(body=[made[-1]], leading_lines=[])
        return cst.FlattenSentinel([first, *middle, last])

    context.replace(line, split, code)


def _outcome(source: Source, context: FileContext, module: cst.Module) -> Outcome:
    new = source.content if module is source.module else source.with_module(module)
    places = _Places(source, context)
    left = [places.line(item.code, item.node, item.text) for item in context.remarks]
    applied = [places.line(edit.code, edit.node) for edit in context.applied]
    return Outcome(
        source.path,
        source.content,
        new,
        tuple(sorted(set(applied), key=_place)),
        tuple(sorted(set(left), key=_place)),
    )


class _Places:
    """Where the edits and remarks of a file are, and which of them a comment silences."""

    def __init__(self, source: Source, context: FileContext):
        self._notebook = source.notebook
        nodes = [edit.node for edit in context.applied] + [r.node for r in context.remarks]
        self._starts = {node: _first_name(node) for node in nodes}
        self._positions = Positions(source.module, self._starts.values())
        self._ignores = Ignores(self._positions.comments)

    def _number(self, node: cst.CSTNode) -> int:
        return self._positions[self._starts[node]].line

    def silences(self, code: str, node: cst.CSTNode) -> bool:
        """Whether a comment silences a code on the node's line."""
        return self._ignores.silences(code, self._number(node))

    def line(self, code: str, node: cst.CSTNode, text: str = "") -> Line:
        """A node's place, for the report."""
        number = self._number(node)
        if self._notebook is None:
            return Line(number, code, text)
        place = self._notebook.locate(number)
        return Line(place.line, code, text, place.cell)


def _place(line: Line) -> tuple[int, int, str, str]:
    return (line.cell or 0, line.line, line.code, line.text)


def _first_name(node: cst.CSTNode) -> cst.CSTNode:
    """The first name in a node: lines of statements are counted without their comments."""
    return next((n for n in descendants(node) if isinstance(n, cst.Name)), node)
