"""Puts import statements together from the new paths of their names."""

from __future__ import annotations

import libcst as cst

from compat.migrate.source.scopes import ImportedName
from compat.migrate.upgrade.context import local_name
from compat.migrate.upgrade.registry import DROP

Statement = cst.Import | cst.ImportFrom


def assemble(
    statement: Statement, names: list[ImportedName], targets: list[str | None]
) -> list[Statement] | None:
    """Makes the statements that import the new paths under the old names.

    Args:
      statement: The statement as it is.
      names: The names it imports, in order.
      targets: For each name its new path, `DROP`, or None to keep it.

    Returns:
      The new statements; None if nothing changes.
    """
    if all(target is None for target in targets):
        return None
    if isinstance(statement, cst.Import):
        return _imports(statement, names, targets)
    if isinstance(statement.names, cst.ImportStar):
        assert targets[0]
        return [statement.with_changes(module=_dotted(targets[0]))]
    simple = _same_shape(statement, names, targets)
    return [simple] if simple is not None else _from_imports(statement, names, targets)


def _dotted(path: str) -> cst.Name | cst.Attribute:
    node = cst.parse_expression(path)
    assert isinstance(node, (cst.Name, cst.Attribute))
    return node


def _as_name(name: str) -> cst.AsName:
    space = cst.SimpleWhitespace(" ")
    return cst.AsName(cst.Name(name), space, space)


def _imports(
    statement: cst.Import, names: list[ImportedName], targets: list[str | None]
) -> list[Statement]:
    """`import a, b as c`: each name keeps its place in the statement."""
    aliases = []
    for alias, imported, target in zip(statement.names, names, targets, strict=True):
        if target is None:
            aliases.append(alias)
        elif target != DROP:
            asname = alias.asname or _as_name(local_name(imported))
            aliases.append(alias.with_changes(name=_dotted(target), asname=asname))
    if not aliases:
        return []
    last = aliases[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return [statement.with_changes(names=[*aliases[:-1], last])]


def _same_shape(
    statement: cst.ImportFrom, names: list[ImportedName], targets: list[str | None]
) -> cst.ImportFrom | None:
    """The statement with only its module changed, which keeps its layout and comments."""
    modules = set()
    for imported, target in zip(names, targets, strict=True):
        if not target or "." not in target:
            return None
        module, _, leaf = target.rpartition(".")
        if imported.alias is None or leaf != imported.path.rpartition(".")[2]:
            return None
        # `from compat import v1` would be right too; one spelling is easier to search for.
        if target == "compat.v1":
            return None
        modules.add(module)
    return statement.with_changes(module=_dotted(modules.pop())) if len(modules) == 1 else None


def _from_imports(
    statement: cst.ImportFrom, names: list[ImportedName], targets: list[str | None]
) -> list[Statement]:
    """One statement for each new module, in the order in which they come up."""
    kept: list[cst.ImportAlias] = []
    groups: dict[str, list[cst.ImportAlias]] = {}
    plain: list[Statement] = []
    for imported, target in zip(names, targets, strict=True):
        alias = imported.alias
        assert alias is not None
        name = local_name(imported)
        if target is None:
            kept.append(alias)
        elif target == "compat.v1":
            plain.append(cst.Import([cst.ImportAlias(_dotted(target), _as_name(name))]))
        elif target != DROP:
            module, _, leaf = target.rpartition(".")
            asname = None if leaf == name else _as_name(name)
            groups.setdefault(module, []).append(cst.ImportAlias(cst.Name(leaf), asname))
    made = [*plain, *(_from(module, aliases) for module, aliases in groups.items())]
    if kept:
        last = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        made.append(statement.with_changes(names=[*kept[:-1], last]))
    return made


def _from(module: str, aliases: list[cst.ImportAlias]) -> cst.ImportFrom:
    return cst.ImportFrom(module=_dotted(module), names=aliases)
