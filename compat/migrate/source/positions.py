"""Line and column of chosen nodes, and of every comment.

libcst's own provider records every node of a file, which costs more than parsing it. This
one writes the file out once and remembers only what it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import libcst as cst
from libcst._nodes.internal import CodegenState


class Position(NamedTuple):
    """A place in a file: the line from 1, the column from 1."""

    line: int
    column: int


class Comment(NamedTuple):
    """A comment: its line, its text, and whether nothing stands before it on the line."""

    line: int
    text: str
    alone: bool


class _Recorder(CodegenState):
    """Counts lines and columns while libcst writes a module."""

    def __init__(self, module: cst.Module, wanted: Iterable[cst.CSTNode]):
        super().__init__(module.default_indent, module.default_newline)
        self.wanted = {id(node) for node in wanted}
        self.found: dict[int, Position] = {}
        self.comments: list[Comment] = []
        self.line = 1
        self.column = 1
        self.blank = True

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.column += len(token)

    def add_token(self, value: str) -> None:
        lines = value.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if len(lines) == 1:
            self.column += len(value)
            self.blank = self.blank and not value.strip()
        else:
            self.line += len(lines) - 1
            self.column = len(lines[-1]) + 1
            self.blank = not lines[-1].strip()

    def before_codegen(self, node: cst.CSTNode) -> None:
        if id(node) in self.wanted:
            self.found.setdefault(id(node), Position(self.line, self.column))
        elif type(node) is cst.Comment:
            self.comments.append(Comment(self.line, node.value, self.blank))


class Positions:
    """Positions of chosen nodes of a module.

    Args:
      module: The parsed module.
      wanted: The nodes whose places are asked for later.

    Attributes:
      comments: Every comment, in order.
    """

    def __init__(self, module: cst.Module, wanted: Iterable[cst.CSTNode]):
        recorder = _Recorder(module, wanted)
        module._codegen(recorder)
        self._found = recorder.found
        self.comments = recorder.comments

    def __getitem__(self, node: cst.CSTNode) -> Position:
        return self._found[id(node)]
