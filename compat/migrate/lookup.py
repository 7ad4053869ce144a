"""Answers what is known about a TensorFlow 1 name, from the tables.

    >>> from compat.migrate import lookup
    >>> lookup.classify("train.Server").status
    'unsupported'
    >>> lookup.public_name("tensorflow.python.training.session_run_hook.SessionRunHook")
    'train.SessionRunHook'

Names are written without the leading `tf.`, private paths in full. Nothing here
loads TensorFlow: what 1.15 had is recorded in `data/`.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import NamedTuple

from compat.migrate import contrib, elsewhere, symbols
from compat.migrate.symbols import Row

_TENSORFLOW_ROOTS = ("tensorflow", "tensorflow_core")
_PRIVATE_ROOTS = ("python", "core", "examples", "models", "tools", "compiler", "tensorboard")

#: Its modules have the public paths but for the beginning.
_KERAS = "tensorflow.python.keras."
#: TF 1.15 has the modules of the estimator package under this name, too.
_ESTIMATOR = "tensorflow.python.estimator"


class Verdict(NamedTuple):
    """What becomes of one name.

    Attributes:
      symbol: The part of the name that decided, `train.Server` of `train.Server.target`.
      code: A key of `symbols.RULES`.
      note: How it differs or what to do; may be empty.
      use: What to use instead; may be empty.
    """

    symbol: str
    code: str
    note: str = ""
    use: str = ""

    @property
    def status(self) -> str:
        """One of the statuses of `symbols`."""
        return symbols.RULES[self.code].status


def _lines(name: str) -> list[str]:
    text = resources.files("compat.migrate").joinpath("data", name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def tf1_names() -> frozenset[str]:
    """The public names of TF 1.15, without tf.contrib."""
    return frozenset(_lines("tf1_names.txt"))


@cache
def tf1_only_names() -> frozenset[str]:
    """The names of TF 1.15 that the 2.x API does not have."""
    return frozenset(_lines("tf1_only_names.txt"))


@cache
def tf2_names() -> frozenset[str]:
    """The names that only the 2.x API has."""
    return frozenset(_lines("tf2_names.txt"))


@cache
def added_names() -> frozenset[str]:
    """The names that `tf.compat.v1` got after TF 1.15."""
    return frozenset(_lines("v1_added_names.txt"))


@cache
def namespaces() -> frozenset[str]:
    """Every prefix of a public name that is not a name itself: `train`, `nn.rnn_cell`."""
    found = {
        name[:i]
        for name in (*tf1_names(), *tf2_names(), *added_names())
        for i, char in enumerate(name)
        if char == "."
    }
    return frozenset(found - tf1_names())


@cache
def private_modules() -> dict[str, dict[str, str]]:
    """Maps each private module of TF 1.15 to {its name: the public name}."""
    modules: dict[str, dict[str, str]] = {}
    for line in _lines("tf1_private.txt"):
        if line.startswith("["):
            current = modules.setdefault(line[1:-1], {})
        else:
            name, _, public = line.rpartition("=")
            current[name or public.rpartition(".")[2]] = public
    return modules


@cache
def kept_private() -> frozenset[str]:
    """Private paths of TF 1.15 without a public name that TensorFlow 2 still has."""
    found, module = [], ""
    for line in _lines("private_kept.txt"):
        if line.startswith("["):
            module = line[1:-1]
        else:
            found.append(f"{module}.{line}")
    return frozenset(found)


@cache
def _rows() -> dict[str, Row]:
    return {row.name: row for row in symbols.ROWS}


@cache
def _contrib_rows() -> dict[str, contrib.Replacement]:
    return {row.name: row for row in (*contrib.REPLACEMENTS, *contrib.EARLIER)}


def _prefixes(name: str) -> list[str]:
    """`a.b.c` → [`a.b.c`, `a.b`, `a`]."""
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(len(parts), 0, -1)]


def public_name(path: str) -> str | None:
    """The public name of what a private path leads to.

    Args:
      path: A dotted path below `tensorflow.python` or `tensorflow_estimator.python`;
        it may go on into attributes of the object.

    Returns:
      The public name with those attributes, or None if the API has none.
    """
    if path.startswith(_KERAS):
        name = path.removeprefix("tensorflow.python.")
        return name if any(prefix in tf1_names() for prefix in _prefixes(name)) else None
    path = _without_alias(path)
    modules = private_modules()
    for module in _prefixes(path)[1:]:
        if module in modules:
            name, *attributes = path[len(module) + 1 :].split(".")
            public = modules[module].get(name)
            return None if public is None else ".".join([public, *attributes])
    return None


def _without_alias(path: str) -> str:
    if path == _ESTIMATOR or path.startswith(_ESTIMATOR + "."):
        return path.replace("tensorflow.", "tensorflow_estimator.", 1)
    return path


def is_private_module(path: str) -> bool:
    """Whether a private path is a module or package of TF 1.15 that holds public names."""
    if path.startswith(_KERAS) and path.removeprefix("tensorflow.python.") in namespaces():
        return True
    inside = _without_alias(path) + "."
    return any(f"{known}.".startswith(inside) for known in private_modules())


def replacement(name: str) -> contrib.Replacement | None:
    """The row of the `tf.contrib` table for a name, or for the package it is in."""
    for prefix in _prefixes(name):
        if prefix in _contrib_rows():
            return _contrib_rows()[prefix]
    return None


def tensorflow_name(path: str) -> str | None:
    """Turns a full module path into a name as the tables write it.

    Args:
      path: What an import or an attribute chain leads to, `tensorflow.compat.v1.train.Saver`
        or `tensorflow.python.training.saver.Saver`. This package's `compat.v1` counts too.

    Returns:
      `train.Saver`; the full path for a private module; None if it is not TensorFlow's.
    """
    root, _, rest = path.partition(".")
    if root == "tensorflow_estimator":
        if rest.startswith("python.estimator.api"):
            rest = rest.partition(".estimator.")[2].partition(".estimator")[2].lstrip(".")
            return f"estimator.{rest}".rstrip(".")
        if rest.startswith("python"):
            return path
        return rest  # It has `estimator`, as TensorFlow has, and nothing else.
    if root == "compat":
        return _own_name(rest)
    if root not in _TENSORFLOW_ROOTS:
        return None
    rest = _without_v1(rest)
    if rest.startswith("_api.v1"):
        rest = rest[len("_api.v1.") :]
    head = rest.partition(".")[0]
    return f"tensorflow.{rest}" if head in _PRIVATE_ROOTS else rest


def _without_v1(rest: str) -> str:
    """`train.Saver` for `compat.v1.train.Saver`: TF1's namespace holds itself again."""
    while rest == "compat.v1" or rest.startswith("compat.v1."):
        rest = rest[len("compat.v1.") :]
    return rest


