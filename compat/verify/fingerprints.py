"""Recognizes an array again under another name without keeping it in memory."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

import numpy as np

#: Elements kept of each array, evenly spread.
_KEPT = 64


@dataclass(frozen=True)
class Fingerprint:
    """What is kept of an array.

    Attributes:
      shape: Its dimensions.
      text: Whether it holds strings.
      sample: Some of its elements, as float64 or strings.
      norm: Root of the sum of squares; 0 for strings.
    """

    shape: tuple[int, ...]
    text: bool
    sample: np.ndarray
    norm: float

    @classmethod
    def of(cls, array: np.ndarray) -> Fingerprint:
        """Takes the fingerprint of one array."""
        flat = array.reshape(-1)
        sample = flat[:: max(1, flat.size // _KEPT)][: 2 * _KEPT]
        if array.dtype.kind in "OSU":
            return cls(array.shape, True, sample.copy(), 0.0)
        if np.iscomplexobj(flat):
            sample, flat = np.abs(sample), np.abs(flat)
        norm = 0.0
        for start in range(0, flat.size, 1 << 16):
            part = flat[start : start + (1 << 16)].astype(np.float64)
            norm += float(part @ part)
        return cls(array.shape, False, sample.astype(np.float64), norm**0.5)

    @property
    def constant(self) -> bool:
        """Whether all kept elements are the same, so that any zero vector looks like this."""
        return bool(len(self.sample) and (self.sample == self.sample[0]).all())

    def matches(self, other: Fingerprint, rtol: float, atol: float) -> bool:
        """Whether two arrays hold, as far as can be told, the same values."""
        if self.shape != other.shape or self.text != other.text:
            return False
        if self.text:
            return self.sample.tolist() == other.sample.tolist()
        slack = atol * max(1, int(np.prod(self.shape))) ** 0.5
        return bool(
            np.isclose(self.norm, other.norm, rtol, slack, equal_nan=True)
            and np.allclose(other.sample, self.sample, rtol, atol, equal_nan=True)
        )


def same_values(
    old: dict[str, Fingerprint], new: dict[str, Fingerprint], rtol: float, atol: float
) -> list[tuple[str, str]]:
    """Pairs the arrays of two runs whose names don't match by shape and values.

    Where several hold the same values (biases that are still zero), the more similar
    names go together, then the order decides.

    Args:
      old: Name -> fingerprint in OLD.
      new: The same in NEW.
      rtol: Relative tolerance.
      atol: Absolute tolerance.

    Returns:
      Pairs of an old and a new name, each name at most once, in OLD's order.
    """
    by_shape: dict[tuple[int, ...], list[tuple[int, str]]] = {}
    for place, name in enumerate(new):
        by_shape.setdefault(new[name].shape, []).append((place, name))
    edges = []
    for place, name in enumerate(old):
        for other_place, other in by_shape.get(old[name].shape, []):
            if old[name].matches(new[other], rtol, atol):
                edges.append((-similarity(name, other), place, other_place, name, other))
    pairs: dict[str, str] = {}
    taken = set()
    for _, _, _, name, other in sorted(edges):
        if name not in pairs and other not in taken:
            pairs[name] = other
            taken.add(other)
    return [(name, pairs[name]) for name in old if name in pairs]


def similarity(name: str, other: str) -> float:
    """How alike two names are, 0 to 1, by the words in them."""
    one, two = (re.findall(r"[a-z]+|\d+", text.lower()) for text in (name, other))
    return difflib.SequenceMatcher(None, one, two).ratio()
