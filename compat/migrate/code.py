"""The code of a script or notebook, compiled so that tracebacks name its own lines."""

from __future__ import annotations

import linecache
import types

from compat.migrate.source.notebook import CellLine, Notebook

NOTEBOOK = ".ipynb"


def python_source(path: str) -> str:
    """The Python text of a script, or of all code cells of a notebook.

    Args:
      path: The file.

    Raises:
      NotebookError: It is no notebook of format 4.
    """
    texts = [text for _, text in _parts(path)]
    return "".join(t.decode(errors="replace") if isinstance(t, bytes) else t for t in texts)


def compiled(path: str) -> list[types.CodeType]:
    """What to execute, in order: a script as a whole, a notebook cell by cell.

    Args:
      path: The file.

    Raises:
      SyntaxError: It is not Python 3; its `filename` names the cell of a notebook.
      NotebookError: It is no notebook of format 4.
    """
    return [compile(text, name, "exec", dont_inherit=True) for name, text in _parts(path)]


def _parts(path: str) -> list[tuple[str, str | bytes]]:
    """(the name for tracebacks, the text) of each part."""
    if not path.endswith(NOTEBOOK):
        with open(path, "rb") as file:
            return [(path, file.read())]
    with open(path, encoding="utf-8") as file:
        notebook = Notebook(file.read())
    lines = notebook.source.splitlines(keepends=True)
    cells: dict[int, list[str]] = {}
    for number, line in enumerate(lines, 1):
        place: CellLine = notebook.locate(number)
        if place.line:  # Line 0 is the mark in front of a cell.
            cells.setdefault(place.cell, []).append(line)
    parts: list[tuple[str, str | bytes]] = []
    for cell, texts in cells.items():
        name = f"{path}, cell {cell}"
        # Python's tracebacks look lines up there.
        linecache.cache[name] = (sum(map(len, texts)), None, texts, name)
        parts.append((name, "".join(texts)))
    return parts