def _own_name(rest: str) -> str | None:
    """The TF1 name of a path inside this package."""
    if rest == "v1" or rest.startswith("v1."):
        return _without_v1(rest[len("v1.") :])
    if rest in symbols.HOOK_BASES or rest in symbols.LISTENER_BASES:
        return f"train.{rest}"
    return None


def classify(name: str) -> Verdict | None:
    """Says what becomes of a name.

    Args:
      name: A name as `tensorflow_name` gives it.

    Returns:
      The verdict; None for a namespace alone (`train`) and for names every module has.
    """
    if name.startswith(("tensorflow.", "tensorflow_estimator.")):
        return _classify_private(name)
    if name.startswith("pywrap_tensorflow."):
        return _classify_private(f"tensorflow.python.{name}")
    if name == "compat.v2" or name.startswith("compat.v2."):
        return Verdict("compat.v2", "C101")
    if name == "contrib" or name.startswith("contrib."):
        return _classify_contrib(name)
    return _classify_public(name)


def refusal(name: str) -> str | None:
    """The error text for a name that is not supported.

    Args:
      name: A name as `tensorflow_name` gives it.

    Returns:
      What it is, why it is missing and what to use instead; None if it is supported.
    """
    verdict = classify(name)
    if verdict is None or verdict.status != symbols.UNSUPPORTED:
        return None
    symbol = verdict.symbol if name.startswith("tensorflow") else f"tf.{verdict.symbol}"
    return f"{symbol} is not supported: {_why(verdict)}. Use {verdict.use} instead."


