"""Reports what no fixer changes and does not work as it is: codes C3xx and C4xx of `check`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from compat.migrate import lookup, symbols
from compat.migrate.source.scopes import Chain
from compat.migrate.upgrade.context import FileContext
from compat.migrate.upgrade.registry import MODES, fixer

# These take `compat.v1` out of a name, which does not change what becomes of it.
_SAME_SYMBOL = ("U105", "U106")


@fixer("U100", "report what is left to a person", MODES, "file")
def fix(context: FileContext) -> None:
    """Adds a remark for every symbol that still needs a person."""
    for node, path in _symbols(context):
        name = lookup.tensorflow_name(path)
        verdict = lookup.classify(name) if name else None
        if verdict is None or verdict.status not in (symbols.HAND, symbols.UNSUPPORTED):
            continue
        if verdict.code == "C305" and context.tf2_style:
            continue
        private = verdict.symbol.startswith(("tensorflow.", "tensorflow_estimator."))
        symbol = verdict.symbol if private else f"tf.{verdict.symbol}"
        what = verdict.note or symbols.RULES[verdict.code].title
        use = f"; use {verdict.use}" if verdict.use else ""
        context.remark(verdict.code, node, f"{symbol}: {what}{use}")


def _symbols(context: FileContext) -> Iterator[tuple[cst.CSTNode, str]]:
    """Every symbol and the path it leads to after the edits, except the replaced ones."""
    for index, imported in enumerate(context.names.imports):
        if imported in context.imports:
            path = context.import_targets.get(index) or imported.path
            yield imported.alias or imported.statement, path
    codes = {edit.node: edit.code for edit in context.applied}
    for use in context.uses:
        edited = {codes[part] for part in _parts(use.chain) if part in codes}
        if edited <= set(_SAME_SYMBOL):
            yield use.chain.root, use.path


def _parts(chain: Chain) -> Iterator[cst.CSTNode]:
    """A use, and the shorter uses at its beginning."""
    node: cst.CSTNode = chain.node
    yield node
    while isinstance(node, cst.Attribute):
        node = node.value
        yield node
