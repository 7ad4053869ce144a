"""What a fixer is, and the list of them.

A fixer is a function with a code and the modes it belongs to. There are three kinds:

* `import`: is asked about every imported name, and gives the new dotted path,
  `DROP` for a name no longer needed, or None;
* `chain`: is asked about every use of a name that leads to TensorFlow, and edits it through
  the context or returns False;
* `file`: sees the whole file once.

Of the first two kinds, the first fixer that answers wins, in the order of `MODULES`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

DROPIN = "dropin"
FUNCTION = "tf-function"
KERAS = "keras"
MODES = (DROPIN, FUNCTION, KERAS)

#: The answer of an import fixer for a name that nothing uses any more.
DROP = ""

#: The modules of `fixers/`, in the order in which they are asked.
MODULES = (
    "contrib_names",
    "private_paths",
    "tf2_style",
    "old_names",
    "v1_chains",
    "root_imports",
    "import_strings",
    "hook_bases",
    "keras_hints",
    "session_loop",
    "left_over",
)


class Fixer(NamedTuple):
    """One fixer.

    Attributes:
      code: Its stable code.
      title: What it does, in a few words.
      modes: The modes it takes part in.
      kind: `import`, `chain` or `file`.
      function: What is called.
    """

    code: str
    title: str
    modes: tuple[str, ...]
    kind: str
    function: Callable[..., Any]


_FIXERS: list[Fixer] = []


def fixer(
    code: str, title: str, modes: Iterable[str], kind: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function as a fixer.

    Args:
      code: Its stable code, `U1xx` for dropin, `U2xx` for tf-function, `U3xx` for keras.
      title: What it does, in a few words.
      modes: The modes it takes part in.
      kind: `import`, `chain` or `file`.

    Returns:
      The decorator.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _FIXERS.append(Fixer(code, title, tuple(modes), kind, function))
        return function

    return register


@cache
def all_fixers() -> tuple[Fixer, ...]:
    """Every fixer, in the order in which they are asked."""
    for name in MODULES:
        importlib.import_module(f"compat.migrate.upgrade.fixers.{name}")
    return tuple(_FIXERS)


def fixers(mode: str, kind: str) -> list[Fixer]:
    """The fixers of a mode and a kind."""
    return [f for f in all_fixers() if mode in f.modes and f.kind == kind]
