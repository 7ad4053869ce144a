"""Which name of NEW belongs to which name of OLD: the names map, and pairing.

A map is JSON, by part of a run; every section may be left out:

    {
      "variables": {"dense/kernel": "layers/dense/vars/0"},
      "tags": {"loss": {"name": "epoch_loss", "scale": 20, "offset": 20}},
      "logs": {"loss": "loss"},
      "ops": {"MatMul": "_FusedMatMul"},
      "directories": {"": "train"},
      "ignore": ["beta?_power", "global_step/sec"]
    }

`scale` and `offset` translate steps: OLD's step is NEW's step times `scale` plus
`offset`, so that Keras's epochs 0, 1, … of 20 batches meet the global steps 20, 40, ….
`ignore` lists patterns (`*`, `?`) of names, of either run, that are not compared.
A flat object of names serves all parts.
"""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

#: Keys of object-based checkpoints end in this; names are shown and mapped without it.
SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
_SECTIONS = ("variables", "tags", "logs", "ops", "directories")


@dataclass(frozen=True)
class Target:
    """The counterpart of an old name.

    Attributes:
      name: The name in NEW.
      scale: OLD's step = NEW's step * scale + offset.
      offset: In steps of OLD.
    """

    name: str
    scale: int = 1
    offset: int = 0