def places(name: str) -> dict[str, elsewhere.Answer]:
    """Says what becomes of a name on each surface.

    Args:
      name: A public name of TF 1.15.

    Returns:
      An answer for each of `elsewhere.PLACES`.

    Raises:
      ValueError: It isn't such a name.

    Example:
      >>> lookup.places("train.StopAtStepHook")["fit"].works
      True
      >>> lookup.places("train.Server")["fit"].works
      False
    """
    verdict = classify(name)
    if verdict is None:
        raise ValueError(f"TensorFlow 1.15 has no tf.{name}")
    works = verdict.status in (symbols.WORKS, symbols.DIFFERS)
    words = "" if verdict.status == symbols.WORKS else verdict.note
    if not works:
        words = "; ".join(filter(None, [_why(verdict), verdict.use and f"use {verdict.use}"]))
    answers = dict.fromkeys(elsewhere.PLACES, elsewhere.Answer(works, words))
    if verdict.status != symbols.UNSUPPORTED:
        for place in elsewhere.PLACES[1:]:
            row = _row_for(name, place)
            if row is not None:
                answers[place] = elsewhere.Answer(row.works, row.note)
    return answers


def _why(verdict: Verdict) -> str:
    return verdict.note or symbols.RULES[verdict.code].title


def _row_for(name: str, place: str) -> elsewhere.Row | None:
    for row in elsewhere.ROWS:
        if place in row.places and any(
            name == known or (known[-1] == "." and name.startswith(known)) for known in row.names
        ):
            return row
    return None


def _classify_public(name: str) -> Verdict | None:
    parts = name.split(".")
    if not name or any(part.startswith("__") for part in parts):
        return None
    for prefix in _prefixes(name):
        if prefix in _rows():
            return Verdict(prefix, *_rows()[prefix][1:])
    for prefix in _prefixes(name):
        if prefix in tf1_names() or prefix in added_names():
            return _by_family(prefix)
    if name in namespaces():
        return None
    for row in symbols.RENAMED:
        if name == row.name or name.startswith(row.name + "."):
            return Verdict(*row)
    for prefix in _prefixes(name):
        if prefix in tf2_names():
            return Verdict(prefix, "C305", "take it from TensorFlow itself")
    known = next((p for p in _prefixes(name) if p in namespaces()), "")
    symbol = ".".join(parts[: known.count(".") + 2]) if known else parts[0]
    return Verdict(symbol, "C304", "misspelt, or from another version")


def _by_family(name: str) -> Verdict:
    families = sorted(symbols.FAMILIES, key=lambda row: -len(row.name))
    for row in families:
        if name.startswith(row.name):
            return Verdict(name, *row[1:])
    return Verdict(name, "C101")


def _classify_contrib(name: str) -> Verdict:
    row = replacement(name)
    if row is None:
        family = next(f for f in symbols.FAMILIES if f.name == "contrib")
        return Verdict(".".join(name.split(".")[:3]), *family[1:])
    specific = row.name.count(".") > 1 or row.name == name
    symbol = row.name if specific else ".".join(name.split(".")[:3])
    kept = row.name in symbols.CONTRIB_KEPT or (row.same and specific)
    return Verdict(symbol, "C107" if kept else "C403", row.note, row.use)


def _classify_private(path: str) -> Verdict | None:
    public = public_name(path)
    if public is not None:
        verdict = _classify_public(public)
        if verdict is None or verdict.status == symbols.WORKS:
            return Verdict(path, "C104", "", f"tf.{public}")
        return verdict
    if is_private_module(path):
        return None
    row = next((r for p in _prefixes(path) for r in symbols.PRIVATE if r.name == p), None)
    if row is None:
        return None
    if row.name == "tensorflow.python" and any(p in kept_private() for p in _prefixes(path)):
        return Verdict(path, "C106", "private: a later TensorFlow may move it")
    return Verdict(path, *row[1:])
