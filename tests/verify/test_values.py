"""Arrays are compared as NumPy's own, slower functions would."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.verify.values import CHUNK, compare_arrays

NUMBERS = st.sampled_from(
    [0.0, -0.0, 1.0, 1.00001, 1.00002, -1.0, 1e-6, 2e-6, 1e30, 3e38, -3e38, np.inf, -np.inf, np.nan]
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8),
    st.sampled_from([0.0, 1e-5, 1e-2]),
    st.sampled_from([0.0, 1e-6, 1.0]),
    st.sampled_from([np.float32, np.float64]),
)
def test_same_count_as_isclose(pairs, rtol, atol, dtype):
    old, new = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    delta = compare_arrays(old, new, rtol, atol)
    one, other = old.astype(np.float64), new.astype(np.float64)
    with np.errstate(all="ignore"):
        close = np.isclose(other, one, rtol, atol, equal_nan=True)
        # float32 rounds its own differences; what lies on the limit may fall either way.
        unsure = np.abs(np.abs(other - one) - (atol + rtol * np.abs(one))) <= 1e-6 * np.abs(one)
    assert delta.outside >= np.count_nonzero(~close & ~unsure)
    assert delta.outside <= np.count_nonzero(~close | unsure)
    assert (delta.index is None) == (delta.outside == 0)


@pytest.mark.parametrize("where", [0, CHUNK - 1, CHUNK, 3 * CHUNK + 5, 4 * CHUNK - 1])
def test_one_element_is_found_in_any_chunk(where):
    old = np.random.default_rng(0).standard_normal(4 * CHUNK).astype(np.float32)
    new = old.copy()
    new[where] += 0.5
    delta = compare_arrays(old, new, 1e-5, 1e-6)
    assert (delta.outside, delta.index) == (1, where)
    assert delta.max_abs == pytest.approx(0.5) and delta.new - delta.old == pytest.approx(0.5)


def test_worst_of_many_is_named():
    old = np.ones(2 * CHUNK, np.float32)
    new = old.copy()
    new[5], new[CHUNK + 7], new[CHUNK + 9] = 2, 4, 3
    delta = compare_arrays(old, new, 0, 0.1)
    assert (delta.outside, delta.index, delta.max_abs, delta.max_rel) == (3, CHUNK + 7, 3, 3)


def test_difference_within_the_tolerance_is_measured():
    old = np.linspace(1, 2, 100, dtype=np.float64)
    delta = compare_arrays(old, old + 1e-5, 0, 1e-4)
    assert delta.outside == 0 and delta.max_abs == pytest.approx(1e-5) and delta.max_rel == 0


def test_equal_nan_is_equal_and_another_one_is_nonfinite():
    old = np.array([np.nan, np.inf, 1.0, 2.0, 3.0])
    assert compare_arrays(old, old.copy(), 0, 0).outside == 0
    new = np.array([np.nan, -np.inf, np.nan, 2.0, 9.0])
    delta = compare_arrays(old, new, 0, 0)
    assert (delta.outside, delta.nonfinite, delta.index, delta.max_abs) == (3, 2, 1, 6.0)


def test_nan_in_a_later_chunk_is_what_is_pointed_at():
    old = np.zeros(2 * CHUNK, np.float32)
    new = old.copy()
    new[3], new[CHUNK + 4] = 1, np.nan
    assert compare_arrays(old, new, 0, 0).index == CHUNK + 4


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_small_floats_are_compared_as_numbers(dtype):
    old = np.array([1.0, 60000.0, -1.0], dtype)
    new = np.array([1.0, -60000.0, -1.0], dtype)
    delta = compare_arrays(old, new, 1e-3, 1e-3)
    assert (delta.outside, delta.index) == (1, 1) and delta.max_abs > 119000


def test_integers_are_exact_beyond_what_floats_hold():
    old = np.array([2**62, 5, np.iinfo(np.int64).min])
    new = np.array([2**62 + 1, 5, np.iinfo(np.int64).max])
    delta = compare_arrays(old, new, 1.0, 1.0)
    assert (delta.outside, delta.index, delta.max_abs) == (2, 2, float(2**64 - 1))


def test_unsigned_and_boolean():
    delta = compare_arrays(np.array([3, 0], np.uint8), np.array([3, 255], np.uint8), 1, 1)
    assert (delta.outside, delta.max_abs) == (1, 255)
    assert compare_arrays(np.array([True]), np.array([False]), 9, 9).outside == 1


def test_types_of_different_width_are_compared_by_value():
    old, new = np.array([0.1, 2.0], np.float32), np.array([0.1, 2.0], np.float64)
    assert compare_arrays(old, new, 1e-6, 0).outside == 0
    assert compare_arrays(np.array([7], np.int32), np.array([7.5]), 0, 0.1).outside == 1


def test_complex_positions_are_of_the_pair():
    old = np.zeros((2, 2), np.complex64)
    new = old.copy()
    new[1, 0] = 1j
    delta = compare_arrays(old, new, 0, 0)
    assert (delta.index, delta.old, delta.new) == (2, 0j, 1j)


def test_strings_with_trailing_zeros():
    old, new = np.array([b"a\0", b"b"], object), np.array([b"a", b"b"], object)
    assert (compare_arrays(old, new, 0, 0).outside, compare_arrays(old, old, 0, 0).outside) == (
        1,
        0,
    )


def test_empty_and_scalar():
    assert compare_arrays(np.zeros((0, 3)), np.zeros((0, 3)), 0, 0).size == 0
    assert compare_arrays(np.float32(1), np.float32(1), 0, 0).size == 1


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="different shapes"):
        compare_arrays(np.zeros(3), np.zeros(4), 0, 0)
