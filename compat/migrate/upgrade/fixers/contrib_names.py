"""U104: tf.contrib names that live on elsewhere, with the same arguments, get that name.

tf.contrib.rnn.LSTMCell(64)                tf.nn.rnn_cell.LSTMCell(64)
from tensorflow.contrib.data import scan   from compat.v1.data.experimental import scan
"""

from __future__ import annotations

from compat.migrate import lookup
from compat.migrate.source.scopes import ImportedName
from compat.migrate.upgrade.context import NAMESPACE, FileContext, Use
from compat.migrate.upgrade.registry import DROPIN, KERAS, fixer

_TITLE = "tf.contrib names that live on elsewhere get that name"


@fixer("U104", _TITLE, (DROPIN, KERAS), "import")
def fix_import(context: FileContext, imported: ImportedName) -> str | None:
    """Gives the new path of a name imported from tf.contrib."""
    successor = _successor(imported.path)
    return f"{NAMESPACE}.{successor}" if successor else None


@fixer("U104", _TITLE, (DROPIN, KERAS), "chain")
def fix_chain(context: FileContext, use: Use) -> bool:
    """Writes one use of a tf.contrib name with its successor."""
    name = lookup.tensorflow_name(use.path) or ""
    row = lookup.replacement(name) if name.startswith("contrib.") else None
    if row is None or not row.same:
        return False
    extra = name.count(".") - row.name.count(".")
    count = len(use.chain.attributes) - extra
    if count < 1:
        return False  # The name itself was imported; the import is rewritten.
    alias = context.namespace_alias(use.chain.scope)
    context.rename(use.chain, count, f"{alias}.{row.use.removeprefix('tf.')}", "U104")
    return True


def _successor(path: str) -> str | None:
    name = lookup.tensorflow_name(path) or ""
    row = lookup.replacement(name) if name.startswith("contrib.") else None
    if row is None or not row.same or row.name != name:
        return None
    return row.use.removeprefix("tf.")
