"""What an input function returned, as features and labels with the hooks they need."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat.hooks.base import SessionRunHook

v1 = tf.compat.v1


class IteratorInitializerHook(SessionRunHook):
    """Starts a dataset's iterator in each new session."""

    def __init__(self, iterator: Any):
        self._iterator = iterator

    def begin(self) -> None:
        """Makes the initializer, before the graph is finalized."""
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Starts the iterator."""
        session.run(self._initializer)


def features_and_labels(result: Any) -> tuple[Any, Any, list[SessionRunHook]]:
    """Takes the result of an input function apart.

    Args:
      result: A dataset, a pair (features, labels), or features alone.

    Returns:
      The features, the labels or None, and hooks.

    Raises:
      ValueError: It is a tuple or list, but not a pair.
    """
    hooks: list[SessionRunHook] = []
    if isinstance(result, tf.data.Dataset):
        iterator = v1.data.make_initializable_iterator(result)
        hooks.append(IteratorInitializerHook(iterator))
        result = iterator.get_next()
    if not isinstance(result, (list, tuple)):
        return result, None, hooks
    if len(result) != 2:
        raise ValueError(
            f"An input function returns (features, labels); got {len(result)} values. "
            "Put several tensors into a dict."
        )
    return result[0], result[1], hooks


def may_end(features: Any) -> bool:
    """Whether the features come from a dataset or a queue, which can run out."""
    for value in tf.nest.flatten(features):
        if isinstance(value, tf.Tensor) and value.op.type == "IteratorGetNext":
            return True
    return bool(v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS))
