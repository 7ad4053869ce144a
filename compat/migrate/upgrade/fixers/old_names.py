"""U107: names from before TF 1.15 that only changed their name get the new one.

tf.mul(a, b)                tf.multiply(a, b)
tf.train.SummaryWriter(d)   tf.summary.FileWriter(d)
"""

from __future__ import annotations

from compat.migrate import lookup, symbols
from compat.migrate.upgrade.context import FileContext, Use
from compat.migrate.upgrade.registry import DROPIN, KERAS, fixer

_NEW = {row.name: row.use.removeprefix("tf.") for row in symbols.RENAMED}


@fixer("U107", "names from before TF 1.15 get their new name", (DROPIN, KERAS), "chain")
def fix(context: FileContext, use: Use) -> bool:
    """Writes one use of an old name with the new one."""
    name = lookup.tensorflow_name(use.path) or ""
    old = next((n for n in symbols.ONLY_RENAMED if name == n or name.startswith(n + ".")), None)
    if old is None or context.tf2_style:
        return False
    extra = name.count(".") - old.count(".")
    count = len(use.chain.attributes) - extra
    if count < 1:
        return False
    alias = context.namespace_alias(use.chain.scope)
    context.rename(use.chain, count, f"{alias}.{_NEW[old]}", "U107")
    return True
