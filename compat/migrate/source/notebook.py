"""Turns a Jupyter notebook into one Python source and back.

All code cells become one module, so that an import in one cell is known in the next. A
comment marks where each cell starts. Lines that only IPython understands (`%matplotlib inline`,
`!pip install …`, `foo?`) become `pass` statements and get their text back afterwards;
cells in other languages (`%%bash`) are left out.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from typing import Any, NamedTuple

_MARK = "# ---- compat cell {} ----"
_MARK_LINE = re.compile(r"^# ---- compat cell (\d+) ----\n", re.MULTILINE)
_MAGIC = re.compile(r"^(\s*)([%!?].*|[\w.\[\], ]+=\s*[%!].*|[^#'\"]*\?{1,2})$")
_MASKED = re.compile(r"pass  #compat-magic (.*)$", re.MULTILINE)
# Cell magics whose body is Python.
_PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")


class NotebookError(ValueError):
    """A file that is not a notebook this module can read."""


class CellLine(NamedTuple):
    """A place in a notebook: the cell from 1, as it stands in the file, and its line from 1."""

    cell: int
    line: int


class Notebook:
    """One notebook file.

    Args:
      text: The file's text.

    Attributes:
      source: The Python source of all its code cells.

    Raises:
      NotebookError: If the text is not a notebook, or a cell cannot be told from Python.
    """

    def __init__(self, text: str):
        try:
            self._content: dict[str, Any] = json.loads(text)
            cells = self._content["cells"]
            self._cells: dict[int, str] = {
                index: "".join(cell["source"])
                for index, cell in enumerate(cells)
                if cell["cell_type"] == "code" and _speaks_python(self._content)
            }
        except (ValueError, KeyError, TypeError) as error:
            raise NotebookError(f"not a Jupyter notebook of format 4: {error}") from error
        self._text = text
        self._style = _style_of(self._content, text)
        self._masked = {
            index: masked
            for index, source in self._cells.items()
            if (masked := _mask(source)) is not None
        }
        self.source = "".join(
            f"{_MARK.format(index)}\n{masked}\n" for index, masked in self._masked.items()
        )

    def locate(self, line: int) -> CellLine:
        """The cell and its line for a line of `source`."""
        start, cell = 0, 0
        for number, text in enumerate(self.source.splitlines()[:line], 1):
            match = _MARK_LINE.match(text + "\n")
            if match:
                start, cell = number, int(match[1])
        return CellLine(cell + 1, line - start)

    def cell_markers(self) -> dict[int, int]:
        """The line of `source` on which each cell's marker stands, by cell from 1."""
        return {
            int(match[1]) + 1: number
            for number, text in enumerate(self.source.splitlines(), 1)
            if (match := _MARK_LINE.match(text + "\n"))
        }

    def with_source(self, source: str) -> str:
        """The notebook's text with its cells taken from a changed `source`.

        Args:
          source: What `source` became. Its cell marks must all be there.

        Returns:
          The new text; byte for byte the old one if no cell changed.

        Raises:
          NotebookError: If a cell mark was lost.
        """
        pieces = _MARK_LINE.split(source)
        head, found = pieces[0], dict(zip(map(int, pieces[1::2]), pieces[2::2], strict=True))
        if list(found) != list(self._masked) or len(pieces) // 2 != len(self._masked):
            raise NotebookError("a cell was lost while rewriting")
        content = copy.deepcopy(self._content)
        changed = False
        for number, (index, piece) in enumerate(found.items()):
            body = piece.removesuffix("\n")
            if number == 0:
                body = head + body
            new = _MASKED.sub(lambda match: match[1], body)
            if new != self._cells[index]:
                changed = True
                old = content["cells"][index]["source"]
                content["cells"][index]["source"] = (
                    new.splitlines(keepends=True) if isinstance(old, list) else new
                )
        return _dump(content, self._style) if changed else self._text


def _speaks_python(content: dict[str, Any]) -> bool:
    """Whether a notebook is for Python; one that doesn't say is."""
    metadata = content.get("metadata", {})
    language = metadata.get("language_info", {}).get("name")
    language = language or metadata.get("kernelspec", {}).get("language")
    return (language or "python").lower().startswith(("python", "ipython"))


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _mask(source: str) -> str | None:
    """A cell as Python, or None if it is in another language."""
    if _MARK_LINE.search(source + "\n"):
        raise NotebookError("a cell holds a line that this tool uses as its mark")
    first = source.lstrip().partition("\n")[0].split(" ")[0]
    if first.startswith("%%") and first not in _PYTHON_MAGICS:
        return None
    if _is_python(source):
        return source
    return "\n".join(_MAGIC.sub(_masked_line, line) for line in source.split("\n"))


def _masked_line(match: re.Match[str]) -> str:
    return f"{match[1]}pass  #compat-magic {match[2]}"


class _Style(NamedTuple):
    indent: int | None
    ascii_only: bool
    compact: bool  # Without spaces behind commas and colons.
    tail: str  # What follows the last brace.


def _style_of(content: dict[str, Any], text: str) -> _Style:
    """How the file was written."""
    tail = text[len(text.rstrip()) :]
    for indent in (1, 2, 4, None):
        for ascii_only in (False, True):
            for compact in (False, True):
                style = _Style(indent, ascii_only, compact, tail)
                if _dump(content, style) == text:
                    return style
    return _Style(1, ascii_only=False, compact=False, tail=tail or "\n")


def _dump(content: dict[str, Any], style: _Style) -> str:
    separators = (",", ":") if style.compact else None
    dumped = json.dumps(
        content, indent=style.indent, ensure_ascii=style.ascii_only, separators=separators
    )
    return dumped + style.tail
