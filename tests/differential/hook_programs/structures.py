"""Random fetch structures: chosen as plain data, made into objects for one graph.

A structure is a tuple whose first item says what it is:
  ("leaf", key, form)     an element of the vocabulary, as object, name or operation
  ("wrong", what)         something that is not fetchable
  ("list" | "tuple" | "attrs" | "namedtuple", [structures])
  ("dict" | "ordered" | "default", [(key, structure)])
Dataclasses are left out: TensorFlow's session does not take them.
"""

from __future__ import annotations

import collections

import numpy as np
import tensorflow as tf

try:
    import attr
except ImportError:  # The TensorFlow 1 environment has none; programs with it are skipped.
    attr = None

Pair = collections.namedtuple("Pair", ["first", "second"])


if attr is not None:

    @attr.s(eq=False)
    class Attrs:
        """An attrs class of fetches."""

        first = attr.ib()
        second = attr.ib()


class Unsupported(Exception):
    """The environment lacks what the program needs."""


_KEYS = ["a", "b", 3, -1, ("t", 1), None, 2.5, b"bytes", True, "z"]

_WRONG = [
    "none",
    "number",
    "object",
    "set",
    "array",
    "unknown name",
    "unknown output",
    "malformed name",
    "empty name",
    "other graph",
    "bytes",
    "type",
]


def random_fetches(rng, leaves, depth=2, wrong=0.0):
    """Chooses a structure.

    Args:
      rng: A `random.Random`.
      leaves: Vocabulary leaves to choose from: (key, forms) pairs.
      depth: How many levels of containers at most.
      wrong: Probability that a leaf is not fetchable.
    """
    if depth == 0 or rng.random() < 0.45:
        if rng.random() < wrong:
            return ("wrong", rng.choice(_WRONG))
        key, forms = rng.choice(leaves)
        return ("leaf", key, rng.choice(forms))
    kind = rng.choice(
        ["list", "list", "dict", "dict", "tuple", "namedtuple", "ordered", "default"]
        + (["attrs"] if rng.random() < 0.3 else [])
    )
    fixed = kind in ("namedtuple", "attrs")
    count = 2 if fixed else rng.choice([0, 1, 1, 2, 2, 3, 4])
    items = [random_fetches(rng, leaves, depth - 1, wrong) for _ in range(count)]
    if kind in ("dict", "ordered", "default"):
        return (kind, list(zip(rng.sample(_KEYS, count), items, strict=True)))
    return (kind, items)


def leaves_of(structure):
    """The vocabulary keys in a structure."""
    kind = structure[0]
    if kind == "leaf":
        return [structure[1]]
    if kind == "wrong":
        return []
    items = structure[1]
    if kind in ("dict", "ordered", "default"):
        items = [item for _, item in items]
    return [key for item in items for key in leaves_of(item)]


def build(structure, vocabulary):
    """Makes the objects to fetch.

    Args:
      structure: From `random_fetches`.
      vocabulary: The graph's elements; see `graphs`.
    """
    kind = structure[0]
    if kind == "leaf":
        return vocabulary.element(structure[1], structure[2])
    if kind == "wrong":
        return _wrong(structure[1], vocabulary)
    if kind in ("dict", "ordered", "default"):
        pairs = [(key, build(item, vocabulary)) for key, item in structure[1]]
        if kind == "ordered":
            return collections.OrderedDict(pairs)
        return dict(pairs) if kind == "dict" else collections.defaultdict(list, pairs)
    items = [build(item, vocabulary) for item in structure[1]]
    if kind == "namedtuple":
        return Pair(*items)
    if kind == "attrs":
        if attr is None:
            raise Unsupported("attrs")
        return Attrs(*items)
    return items if kind == "list" else tuple(items)


def _wrong(what, vocabulary):
    if what == "other graph":
        with tf.Graph().as_default():
            return tf.constant(1.0, name="stranger")
    return {
        "none": None,
        "number": 3.5,
        "object": object(),
        "set": {1},
        "array": np.zeros([2], np.float32),
        "unknown name": "no_such_tensor:0",
        "unknown output": vocabulary.some_name() + ":7",
        "malformed name": "a:b:c",
        "empty name": "",
        "bytes": b"const_c:0",
        "type": Pair,
    }[what]
