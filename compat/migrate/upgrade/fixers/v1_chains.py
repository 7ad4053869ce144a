"""U105: `tf.compat.v1.X` becomes `tf.X` where `tf` becomes `compat.v1`."""

from __future__ import annotations

from compat.migrate.source.scopes import ImportedName
from compat.migrate.upgrade.context import NAMESPACE, FileContext, Use, local_name
from compat.migrate.upgrade.registry import DROPIN, KERAS, fixer


@fixer("U105", "tf.compat.v1.X becomes tf.X", (DROPIN, KERAS), "chain")
def fix(context: FileContext, use: Use) -> bool:
    """Takes `compat.v1` out of one use."""
    chain = use.chain
    if context.tf2_style or chain.attributes[:2] != ("compat", "v1"):
        return False
    targets = {
        context.import_targets.get(index, imported.path)
        for index, imported in enumerate(context.names.imports)
        if imported.scope is context.names.scope or imported.scope is chain.scope
        if _binds(imported, chain.root.value)
    }
    if targets != {NAMESPACE}:
        return False
    context.rename(chain, 2, chain.root.value, "U105")
    return True


def _binds(imported: ImportedName, name: str) -> bool:
    return local_name(imported) == name
