"""Reads one Python file or notebook so that it can be written back byte for byte.

A file that is not Python 3 is described, not guessed at: `SourceError` says where it
stops being Python and whether it looks like Python 2.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import libcst as cst

from compat.migrate.source.notebook import Notebook, NotebookError

# Long chains of `+` nest as deep as they are long.
_DEEPEST_TREE = 20_000

_PYTHON2 = re.compile(
    r"""^\s*print\s+["'%\w(]      # print "…", print x
      | ^\s*print\s*>>            # print >>sys.stderr
      | ^\s*print\s*$             # a bare print
      | ^\s*except\s+[\w.()\s,]+,\s*\w+\s*:   # except X, e:
      | ^\s*raise\s+[\w.]+\s*,    # raise X, "…"
      | ^\s*exec\s+["'\w]         # exec "…"
      | \b0[0-7]+\b(?!\.)         # 0777
      | \b\d+[lL]\b               # 10L
      | `[^`\n]+`                 # `x`
      | \bur["']                  # ur"…"
      | <>
      | ^\s*def\s+\w+\(.*[(,]\s*\(\s*\w+\s*,   # def f(a, (b, c))
      | \blambda\s*\(\w+\s*,     # lambda (a, b): …
    """,
    re.VERBOSE,
)
# Python 2 that newer parsers, or all, take for something else: `except X, e:`, `print >>f, x`.
_SUSPICIOUS = re.compile(
    rb"^[ \t]*(?:except[ \t]+[\w.]+[ \t]*,[ \t]*[a-z]\w*[ \t]*:|print[ \t]*>>)", re.MULTILINE
)
_CONVERT = "Python 2 syntax: convert the file to Python 3 first"


class SourceError(Exception):
    """A file that cannot be read as Python 3.

    Attributes:
      code: C901 not valid Python, C902 Python 2, C903 unreadable.
      line: Where, from 1.
      what: In a few words.
    """

    def __init__(self, code: str, line: int, what: str):
        super().__init__(what)
        self.code = code
        self.line = line
        self.what = what


class Source:
    """One file, parsed.

    Args:
      path: The file.
      content: Its bytes; read from the file if not given.

    Attributes:
      path: The file.
      content: Its bytes.
      module: The parsed module; of a notebook, all its code cells.
      notebook: The notebook, if it is one.

    Raises:
      SourceError: If it is not Python 3.
    """

    def __init__(self, path: Path, content: bytes | None = None):
        self.path = path
        if content is None:
            content = read_bytes(path)
        self.content = content
        self.notebook: Notebook | None = None
        if path.suffix == ".ipynb":
            self.notebook = _notebook(content)
            content = self.notebook.source.encode()
        self._python = content
        self.module = _parse(content)

    @property
    def exact(self) -> bool:
        """Whether writing it back gives the same bytes; some rare layouts do not."""
        return self.module.bytes == self._python

    def with_module(self, module: cst.Module) -> bytes:
        """The file's bytes with a changed module.

        Args:
          module: What the module became.

        Returns:
          The new content.

        Raises:
          SourceError: If the file, or the notebook, could not be kept as it is elsewhere.
        """
        if not self.exact:
            raise SourceError("C903", 1, "its layout would not be kept")
        if self.notebook is None:
            return module.bytes
        try:
            return self.notebook.with_source(module.code).encode()
        except NotebookError as error:
            raise SourceError("C903", 1, str(error)) from error


def read_bytes(path: Path) -> bytes:
    """A file's bytes.

    Args:
      path: The file.

    Returns:
      Its content.

    Raises:
      SourceError: If it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError("C903", 1, error.strerror or str(error)) from error


def check_syntax(path: Path, content: bytes) -> None:
    """Makes sure that a file is Python 3, faster than by parsing it with its layout.

    Args:
      path: The file or notebook.
      content: Its bytes.

    Raises:
      SourceError: If it is not Python 3, or no notebook.
    """
    if path.suffix == ".ipynb":
        content = _notebook(content).source.encode()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # The running Python may be older than the file's syntax; libcst decides.
        _parse(content)


def _notebook(content: bytes) -> Notebook:
    try:
        return Notebook(content.decode())
    except UnicodeDecodeError as error:
        raise SourceError("C903", 1, "not UTF-8 text") from error
    except NotebookError as error:
        raise SourceError("C903", 1, str(error)) from error


def _parse(content: bytes) -> cst.Module:
    if sys.getrecursionlimit() < _DEEPEST_TREE:
        sys.setrecursionlimit(_DEEPEST_TREE)
    if _SUSPICIOUS.search(content):
        _refuse_python2(content)
    try:
        return cst.parse_module(content)
    except cst.ParserSyntaxError as error:
        raise _describe(content, error.raw_line) from error
    except (UnicodeDecodeError, LookupError, SyntaxError) as error:
        raise SourceError("C903", 1, f"the encoding cannot be read: {error}") from error
    except RecursionError as error:
        raise SourceError("C903", 1, "nested too deeply") from error


def _refuse_python2(content: bytes) -> None:
    """Raises for the Python 2 statements that libcst reads as something else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise _describe(content, getattr(error, "lineno", None) or 1) from error
    for node in ast.walk(tree):
        shifts = isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift)
        left = node.left if shifts else None  # type: ignore[attr-defined]
        if isinstance(left, ast.Name) and left.id == "print":
            raise SourceError("C902", left.lineno, _CONVERT)


def _describe(content: bytes, line: int) -> SourceError:
    """Tells Python 2 from plain errors by what the file is written in."""
    lines = content.decode("utf-8", "replace").splitlines()
    suspects = [line, line - 1] if 0 < line <= len(lines) else []
    for number in suspects:
        if 0 < number <= len(lines) and _PYTHON2.search(lines[number - 1]):
            return SourceError(
                "C902", number, "Python 2 syntax: convert the file to Python 3 first"
            )
    return SourceError("C901", max(line, 1), "not valid Python 3 syntax")


@contextlib.contextmanager
def without_gc() -> Iterator[None]:
    """Reads many files faster: syntax trees have no cycles, but the collector walks them all."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
