"""Comments that silence rules.

    x = tf.train.Server(cluster)   # compat: ignore[C401]
    y = tf.contrib.foo()           # compat: ignore
    # compat: ignore[C403]         (alone on its line: for the line below)
    # compat: ignore-file[C2]      (anywhere: for the whole file)

A code may be a prefix: `C4` stands for every `C4xx`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from compat.migrate.source.positions import Comment

_COMMENT = re.compile(r"#\s*compat:\s*ignore(?P<file>-file)?\s*(?:\[(?P<codes>[^\]]*)\])?")


def matches(code: str, prefixes: Iterable[str]) -> bool:
    """Whether a rule code starts with one of the prefixes."""
    return any(code.startswith(prefix) for prefix in prefixes)


class Ignores:
    """The silenced rules of one file.

    Args:
      comments: The file's comments.
    """

    def __init__(self, comments: Iterable[Comment]):
        self._file: list[str] = []
        self._lines: dict[int, list[str]] = {}
        for comment in comments:
            match = _COMMENT.search(comment.text)
            if match is None:
                continue
            # No brackets: every rule, as the empty prefix.
            codes = [code.strip() for code in (match["codes"] or "").split(",")]
            codes = [code for code in codes if code] or [""]
            if match["file"]:
                self._file += codes
            else:
                line = comment.line + 1 if comment.alone else comment.line
                self._lines.setdefault(line, []).extend(codes)

    def silences(self, code: str, line: int) -> bool:
        """Whether a finding of this rule on this line is not wanted."""
        return matches(code, self._file) or matches(code, self._lines.get(line, ()))
