"""Names the usual causes behind arrays that differ: rounding, a factor, another seed.

An explanation is a guess from the numbers alone. It never makes a difference smaller;
it tells the reader where to look first.
"""

from __future__ import annotations

import numpy as np

#: Larger arrays are judged by this many of their elements, evenly spread.
_SAMPLE = 1 << 20


def explain(old: np.ndarray, new: np.ndarray, rtol: float, atol: float) -> tuple[str, str] | None:
    """Looks for a simple relation between two arrays of one shape that differ.

    Args:
      old: The reference.
      new: An array of the same shape.
      rtol: Relative tolerance within which values count as the same.
      atol: Absolute tolerance.

    Returns:
      A kind of difference and a phrase to follow the message, or None if no relation
      is known.
    """
    if not (_is_float(old) and _is_float(new)) or old.size < 2:
        return None
    one, other = _sample(old), _sample(new)
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return None
    return (
        rounding(one, other)
        or scale(one, other)
        or _transposed(old, new, rtol, atol)
        or _permuted(one, other, rtol, atol)
        or _seed(one, other)
    )


def _is_float(array: np.ndarray) -> bool:
    return array.dtype.kind == "f" or array.dtype.name == "bfloat16"


def _sample(array: np.ndarray) -> np.ndarray:
    flat = array.reshape(-1)
    return flat[:: max(1, -(-flat.size // _SAMPLE))].astype(np.float64)


def rounding(one: np.ndarray, other: np.ndarray) -> tuple[str, str] | None:
    """Whether one run's float64 values are the other's, rounded to a 16-bit type."""
    for name, digits in (("float16", 11), ("bfloat16", 8)):
        for exact, rounded, run, of in ((one, other, "NEW", "OLD"), (other, one, "OLD", "NEW")):
            if np.array_equal(_rounded(exact, name, digits), rounded):
                return "rounding", f"{run} holds {of}'s values rounded to {name}"
    return None


def _rounded(values: np.ndarray, name: str, digits: int) -> np.ndarray:
    if name == "float16":
        with np.errstate(over="ignore"):
            return values.astype(np.float16).astype(np.float64)
    # bfloat16 has float32's range: only the digits are cut.
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(mantissa, digits)), exponent - digits)


def scale(one: np.ndarray, other: np.ndarray) -> tuple[str, str] | None:
    """Whether NEW's float64 values are OLD's times a constant."""
    energy = float(one @ one)
    if energy == 0 or np.count_nonzero(one) < 2:
        return None
    factor = float(one @ other) / energy
    if abs(factor - 1) < 1e-3 or abs(factor) < 1e-12:
        return None
    if np.abs(other - factor * one).max() > 1e-5 * np.abs(other).max():
        return None
    if abs(factor + 1) < 1e-5:
        return "scale", "NEW holds OLD's values with the sign reversed"
    return "scale", f"NEW holds OLD's values times {factor:.6g}"


def _transposed(
    old: np.ndarray, new: np.ndarray, rtol: float, atol: float
) -> tuple[str, str] | None:
    if is_transposed(old, new, rtol, atol):
        return "transposed", "NEW holds OLD's values with the axes reversed"
    return None


def is_transposed(old: np.ndarray, new: np.ndarray, rtol: float, atol: float) -> bool:
    """Whether reversing the axes of one array of at most 2**20 elements gives the other."""
    if old.ndim < 2 or old.shape[::-1] != new.shape or old.size > _SAMPLE:
        return False
    return bool(np.allclose(new.T, old, rtol, atol, equal_nan=True))


def _permuted(
    one: np.ndarray, other: np.ndarray, rtol: float, atol: float
) -> tuple[str, str] | None:
    if one.size < 4 or one.size == _SAMPLE:
        return None
    if np.allclose(np.sort(other), np.sort(one), rtol, atol):
        return "permuted", "NEW holds OLD's values in another order"
    return None


def _seed(one: np.ndarray, other: np.ndarray) -> tuple[str, str] | None:
    spread_old, spread_new = float(one.std()), float(other.std())
    if one.size < 16 or not spread_old or not spread_new:
        return None
    if not 0.5 < spread_new / spread_old < 2:
        return None
    shift = abs(float(one.mean()) - float(other.mean()))
    if shift > 5 * spread_old / np.sqrt(one.size):
        return None
    correlation = float(np.corrcoef(one, other)[0, 1])
    if abs(correlation) > 0.5:
        return None
    return "seed", "same mean and spread but unrelated values, as from another seed"
