"""What a script is told when it takes a name of TF1 that is gone: what to use instead."""

from __future__ import annotations

import types
from typing import Any

from compat.migrate import lookup, symbols


def taken(module: Any, name: str, path: str) -> Any:
    """An attribute of a module that stands for one of TF1's.

    Args:
      module: Where it should be.
      name: Its name there.
      path: Its full name in this package, such as `compat.v1.train.Server`.

    Raises:
      AttributeError: It isn't there; if the symbol table knows why, that is what it says.
    """
    try:
        return getattr(module, name)
    except AttributeError:
        text = reason(path)
        if text is None:
            raise
        raise AttributeError(text) from None


def reason(path: str) -> str | None:
    """Why a name is gone and what to use instead; None if the symbol table has no word on it."""
    name = path.removeprefix("compat.v1.")
    verdict = lookup.classify(name)
    if verdict is not None and verdict.code == "C301":
        return f"tf.{name} is a name from before TF 1.15. Use {verdict.use} instead."
    known = lookup.refusal(name)
    if known is None:  # A module that is gone as a whole, perhaps.
        inside = [row.name for row in symbols.ROWS + symbols.RENAMED]
        gone = next((inner for inner in inside if inner.startswith(name + ".")), None)
        return reason(gone) if gone else lookup.refusal(f"tensorflow.{name}")
    return known


class WithoutGone(types.ModuleType):
    """A view of a module that refuses what the symbol table calls unsupported."""

    def __init__(self, path: str, module: Any):
        super().__init__(path, getattr(module, "__doc__", None))
        self._module = module

    def __getattr__(self, name: str) -> Any:
        path = f"{self.__name__}.{name}"
        text = None if name.startswith("_") else lookup.refusal(path.removeprefix("compat.v1."))
        if text is not None:
            raise AttributeError(text)
        return getattr(self._module, name)

    def __dir__(self) -> list[str]:
        return dir(self._module)
