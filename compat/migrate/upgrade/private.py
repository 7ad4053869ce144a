"""Plans for imports of private TensorFlow modules, shared by the fixers of paths.

    from tensorflow.python.training import session_run_hook
    class H(session_run_hook.SessionRunHook): …

Everything used of the module has the public name `train.` and the same word after it, so
`train` can take the module's place under the old name. Otherwise each use is
written with its public name, and the import goes if nothing else needs it.
"""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from compat.migrate import lookup
from compat.migrate.source.scopes import ImportedName
from compat.migrate.upgrade.context import FileContext, Use


class Plan(NamedTuple):
    """What to do about one private module.

    Attributes:
      namespace: The public module that takes its place (`""` for the top one), or None.
      rewritten: Whether uses are written with their public names instead.
      dropped: Whether the import is not needed afterwards.
    """

    namespace: str | None = None
    rewritten: bool = False
    dropped: bool = False


def is_private(path: str) -> bool:
    """Whether a path goes through TensorFlow's private modules."""
    name = lookup.tensorflow_name(path) or ""
    return name.startswith(("tensorflow.", "tensorflow_estimator.")) or name.startswith(
        "pywrap_tensorflow."
    )


def public(path: str) -> str | None:
    """The public name of a private path, if its verdict is not worse than the path's own."""
    name = lookup.tensorflow_name(path) or ""
    if name.startswith("pywrap_tensorflow."):
        name = f"tensorflow.python.{name}"
    return lookup.public_name(name) if name.startswith("tensorflow") else None


def plan_for(context: FileContext, module: str) -> Plan:
    """Decides what to do about a module that a file imports.

    Args:
      context: The file.
      module: The private module's path.

    Returns:
      The plan.
    """
    members = [u for u in context.uses if u.path.startswith(module + ".")]
    bare = [use for use in context.uses if use.path == module]
    found: dict[str, str | None] = {}
    for use in members:
        word = use.path[len(module) + 1 :].partition(".")[0]
        found[word] = public(f"{module}.{word}")
    namespaces = {_namespace(word, name) for word, name in found.items()}
    if not found and not bare:
        namespaces = {_namespace(w, n) for w, n in lookup.private_modules().get(module, {}).items()}
    if len(namespaces) == 1 and None not in namespaces:
        return Plan(namespace=namespaces.pop())
    if any(found.values()):
        return Plan(rewritten=True, dropped=not bare and all(found.values()))
    return Plan()


def _namespace(word: str, name: str | None) -> str | None:
    """`train` for `SessionRunHook` and `train.SessionRunHook`; None if the words differ."""
    if name is None:
        return None
    outer, _, leaf = name.rpartition(".")
    return outer if leaf == word else None


def keeps_full_paths(context: FileContext) -> bool:
    """Whether `import tensorflow…` must stay: a private path without a public name uses it."""
    return any(
        _through_top_name(use) and is_private(use.path) and public(use.path) is None
        for use in context.uses
    )


def _through_top_name(use: Use) -> bool:
    return use.chain.root.value in ("tensorflow", "tensorflow_estimator")


def binds_top_name(imported: ImportedName) -> bool:
    """Whether an import is of the form `import tensorflow.a.b`."""
    alias = imported.alias
    return isinstance(imported.statement, cst.Import) and alias is not None and not alias.asname
