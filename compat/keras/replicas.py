"""Values of a step on several replicas, made one value.

Keras reduces what a step returns over the replicas: Keras 3 by their mean, Keras 2 by
their sum, to a scalar. That fits metric results only. So the values hooks ask for are
reduced inside the step, and come out such that Keras's own reduction leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf

from compat.keras.workers import is_chief

_SUM, _MEAN = tf.distribute.ReduceOp.SUM, tf.distribute.ReduceOp.MEAN


class Reduction:
    """How values of one step function become one value each."""

    def __init__(self, model: Any, mode: str):
        """Prepares for one step function.

        Args:
          model: The model that runs.
          mode: "train", "test" or "predict".
        """
        self._replicas = model.distribute_strategy.num_replicas_in_sync
        self._by_mean = isinstance(model, keras.Model)
        self._concatenated = mode == "predict"  # Keras does it, for predictions.

    def sum(self, value: tf.Tensor) -> tf.Tensor:
        """The sum over the replicas: of gradients, and of losses that each is scaled for."""
        return self._reduced(value, _SUM)

    def concatenation(self, value: tf.Tensor) -> tf.Tensor:
        """The whole batch's values, from each replica's part of it."""
        return self._reduced(value, _MEAN if value.shape.rank == 0 else None)

    def undone_sum(self, value: Any) -> Any:
        """A value that is the same on all replicas, as a summand of itself."""
        return value if value is None or self._replicas == 1 else value / self._replicas

    def _reduced(self, value: tf.Tensor, how: tf.distribute.ReduceOp | None) -> tf.Tensor:
        if self._replicas == 1 or self._concatenated:
            return value
        context = tf.distribute.get_replica_context()
        if not self._by_mean:
            # One tensor for all replicas, which Keras 2 doesn't add up.
            return context.merge_call(_across(how), args=(value,))
        if how is None:
            return context.all_gather(value, axis=0)
        return context.all_reduce(how, value)


def _across(how: tf.distribute.ReduceOp | None) -> Callable:
    def merged(strategy: tf.distribute.Strategy, values: Any) -> tf.Tensor:
        if how is None:
            value = strategy.gather(values, axis=0)
        else:
            value = strategy.reduce(how, values, axis=None)
        # Keras 2 does add up what several workers return.
        return value if is_chief(strategy) else tf.zeros_like(value)

    return merged
