"""U102: private paths become the public names behind them.

    from tensorflow.python.training.session_run_hook import SessionRunHook
    from tensorflow.python.framework import ops

become

    from compat.v1.train import SessionRunHook
    import compat.v1 as ops
"""

from __future__ import annotations

from compat.migrate.source.scopes import ImportedName
from compat.migrate.upgrade.context import NAMESPACE, FileContext, Use
from compat.migrate.upgrade.private import (
    binds_top_name,
    is_private,
    keeps_full_paths,
    plan_for,
    public,
)
from compat.migrate.upgrade.registry import DROP, DROPIN, KERAS, fixer

_TITLE = "private paths become the public names behind them"


@fixer("U102", _TITLE, (DROPIN, KERAS), "import")
def fix_import(context: FileContext, imported: ImportedName) -> str | None:
    """Gives the new path of a name imported from a private module."""
    if not is_private(imported.path) or imported.alias is None:
        return None
    if binds_top_name(imported):
        return None if keeps_full_paths(context) else NAMESPACE
    name = public(imported.path)
    if name is not None:
        return f"{NAMESPACE}.{name}"
    plan = plan_for(context, imported.path)
    if plan.namespace is not None:
        return f"{NAMESPACE}.{plan.namespace}".rstrip(".")
    return DROP if plan.dropped else None


@fixer("U102", _TITLE, (DROPIN, KERAS), "chain")
def fix_chain(context: FileContext, use: Use) -> bool:
    """Writes one use of a private path with its public name."""
    name = public(use.path)
    if name is None or not is_private(use.path):
        return False
    chain = use.chain
    full_path = chain.root.value in ("tensorflow", "tensorflow_estimator") or _through_root(use)
    if full_path:
        if keeps_full_paths(context):
            return False
    elif not chain.attributes or not _rewritten(context, use):
        return False
    extra = len(name.split(".")) - len((public_base(use.path) or name).split("."))
    alias = context.namespace_alias(chain.scope)
    base = public_base(use.path) or name
    context.rename(chain, len(chain.attributes) - extra, f"{alias}.{base}", "U102")
    return True


def public_base(path: str) -> str | None:
    """The public name of the symbol itself, without attributes taken from it."""
    parts = path.split(".")
    found = None
    for count in range(1, len(parts) + 1):
        found = public(".".join(parts[:count]))
        if found is not None:
            return found
    return found


def _through_root(use: Use) -> bool:
    """`tf.python.training…` through a plain import of TensorFlow."""
    return use.chain.attributes[:1] == ("python",)


def _rewritten(context: FileContext, use: Use) -> bool:
    depth = len(use.chain.attributes)
    module = use.path.rsplit(".", depth)[0] if depth else use.path
    return plan_for(context, module).rewritten
