"""Applies edits to a module, keeping everything else as it is written."""

from __future__ import annotations

from typing import Any

import libcst as cst

from compat.migrate.upgrade.context import FileContext


def apply(context: FileContext) -> cst.Module:
    """Makes the module with all edits and new imports of a context.

    Args:
      context: The file.

    Returns:
      The new module; the same object if there is nothing to do.
    """
    module = context.module
    anchor = _anchor(context) if context.new_imports else None
    if context.edits or anchor is not None:
        added = [cst.parse_statement(text) for text in context.new_imports]
        changed = module.visit(_Rewriter(context.edits, anchor, added))
        assert isinstance(changed, cst.Module)
        module = changed
    if context.new_imports and anchor is None:
        module = _on_top(module, list(context.new_imports))
    return module


def _anchor(context: FileContext) -> cst.CSTNode | None:
    """The top-level statement after which imports are added: the last one for TensorFlow."""
    statements = {id(name.statement) for name in context.imports}
    found = None
    for statement in context.module.body:
        if any(id(node) in statements for node in _small_statements(statement)):
            found = statement
    return found


def _small_statements(statement: cst.CSTNode) -> list[cst.CSTNode]:
    if isinstance(statement, cst.SimpleStatementLine):
        return list(statement.body)
    if isinstance(statement, cst.Try):
        blocks = [statement.body, *(handler.body for handler in statement.handlers)]
        return [
            small for block in blocks for line in block.body for small in _small_statements(line)
        ]
    return []


def _on_top(module: cst.Module, texts: list[str]) -> cst.Module:
    """Adds imports after the docstring and the `__future__` imports."""
    position = 0
    for statement in module.body:
        if not isinstance(statement, cst.SimpleStatementLine) or not _comes_first(statement):
            break
        position += 1
    added = [cst.parse_statement(text) for text in texts]
    body = [*module.body[:position], *added, *module.body[position:]]
    return module.with_changes(body=body)


def _comes_first(line: cst.SimpleStatementLine) -> bool:
    small = line.body[0]
    if isinstance(small, cst.Expr):
        return isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString))
    return (
        isinstance(small, cst.ImportFrom)
        and isinstance(small.module, cst.Name)
        and small.module.value == "__future__"
    )


class _Rewriter(cst.CSTTransformer):
    """Puts the edited nodes in their places."""

    def __init__(self, edits: dict[cst.CSTNode, Any], anchor: cst.CSTNode | None, added: list[Any]):
        super().__init__()
        self._edits = edits
        self._anchor = anchor
        self._added = added

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        edit = self._edits.get(original_node)
        new = updated_node if edit is None else edit(updated_node)
        if original_node is self._anchor:
            before = list(new.nodes) if isinstance(new, cst.FlattenSentinel) else [new]
            return cst.FlattenSentinel([*before, *self._added])
        return new
