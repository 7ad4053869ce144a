"""What one file says, in a form that can be sent between processes.

`compat check` reads each file once, on its own, and puts the files together afterwards:
which class is a hook may depend on another file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import libcst as cst

from compat.migrate import lookup, surfaces, symbols
from compat.migrate.source.ignores import Ignores
from compat.migrate.source.positions import Positions
from compat.migrate.source.reading import Source, SourceError, check_syntax, read_bytes
from compat.migrate.source.scopes import STAR, Chain, ClassSite, Names
from compat.migrate.source.tree import descendants

# What a file must mention to be worth parsing.
_MENTIONS = re.compile(rb"tensorflow|\btf\b|\bcompat\b|\bpartial_run")
_MAIN = re.compile(rb"__name__\s*==\s*['\"]__main__['\"]")


class Use(NamedTuple):
    """A use of something outside the module.

    Attributes:
      paths: The dotted paths it may lead to.
      line: The line, from 1.
      column: The column, from 1.
    """

    paths: tuple[str, ...]
    line: int
    column: int


class ClassFact(NamedTuple):
    """A class statement.

    Attributes:
      qualname: Its dotted name, `@.Outer.Inner`.
      line: The line of its name.
      column: The column of its name.
      bases: For each base, the paths it may lead to.
      methods: The methods it defines itself.
      traits: Keys and details of habits that matter to the surfaces.
    """

    qualname: str
    line: int
    column: int
    bases: tuple[tuple[str, ...], ...]
    methods: tuple[str, ...]
    traits: tuple[tuple[str, str], ...]


class FileFacts(NamedTuple):
    """One file.

    Attributes:
      path: The file.
      parsed: Whether it mentioned enough to be parsed.
      error: Code, line and words, if it could not be read.
      imports: The dotted paths it imports.
      tensorflow: Uses of TensorFlow's names.
      local: Uses of names from the code base's own modules.
      methods: Rule code, method name, line and column of telling method calls.
      classes: The classes that may be hooks.
      exports: What the module's own names lead to.
      stars: Modules it imports everything from.
      compat_lines: Lines that import a top-level module named compat, not this package.
      script: Whether it is meant to be run.
      ignores: The rules silenced by comments.
      notebook_cells: Of a notebook, the line of the joined source where each cell starts.
    """

    path: Path
    parsed: bool = False
    error: tuple[str, int, str] | None = None
    imports: tuple[str, ...] = ()
    tensorflow: tuple[Use, ...] = ()
    local: tuple[Use, ...] = ()
    methods: tuple[tuple[str, str, int, int], ...] = ()
    classes: tuple[ClassFact, ...] = ()
    exports: dict[str, tuple[str, ...]] = {}
    stars: tuple[str, ...] = ()
    compat_lines: tuple[int, ...] = ()
    script: bool = False
    ignores: Ignores | None = None
    notebook_cells: dict[int, int] | None = None


def collect(path: Path, local_names: frozenset[str], extra: re.Pattern[bytes] | None) -> FileFacts:
    """Reads one file.

    Args:
      path: The file.
      local_names: First parts of the names of the code base's own modules.
      extra: What else makes a file worth parsing, beside TensorFlow's name.

    Returns:
      What it says. A file that mentions nothing of interest only has its syntax checked.
    """
    try:
        content = read_bytes(path)
        script = _MAIN.search(content) is not None
        if not _MENTIONS.search(content) and not (extra and extra.search(content)):
            check_syntax(path, content)
            return FileFacts(path, script=script)
        source = Source(path, content)
    except SourceError as error:
        return FileFacts(path, error=(error.code, error.line, error.what))
    return _collect(source, local_names, script)


def _collect(source: Source, local_names: frozenset[str], script: bool) -> FileFacts:
    names = Names(source.module)
    tensorflow: list[tuple[cst.CSTNode, tuple[str, ...]]] = []
    local: list[tuple[cst.CSTNode, tuple[str, ...]]] = []
    compat: list[cst.CSTNode] = []
    for imported in names.imports:
        node = imported.alias or imported.statement
        _sort(node, (imported.path,), local_names, tensorflow, local)
        if imported.path.partition(".")[0] == "compat" and not _is_ours(imported.path):
            compat.append(node)
    for chain in names.chains:
        paths = names.resolve(chain)
        if paths and not _rebinds_module(chain, paths):
            _sort(chain.root, paths, local_names, tensorflow, local)
    telling = _telling_methods(source)
    classes = [_class_site(site, names) for site in names.classes]
    classes = [item for item in classes if item[1] or any(item[2])]
    wanted = [node for node, _ in (*tensorflow, *local)]
    wanted += compat + [node for _, _, node in telling] + [site.node.name for site, *_ in classes]
    positions = Positions(source.module, wanted)
    return FileFacts(
        path=source.path,
        parsed=True,
        imports=tuple(imported.path for imported in names.imports),
        tensorflow=tuple(Use(paths, *positions[node]) for node, paths in tensorflow),
        local=tuple(Use(paths, *positions[node]) for node, paths in local),
        methods=tuple((code, name, *positions[node]) for code, name, node in telling),
        classes=tuple(
            ClassFact(
                site.qualname,
                *positions[site.node.name],
                bases=bases,
                methods=methods,
                traits=tuple((trait.key, trait.detail) for trait in traits),
            )
            for site, methods, bases, traits in classes
        ),
        exports=names.exports(),
        stars=tuple(names.scope.stars),
        compat_lines=tuple(positions[node].line for node in compat),
        script=script,
        ignores=Ignores(positions.comments),
        notebook_cells=source.notebook.cell_markers() if source.notebook else None,
    )


def _class_site(
    site: ClassSite, names: Names
) -> tuple[ClassSite, tuple[str, ...], tuple[tuple[str, ...], ...], list[surfaces.Trait]]:
    """A class, its methods, what its bases lead to, and its habits if it may be a hook."""
    methods = surfaces.method_names(site.node)
    bases = tuple(
        tuple(_from_star(path) for path in paths)
        for base in site.node.bases
        for paths in [names.resolve_expression(base.value, site.scope, site.order)]
    )
    hook_like = surfaces.interesting(methods)
    may_be_hook = hook_like or (bool(methods) and any(bases))
    traits = surfaces.find_traits(site, names) if may_be_hook else []
    return site, methods if hook_like or any(bases) else (), bases, traits


def _is_ours(path: str) -> bool:
    return path != "compat" and lookup.tensorflow_name(path) is not None


def _rebinds_module(chain: Chain, paths: tuple[str, ...]) -> bool:
    """A bare module name passed around (`tf`) is no use of a symbol."""
    return not chain.attributes and all(path in ("tensorflow", "compat.v1") for path in paths)


def _sort(
    node: cst.CSTNode,
    paths: tuple[str, ...],
    local_names: frozenset[str],
    tensorflow: list[tuple[cst.CSTNode, tuple[str, ...]]],
    local: list[tuple[cst.CSTNode, tuple[str, ...]]],
) -> None:
    paths = tuple(found for path in paths if (found := _from_star(path)))
    outside = tuple(path for path in paths if lookup.tensorflow_name(path) is not None)
    if outside:
        tensorflow.append((node, outside))
        return
    inside = tuple(
        path for path in paths if path.startswith(".") or path.partition(".")[0] in local_names
    )
    if inside:
        local.append((node, inside))


def _from_star(path: str) -> str:
    """A path without the mark of a star import; empty if TensorFlow has no such name."""
    if f".{STAR}." not in path:
        return path
    plain = path.replace(f".{STAR}.", ".")
    name = lookup.tensorflow_name(plain)
    verdict = lookup.classify(name) if name is not None else None
    return "" if verdict is not None and verdict.code == "C304" else plain


def _telling_methods(source: Source) -> list[tuple[str, str, cst.CSTNode]]:
    rows = {row.name: row.code for row in symbols.METHODS if row.name.encode() in source.content}
    return [
        (rows[node.func.attr.value], node.func.attr.value, node.func.attr)
        for node in (descendants(source.module) if rows else ())
        if isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value in rows
    ]