@dataclass
class NameMap:
    """The user's names map; see the module for its form.

    Attributes:
      sections: Section -> old name -> target.
      ignore: Patterns of names that are not compared.
    """

    sections: dict[str, dict[str, Target]] = field(default_factory=dict)
    ignore: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, source: Any, ignore: Iterable[str] = ()) -> NameMap:
        """Reads a map.

        Args:
          source: A path to JSON, a dict of the same form, a `NameMap`, or None.
          ignore: More patterns of names to leave out.

        Returns:
          The map.

        Raises:
          ValueError: If the map is not of the form the module describes.
          OSError: If the file can't be read.
        """
        if isinstance(source, NameMap):
            return cls(source.sections, [*source.ignore, *ignore])
        if isinstance(source, (str, os.PathLike)):
            with open(source, encoding="utf-8") as stream:
                try:
                    source = json.load(stream)
                except ValueError as error:
                    raise ValueError(f"the names map {stream.name} is no JSON: {error}") from None
        source = {} if source is None else source
        if not isinstance(source, dict):
            raise ValueError(f"a names map is an object of names; got {source!r}")
        patterns = source.get("ignore", [])
        if not isinstance(patterns, list) or not all(isinstance(p, str) for p in patterns):
            raise ValueError(f'"ignore" of a names map is a list of patterns; got {patterns!r}')
        rest = {key: value for key, value in source.items() if key != "ignore"}
        if not any(not isinstance(rest.get(key, ""), str) for key in _SECTIONS):
            rest = {key: rest for key in _SECTIONS if key != "directories"}
        unknown = sorted(set(rest) - set(_SECTIONS))
        if unknown:
            raise ValueError(
                f"unknown section in the names map; got {unknown[0]!r}. "
                f"The sections are {', '.join(_SECTIONS)} and ignore"
            )
        sections = {key: _targets(key, value) for key, value in rest.items()}
        return cls(sections, [*patterns, *ignore])

    def section(self, name: str) -> dict[str, Target]:
        """The pairs of one section."""
        return self.sections.get(name, {})

    def ignores(self, *names: str) -> bool:
        """Whether any of the names is to be left out."""
        return any(fnmatch.fnmatchcase(n, p) for n in names for p in self.ignore)

    def with_pairs(self, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """The map as JSON data, completed by further pairs."""
        data: dict[str, Any] = {}
        for key in _SECTIONS:
            pairs: dict[str, Any] = {}
            for old, target in self.section(key).items():
                steps = {"scale": target.scale, "offset": target.offset}
                moved = (target.scale, target.offset) != (1, 0)
                pairs[old] = {"name": target.name, **steps} if moved else target.name
            pairs.update(found.get(key, {}))
            if pairs:
                data[key] = pairs
        if self.ignore:
            data["ignore"] = list(self.ignore)
        return data


def _targets(section: str, pairs: Any) -> dict[str, Target]:
    if not isinstance(pairs, dict):
        raise ValueError(f"section {section!r} of a names map is an object; got {pairs!r}")
    targets = {}
    for old, value in pairs.items():
        fields = {"name": value} if isinstance(value, str) else value
        if not isinstance(fields, dict) or not isinstance(fields.get("name"), str):
            raise ValueError(
                f"the counterpart of {old!r} is a name or "
                f'{{"name": …, "scale": …, "offset": …}}; got {value!r}'
            )
        try:
            target = Target(**fields)
        except TypeError:
            raise ValueError(
                f"the counterpart of {old!r} knows name, scale and offset; got {value!r}"
            ) from None
        if not isinstance(target.scale, int) or not isinstance(target.offset, int):
            raise ValueError(f"scale and offset of {old!r} are whole numbers; got {value!r}")
        targets[short(old)] = Target(short(target.name), target.scale, target.offset)
    return targets


def short(name: str) -> str:
    """A checkpoint key without the ending that all object-based checkpoints share."""
    return name.removesuffix(SUFFIX)


@dataclass
class Pairing:
    """Names of two runs, put together.

    Attributes:
      pairs: (old name, new name, how), in OLD's order.
      missing: Names only OLD has.
      extra: Names only NEW has.
    """

    pairs: list[tuple[str, str, str]]
    missing: list[str]
    extra: list[str]


def pair(
    old: Iterable[str],
    new: Iterable[str],
    mapping: dict[str, Target],
    old_recorded: dict[str, str] | None = None,
    new_recorded: dict[str, str] | None = None,
) -> Pairing:
    """Pairs names: by the map where it speaks of them, else if equal, else as recorded.

    Args:
      old: OLD's names.
      new: NEW's names.
      mapping: Old name -> target.
      old_recorded: Name -> the full name that the file stores beside it.
      new_recorded: The same for NEW.

    Returns:
      The pairs and what is left on either side.
    """
    old, rest = list(old), dict.fromkeys(new)
    pairs = {}
    for name in old:
        target = mapping.get(name)
        if target is not None and target.name in rest:
            pairs[name] = (target.name, "map")
            del rest[target.name]
    for name in old:
        if name not in pairs and name not in mapping and name in rest:
            pairs[name] = (name, "exact")
            del rest[name]
    left = [name for name in old if name not in pairs and name not in mapping]
    ones = _by_recorded(old_recorded or {}, left)
    others = _by_recorded(new_recorded or {}, rest)
    for recorded, name in ones.items():
        if recorded in others:
            pairs[name] = (others[recorded], "recorded")
            del rest[others[recorded]]
    found = [(name, *pairs[name]) for name in old if name in pairs]
    return Pairing(found, [name for name in old if name not in pairs], list(rest))


def _by_recorded(recorded: dict[str, str], names: Iterable[str]) -> dict[str, str]:
    """Full name -> name; a full name that several share identifies none of them."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(recorded.get(name, name), []).append(name)
    return {full: names[0] for full, names in found.items() if len(names) == 1}


def pair_places(
    old: Iterable[str], new: Iterable[str], mapping: dict[str, Target]
) -> tuple[Pairing, str | None]:
    """Pairs directories or files of two runs; a last one on either side goes together.

    Args:
      old: Relative paths in OLD.
      new: Relative paths in NEW.
      mapping: The map's `directories`.

    Returns:
      The pairs, and a note if two were paired although their names differ.
    """
    found = pair(old, new, mapping)
    if len(found.missing) == 1 and len(found.extra) == 1:
        one, other = found.missing[0], found.extra[0]
        found.pairs.append((one, other, "only"))
        found.missing, found.extra = [], []
        return found, f"{one or '.'} in OLD is compared with {other or '.'} in NEW"
    return found, None
