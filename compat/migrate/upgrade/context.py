"""One file while it is upgraded: its names, the edits wanted, the remarks for a person."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import libcst as cst

from compat.migrate import lookup, styles
from compat.migrate.source.scopes import STAR, Chain, ImportedName, Names, Scope

#: The namespace that stands in for TensorFlow 1.
NAMESPACE = "compat.v1"

Edit = Callable[[Any], Any]


class Remark(NamedTuple):
    """Something left to a person.

    Attributes:
      code: The rule, of `check` or of a fixer.
      node: Where.
      text: What, and what to do.
    """

    code: str
    node: cst.CSTNode
    text: str


class Applied(NamedTuple):
    """One edit: the fixer's code and where."""

    code: str
    node: cst.CSTNode


class Use(NamedTuple):
    """A use of a name that leads to TensorFlow.

    Attributes:
      chain: The use.
      paths: The dotted paths it may lead to.
    """

    chain: Chain
    paths: tuple[str, ...]

    @property
    def path(self) -> str:
        """The first of the paths; they differ only where a file has two imports for one name."""
        return self.paths[0]


class FileContext:
    """One file.

    Args:
      module: Its module.
      path: Its path.
      mode: The upgrade's mode.

    Attributes:
      names: What its names lead to.
      edits: The edits by node.
      remarks: What is left to a person.
      applied: What was edited.
      new_imports: Import statements to add, as text.
    """

    def __init__(self, module: cst.Module, path: Path, mode: str):
        self.module = module
        self.path = path
        self.mode = mode
        self.names = Names(module)
        self.edits: dict[cst.CSTNode, Edit] = {}
        self.remarks: list[Remark] = []
        self.applied: list[Applied] = []
        self.new_imports: dict[str, None] = {}
        #: What each imported name becomes; filled by the engine before chains are asked.
        self.import_targets: dict[int, str] = {}

    # Names

    @cached_property
    def uses(self) -> list[Use]:
        """Every use of a name that leads to TensorFlow or to this package's namespace."""
        found = []
        for chain in self.names.chains:
            paths = tuple(p for p in self.names.resolve(chain) if _leads_to_tensorflow(p))
            if paths:
                found.append(Use(chain, paths))
        return found

    @cached_property
    def imports(self) -> list[ImportedName]:
        """Every import of a name that leads to TensorFlow or to this package's namespace."""
        return [name for name in self.names.imports if _leads_to_tensorflow(name.path)]

    @cached_property
    def tf2_style(self) -> bool:
        """Whether the file takes TF2 as `tf` and TF1 as `tf.compat.v1`."""
        uses = [use.paths for use in self.uses]
        return styles.is_tf2_style(uses, [name.path for name in self.imports])

    def is_free(self, name: str) -> bool:
        """Whether no scope of the file gives a name a meaning."""
        scopes = [self.names.scope, *self.names.scope_of.values()]
        used = any(chain.root.value == name for chain in self.names.chains)
        return not used and not any(name in scope.bindings for scope in scopes)

    def namespace_alias(self, scope: Scope, preferred: str = "tf") -> str:
        """The name under which `compat.v1` can be used in a scope.

        An import is added if there is none.

        Args:
          scope: Where it is used.
          preferred: The name wanted for a new import.

        Returns:
          The name.
        """
        for name in self._aliases():
            if self._means_import(name, scope):
                return name
        for name in (preferred, "tf1", "tf_v1"):
            statement = f"import {NAMESPACE} as {name}"
            if statement in self.new_imports or self.is_free(name):
                self.new_imports[statement] = None
                return name
        raise LookupError("no free name for the namespace")

    def _aliases(self) -> list[str]:
        """Names that mean the namespace wherever the module's own names are seen."""
        targets: dict[str, list[str]] = {}
        for index, imported in enumerate(self.names.imports):
            if imported.scope is self.names.scope and imported.alias is not None:
                # `import compat.v1 as ops` would do, but is no name to write more of.
                name = local_name(imported)
                whole = lookup.tensorflow_name(imported.path) == ""
                if whole or name == imported.path.partition(".")[0]:
                    target = self.import_targets.get(index, imported.path)
                    targets.setdefault(name, []).append(target)
        return [
            name
            for name, found in targets.items()
            if set(found) == {NAMESPACE} and len(self.names.scope.bindings[name]) == len(found)
        ]

    def _means_import(self, name: str, scope: Scope) -> bool:
        current: Scope | None = scope
        while current is not None and current is not self.names.scope:
            if name in current.bindings:
                return False
            current = current.outer
        return True

    # Edits

    def replace(self, node: cst.CSTNode, new: cst.CSTNode | Edit, code: str) -> None:
        """Asks for a node to become another.

        Args:
          node: The node as it is in `module`.
          new: The new node, or a function from the node with its parts edited.
          code: The fixer's code.
        """
        if isinstance(new, cst.CSTNode):
            fixed = new
            self.edits[node] = lambda updated: fixed
        else:
            self.edits[node] = new
        self.applied.append(Applied(code, node))

    def rename(self, chain: Chain, count: int, new: str, code: str) -> None:
        """Replaces the beginning of a use: `tf.compat.v1` of `tf.compat.v1.train.Saver`.

        Args:
          chain: The use.
          count: How many attributes after the root are replaced too.
          new: The dotted text to stand there.
          code: The fixer's code.
        """
        node = self.part(chain, count)
        fresh = cst.parse_expression(new)
        kept = {"lpar": node.lpar, "rpar": node.rpar}
        self.replace(node, fresh.with_changes(**kept), code)

    @staticmethod
    def part(chain: Chain, count: int) -> cst.Name | cst.Attribute:
        """The node of the first `count` attributes of a use."""
        node = chain.node
        for _ in range(len(chain.attributes) - count):
            assert isinstance(node, cst.Attribute)
            node = node.value
        assert isinstance(node, (cst.Name, cst.Attribute))
        return node

    def remark(self, code: str, node: cst.CSTNode, text: str) -> None:
        """Leaves something to a person."""
        self.remarks.append(Remark(code, node, text))


def _leads_to_tensorflow(path: str) -> bool:
    # What a star import brings has no prefix to edit; the import itself is rewritten.
    return f".{STAR}." not in path and lookup.tensorflow_name(path) is not None


def local_name(imported: ImportedName) -> str:
    """The name that an import binds."""
    alias = imported.alias
    if alias is None:
        return "*"
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return alias.asname.name.value
    if isinstance(imported.statement, cst.Import):
        return imported.path.partition(".")[0]
    assert isinstance(alias.name, cst.Name)
    return alias.name.value
