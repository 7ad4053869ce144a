"""Fetch structures: what a caller asked for, flattened, and the results put back in shape.

`Session.run` takes nested lists, tuples, named tuples, dicts, attrs classes and
dataclasses whose leaves are tensors, operations, variables, names or composite tensors.
Dict keys may be of mixed types (hook objects beside strings), so nothing is sorted.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from compat import _tf

Rebuild = Callable[[list], Any]


@dataclasses.dataclass(frozen=True)
class FetchPlan:
    """A fetch structure prepared for many runs.

    Attributes:
      fetches: The structure itself; held so that identities in its key stay valid.
      elements: The distinct things to fetch, in order of appearance.
      rebuild: Makes the caller's structure from the values of `elements`.
      pure: Whether all elements belong to the legacy graph.
    """

    fetches: Any
    elements: tuple
    rebuild: Rebuild
    pure: bool


def structure_key(fetches: Any) -> Any:
    """A hashable key that two fetch structures share if one plan serves both.

    Names count by value and other leaves by identity, so whoever keeps the key must
    keep the structure alive beside it.
    """
    kind: Any = type(fetches)
    shape = _shape_of(kind)
    if shape is _LEAF:
        return id(fetches)
    if shape is _SEQUENCE:
        return (kind, *[structure_key(item) for item in fetches])
    if shape is _MAPPING:
        items = [
            (key if type(key) is str else id(key), structure_key(value))
            for key, value in fetches.items()
        ]
        return (kind, id(getattr(fetches, "default_factory", None)), *items)
    if shape is _NAME:
        return fetches
    if shape is _METHOD:  # Made anew each time it is mentioned.
        return (id(fetches.__self__), id(fetches.__func__))
    return (kind, *[structure_key(getattr(fetches, name)) for name in shape])


_LEAF, _SEQUENCE, _MAPPING, _NAME, _METHOD = "leaf", "sequence", "mapping", "name", "method"


@functools.cache
def _shape_of(kind: type) -> Any:
    """What structures of a type look like; the field names of an attrs or dataclass type."""
    if issubclass(kind, str):
        return _NAME
    if issubclass(kind, (list, tuple)):
        return _SEQUENCE
    if issubclass(kind, Mapping):
        return _MAPPING
    if kind is types.MethodType:
        return _METHOD
    attributes = getattr(kind, "__attrs_attrs__", None)
    if attributes is not None:
        return tuple(attribute.name for attribute in attributes)
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return _LEAF


def make_plan(fetches: Any, resolve: Callable[[Any], Any]) -> FetchPlan:
    """Flattens a fetch structure.

    Args:
      fetches: The structure.
      resolve: Maps one leaf (tensor, operation, variable, name, …) to what the engine
        can fetch. Raises KeyError, ValueError or TypeError for what it does not know.

    Returns:
      The plan.

    Raises:
      TypeError: A leaf is of a type that can't be fetched.
      ValueError: A leaf is, or names, something that is not in the graph.
    """
    elements: list = []
    positions: dict[int, int] = {}

    def place(leaf: Any) -> int:
        element = _resolved(leaf, resolve)
        # By identity: `==` on tensors may build ops.
        if id(element) not in positions:
            positions[id(element)] = len(elements)
            elements.append(element)
        return positions[id(element)]

    rebuild = _rebuilder(fetches, place)
    pure = all(isinstance(element, (tf.Tensor, tf.Operation)) for element in elements)
    return FetchPlan(fetches, tuple(elements), rebuild, pure)


def _resolved(leaf: Any, resolve: Callable[[Any], Any]) -> Any:
    try:
        return resolve(leaf)
    except TypeError as error:
        raise TypeError(
            f"Fetch argument {leaf!r} has invalid type {type(leaf).__name__!r}; "
            f"fetch a tensor, an operation, a variable or the name of one. ({error})"
        ) from None
    except (KeyError, ValueError) as error:
        reason = error.args[0] if error.args else error
        raise ValueError(
            f"Fetch argument {leaf!r} cannot be interpreted as a Tensor. ({reason})"
        ) from None


def _rebuilder(fetches: Any, place: Callable[[Any], int]) -> Rebuild:
    kind: Any = type(fetches)
    if fetches is None:
        raise TypeError(
            "Fetch argument None has invalid type 'NoneType'; leave it out or fetch an "
            "operation, which gives None."
        )
    if isinstance(fetches, (list, tuple)):
        parts = [_rebuilder(item, place) for item in fetches]
        if isinstance(fetches, list):
            return lambda values: [part(values) for part in parts]
        if hasattr(fetches, "_fields"):
            return lambda values: kind(*[part(values) for part in parts])
        return lambda values: kind([part(values) for part in parts])
    if isinstance(fetches, Mapping):
        named = [(key, _rebuilder(value, place)) for key, value in fetches.items()]
        make = _mapping_maker(fetches)
        return lambda values: make([(key, part(values)) for key, part in named])
    shape = _shape_of(kind)
    if isinstance(shape, tuple):
        return _fields_rebuilder(fetches, shape, place)
    return _leaf_rebuilder(fetches, place)


def _leaf_rebuilder(leaf: Any, place: Callable[[Any], int]) -> Rebuild:
    for kind, expand, _, _ in _tf.run_conversions:
        if kind is not object and isinstance(leaf, kind):
            components, contract = expand(leaf)
            positions = [place(component) for component in components]
            return lambda values: contract([values[position] for position in positions])
    position = place(leaf)
    return lambda values: values[position]


def _mapping_maker(fetches: Mapping) -> Callable[[list], Any]:
    if isinstance(fetches, collections.defaultdict):
        kind, factory = type(fetches), fetches.default_factory
        return lambda items: kind(factory, items)
    return type(fetches)


def _fields_rebuilder(fetches: Any, names: tuple[str, ...], place: Callable[[Any], int]) -> Rebuild:
    kind: Any = type(fetches)
    parts = [_rebuilder(getattr(fetches, name), place) for name in names]
    if dataclasses.is_dataclass(kind):
        # A field may be excluded from the constructor; `replace` copies those.
        settable = [field.init for field in dataclasses.fields(fetches)]
        kept = [(n, p) for n, p, init in zip(names, parts, settable, strict=True) if init]
        return lambda values: dataclasses.replace(fetches, **{n: p(values) for n, p in kept})
    return lambda values: kind(*[part(values) for part in parts])
