"""Lets the site read this package's docstrings: an `Example:` is an example."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Calls examples what the parser knows them by."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Renames the heading in one docstring."""
        if obj.docstring:
            obj.docstring.value = re.sub(
                r"^( *)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE
            )
