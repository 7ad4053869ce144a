"""U108: modules imported by their name in a string.

importlib.import_module("tensorflow.compat.v1")      importlib.import_module("compat.v1")
LazyLoader("tf", globals(), "tensorflow")            LazyLoader("tf", globals(), "compat.v1")
"""

from __future__ import annotations

import libcst as cst

from compat.migrate import lookup
from compat.migrate.source.scopes import IMPORTERS
from compat.migrate.source.tree import descendants, dotted, string_value
from compat.migrate.upgrade.context import NAMESPACE, FileContext
from compat.migrate.upgrade.registry import DROPIN, KERAS, fixer


@fixer("U108", "modules imported by a string", (DROPIN, KERAS), "file")
def fix(context: FileContext) -> None:
    """Rewrites the string of each such call."""
    for node in descendants(context.module):
        if not isinstance(node, cst.Call):
            continue
        function = (dotted(node.func) or "").rpartition(".")[2]
        texts = [arg.value for arg in node.args if string_value(arg.value)]
        if function in IMPORTERS and texts and isinstance(texts[-1], cst.SimpleString):
            _rewrite(context, texts[-1])


def _rewrite(context: FileContext, node: cst.SimpleString) -> None:
    path = string_value(node) or ""
    name = lookup.tensorflow_name(path)
    if name is None or path.startswith("compat."):
        return
    if name.startswith(("tensorflow.", "tensorflow_estimator.", "compat.v2", "contrib")):
        return
    if context.tf2_style and not path.startswith("tensorflow.compat.v1"):
        return
    new = f"{NAMESPACE}.{name}" if name else NAMESPACE
    quoted = f"{node.prefix}{node.quote}{new}{node.quote}"
    context.replace(node, node.with_changes(value=quoted), "U108")
