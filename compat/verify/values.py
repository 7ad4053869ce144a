"""By how much two arrays differ: in few passes, in chunks that stay in the cache.

Equal bits are equal, NaN included, and cost one comparison. Everything else goes
through `|new - old| <= atol + rtol * |old|`, OLD being the reference. Integers,
booleans and strings have no tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

#: Elements a chunk: what one chunk needs fits a core's second-level cache.
CHUNK = 1 << 16
_SMALL_FLOATS = ("float16", "bfloat16")


@dataclass
class Delta:
    """How one array departs from another of the same shape.

    Attributes:
      size: Elements compared.
      outside: Elements outside the tolerance.
      nonfinite: Elements of those where just one side is a finite number, or where
        both are NaN or infinite but not alike.
      max_abs: Largest absolute difference between finite elements.
      max_rel: Largest `|new - old| / max(|old|, atol)` of the elements that are more than
        `atol` apart; the noise of smaller ones says nothing.
      index: Flat position of the worst element outside the tolerance, None without one.
      old: The old value there.
      new: The new value there.
    """

    size: int = 0
    outside: int = 0
    nonfinite: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    index: int | None = None
    old: Any = None
    new: Any = None


def compare_arrays(old: np.ndarray, new: np.ndarray, rtol: float, atol: float) -> Delta:
    """Compares two arrays of one shape element by element.

    Args:
      old: The reference.
      new: An array of the same shape; another dtype is compared by value.
      rtol: Tolerance relative to the old value.
      atol: Absolute tolerance, in the array's own unit.

    Returns:
      What differs, and where most.

    Raises:
      ValueError: If the shapes differ.
    """
    if old.shape != new.shape:
        raise ValueError(f"the arrays have different shapes; got {old.shape} and {new.shape}")
    delta = Delta(size=old.size)
    old, new = old.reshape(-1), new.reshape(-1)
    if _is_text(old) or _is_text(new):
        _compare_objects(old, new, delta)
    elif np.iscomplexobj(old) or np.iscomplexobj(new):
        _compare_complex(old, new, rtol, atol, delta)
    elif _is_exact(old) and _is_exact(new):
        _compare_exact(old, new, delta)
    else:
        _compare_floats(old, new, rtol, atol, delta)
    return delta


def _is_text(array: np.ndarray) -> bool:
    return array.dtype.kind in "OSU"


def _is_exact(array: np.ndarray) -> bool:
    return array.dtype.kind in "biu"


def _compare_objects(old: np.ndarray, new: np.ndarray, delta: Delta) -> None:
    for index, (one, other) in enumerate(zip(old.tolist(), new.tolist(), strict=True)):
        if one != other:
            delta.outside += 1
            if delta.index is None:
                delta.index, delta.old, delta.new = index, one, other


def _compare_complex(
    old: np.ndarray, new: np.ndarray, rtol: float, atol: float, delta: Delta
) -> None:
    # Real and imaginary parts side by side; a position is that of the pair.
    kind = np.result_type(old, new)
    one = np.ascontiguousarray(old, kind).view(kind.type(0).real.dtype)
    other = np.ascontiguousarray(new, kind).view(kind.type(0).real.dtype)
    _compare_floats(one, other, rtol, atol, delta)
    if delta.index is not None:
        delta.index //= 2
        delta.old, delta.new = complex(old[delta.index]), complex(new[delta.index])


def _compare_exact(old: np.ndarray, new: np.ndarray, delta: Delta) -> None:
    for start in range(0, old.size, CHUNK):
        one, other = old[start : start + CHUNK], new[start : start + CHUNK]
        where = np.flatnonzero(one != other)
        if not where.size:
            continue
        delta.outside += where.size
        # Python's integers: a difference of two int64 may not fit an int64.
        apart = [abs(int(a) - int(b)) for a, b in zip(one[where], other[where], strict=True)]
        worst = int(np.argmax(apart))
        sizes = [abs(int(a)) for a in one[where]]
        ratios = [d / size for d, size in zip(apart, sizes, strict=True) if size]
        delta.max_rel = max([delta.max_rel, *ratios])
        if apart[worst] > delta.max_abs:
            delta.max_abs = float(apart[worst])
            position = int(where[worst])
            delta.index = start + position
            delta.old, delta.new = int(one[position]), int(other[position])


def _compare_floats(
    old: np.ndarray, new: np.ndarray, rtol: float, atol: float, delta: Delta
) -> None:
    kind = _working_type(old, new)
    bits = _bits_type(old, new)
    buffer = np.empty(min(CHUNK, old.size), kind)
    worst = 0.0
    with np.errstate(all="ignore"):
        for start in range(0, old.size, CHUNK):
            one, other = old[start : start + CHUNK], new[start : start + CHUNK]
            if bits is not None:
                if np.array_equal(one.view(bits), other.view(bits)):
                    continue
                # Where one chunk differs the next ones mostly do: no second look at those.
                bits = None
            one, other = one.astype(kind, copy=False), other.astype(kind, copy=False)
            apart = np.subtract(other, one, out=buffer[: one.size])
            np.abs(apart, out=apart)
            largest = float(apart.max())
            if not np.isfinite(largest):
                _add_nonfinite(one, other, start, rtol, atol, delta)
                continue
            delta.max_abs = max(delta.max_abs, largest)
            if largest <= atol:
                continue
            where = np.flatnonzero(apart > atol)
            apart, size = apart[where], np.abs(one[where])
            delta.max_rel = max(delta.max_rel, _largest_ratio(apart, size, atol))
            outside = apart > atol + rtol * size
            count = int(np.count_nonzero(outside))
            if not count:
                continue
            delta.outside += count
            position = int(np.where(outside, apart, 0).argmax())
            if not delta.nonfinite and float(apart[position]) > worst:
                worst = float(apart[position])
                _point_at(delta, start, int(where[position]), one, other)


def _largest_ratio(apart: np.ndarray, size: np.ndarray, atol: float) -> float:
    """A value below `atol` counts as `atol`: relative to nothing, all is infinitely far."""
    smallest = max(atol, float(np.finfo(np.float32).tiny))
    return float((apart / np.maximum(size, size.dtype.type(smallest))).max())


def _bits_type(old: np.ndarray, new: np.ndarray) -> np.dtype | None:
    if old.dtype != new.dtype or old.dtype.itemsize not in (1, 2, 4, 8):
        return None
    return np.dtype(f"u{old.dtype.itemsize}")


def _working_type(old: np.ndarray, new: np.ndarray) -> np.dtype:
    small = ("float32", *_SMALL_FLOATS)
    if old.dtype.name in small and new.dtype.name in small:
        return np.dtype(np.float32)
    return np.dtype(np.float64)


def _add_nonfinite(
    one: np.ndarray, other: np.ndarray, start: int, rtol: float, atol: float, delta: Delta
) -> None:
    """A chunk with NaN or infinities, or a difference too large for its type."""
    one, other = one.astype(np.float64), other.astype(np.float64)
    alike = (one == other) | (np.isnan(one) & np.isnan(other))
    finite = np.isfinite(one) & np.isfinite(other)
    apart = np.where(finite & ~alike, np.abs(other - one), 0.0)
    size = np.abs(one)
    outside = np.where(finite, apart > atol + rtol * size, ~alike)
    delta.outside += int(np.count_nonzero(outside))
    delta.max_abs = max(delta.max_abs, float(apart.max()))
    beyond = finite & (apart > atol)
    if beyond.any():
        delta.max_rel = max(delta.max_rel, _largest_ratio(apart[beyond], size[beyond], atol))
    broken = np.flatnonzero(~finite & ~alike)
    if broken.size:
        if not delta.nonfinite:
            _point_at(delta, start, int(broken[0]), one, other)
        delta.nonfinite += broken.size
    elif outside.any() and delta.index is None:
        _point_at(delta, start, int(np.where(outside, apart, -1).argmax()), one, other)


def _point_at(delta: Delta, start: int, at: int, one: np.ndarray, other: np.ndarray) -> None:
    delta.index = start + at
    delta.old, delta.new = float(one[at]), float(other[at])
