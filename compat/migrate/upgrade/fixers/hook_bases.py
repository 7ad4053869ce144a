"""U301: hook classes get the package's own base, so that Keras fit takes them as callbacks.

class Logger(tf.train.SessionRunHook):       class Logger(compat.SessionRunHook):
"""

from __future__ import annotations

from compat.migrate import lookup, symbols
from compat.migrate.upgrade.context import NAMESPACE, FileContext
from compat.migrate.upgrade.registry import KERAS, fixer

# Those that the package has at its top.
_BASES = (symbols.HOOK_BASES | symbols.LISTENER_BASES) - {"InMemoryEvaluatorHook"}


@fixer("U301", "hook classes get the package's base", (KERAS,), "file")
def fix(context: FileContext) -> None:
    """Rewrites the bases of every hook class."""
    by_node = {id(use.chain.node): use for use in context.uses}
    for site in context.names.classes:
        for base in site.node.bases:
            use = by_node.get(id(base.value))
            leaf = _hook_class(use.path) if use is not None else None
            if use is None or leaf is None or use.path == f"compat.{leaf}":
                continue
            if not context.is_free("compat") and "import compat" not in context.new_imports:
                if not _imports_package(context):
                    context.remark("U301", site.node, f"the name compat is taken; base {leaf}")
                    continue
            elif not _imports_package(context):
                context.new_imports["import compat"] = None
            context.rename(use.chain, len(use.chain.attributes), f"compat.{leaf}", "U301")


def _imports_package(context: FileContext) -> bool:
    return any(
        imported.path in ("compat", NAMESPACE)
        and imported.alias is not None
        and imported.alias.asname is None
        for imported in context.names.imports
        if imported.scope is context.names.scope
    )


def _hook_class(path: str) -> str | None:
    """The name of the hook class that a path leads to."""
    name = lookup.tensorflow_name(path) or ""
    name = lookup.public_name(name) or name
    if name.startswith("contrib."):
        row = lookup.replacement(name)
        name = row.use.removeprefix("tf.") if row is not None and row.same else ""
    outer, _, leaf = name.rpartition(".")
    known = outer in ("train", "estimator")
    return leaf if known and leaf in _BASES else None
