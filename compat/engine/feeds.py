"""Feeds: checks and converts a `feed_dict` as TF1's `Session.run` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from compat import _tf


class FeedTarget:
    """A tensor that is fed again and again, with what its checks need at hand.

    Attributes:
      key: What the feed_dict calls it; held so that its identity stays its own.
      tensor: The fed tensor.
      name: Its name.
    """

    def __init__(self, key: Any, tensor: tf.Tensor):
        self.key = key
        self.tensor = tensor
        self.name = tensor.name
        self._dtype = tensor.dtype.base_dtype
        self._array_dtype = np.dtype(tensor.dtype.as_numpy_dtype)
        self._shape = tensor.shape.as_list() if tensor.shape.rank is not None else None

    def convert(self, value: Any) -> tf.Tensor:
        """Converts as `convert_feed`; an array that fits as it is goes the short way."""
        if type(value) is np.ndarray and value.dtype == self._array_dtype and self._fits(value):
            return _tf.to_eager(value, self._dtype)
        return convert_feed(self.tensor, value)

    def _fits(self, array: np.ndarray) -> bool:
        if self._shape is None:
            return True
        return len(array.shape) == len(self._shape) and all(
            size is None or size == given
            for size, given in zip(self._shape, array.shape, strict=True)
        )


def flatten_feeds(feed_dict: Mapping) -> list[tuple[Any, Any]]:
    """Expands nested and composite feeds into (key, raw value) pairs.

    Args:
      feed_dict: Keys are tensors, names, variables, composite tensors, or tuples of
        those whose values have the same structure.

    Returns:
      The pairs, in order; each key stands for one tensor.

    Raises:
      TypeError: A key can't be fed, or `feed_dict` isn't a dict.
      ValueError: A nested key and its value differ in structure.
    """
    if not isinstance(feed_dict, Mapping):
        raise TypeError(f"The argument `feed_dict` must be a dict; got {feed_dict!r}.")
    pairs: list[tuple[Any, Any]] = []
    for key, value in feed_dict.items():
        for leaf, leaf_value in _flatten_item(key, value):
            pairs += _expand(leaf, leaf_value)
    return pairs


def resolve_feed(key: Any, resolve: Callable[[Any], Any]) -> tf.Tensor:
    """The tensor that a feed's key stands for.

    Raises:
      TypeError: The key is no tensor of the graph.
    """
    try:
        return resolve(key)
    except Exception as error:
        reason = error.args[0] if error.args else error
        raise TypeError(f"Cannot interpret feed_dict key {key!r} as Tensor: {reason}") from None


def _flatten_item(key: Any, value: Any) -> list[tuple[Any, Any]]:
    if not isinstance(key, (list, tuple)):
        return [(key, value)]
    keys = tf.nest.flatten(key)
    try:
        tf.nest.assert_same_structure(key, value, check_types=False)
        values = tf.nest.flatten(value)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Could not pair the feed {key!r} with its value: their structures differ. ({error})"
        ) from None
    return list(zip(keys, values, strict=True))


def _expand(key: Any, value: Any) -> list[tuple[Any, Any]]:
    for kind, _, feed, _ in _tf.run_conversions:
        if kind is not object and isinstance(key, kind):
            if feed is None:
                raise TypeError(f"{key!r} of type {type(key).__name__} can't be fed.")
            return list(feed(key, value))
    return [(key, value)]


def convert_feed(tensor: tf.Tensor, value: Any) -> tf.Tensor:
    """Converts one fed value to an eager tensor of the fed tensor's dtype.

    Args:
      tensor: The graph tensor to feed.
      value: A number, string, NumPy array, (nested) list, or eager tensor.

    Returns:
      The eager tensor.

    Raises:
      TypeError: The value is a graph tensor, or does not fit the dtype.
      ValueError: The value's shape does not fit, or it isn't rectangular, or the tensor
        may not be fed.
      tf.errors.InternalError: What is fed for strings holds something else.
    """
    if isinstance(value, _tf.EagerTensor):
        if value.dtype in (tensor.dtype.base_dtype, tf.resource, tf.variant):
            array: Any = value
        else:
            array = value.numpy().astype(tensor.dtype.as_numpy_dtype)
    elif isinstance(value, tf.Tensor):
        raise TypeError(
            "The value of a feed cannot be a graph tensor; got "
            f"{value!r} for {tensor.name}. Run it first and feed what it gives."
        )
    else:
        array = _to_array(tensor, value)
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {tuple(array.shape)} for Tensor {tensor.name}, "
            f"which has shape {tensor.shape}"
        )
    if not tensor.graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    if not isinstance(array, np.ndarray):
        return array
    try:
        return _tf.to_eager(array, tensor.dtype.base_dtype)
    except ValueError as error:
        if array.dtype != object:
            raise
        raise tf.errors.InternalError(
            None, None, f"The value fed for {tensor.name} holds an unsupported object: {error}"
        ) from None


def _to_array(tensor: tf.Tensor, value: Any) -> Any:
    if hasattr(value, "to_numpy_array"):  # A handle from `get_session_handle`.
        return value.to_numpy_array()
    dtype = tensor.dtype.as_numpy_dtype
    if type(value) is int and dtype is not object and dtype(np.array(value).astype(dtype)) != value:
        raise TypeError(
            f"Type of feed value {value!r} with type {type(value)} is not compatible with "
            f"Tensor type {dtype} of {tensor.name}. Give the tensor a larger type, such as int64."
        )
    return np.asarray(value, dtype=dtype)
