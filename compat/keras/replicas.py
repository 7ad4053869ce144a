"""Values of a step on several replicas, made one value.

Keras reduces what a step returns over the replicas: Keras 3 by their mean, Keras 2 by
their sum. That fits metric results only. So the values hooks ask for are reduced inside
the step, and shaped such that Keras's own reduction then leaves them as they are.
"""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf


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
        if self._replicas == 1 or self._concatenated:
            return value
        context = tf.distribute.get_replica_context()
        return self._once(context, context.all_reduce(tf.distribute.ReduceOp.SUM, value))

    def concatenation(self, value: tf.Tensor) -> tf.Tensor:
        """The whole batch's values, from each replica's part of it."""
        if self._replicas == 1 or self._concatenated:
            return value
        context = tf.distribute.get_replica_context()
        if value.shape.rank == 0:
            return self._once(context, context.all_reduce(tf.distribute.ReduceOp.MEAN, value))
        return self._once(context, context.all_gather(value, axis=0))

    def undone_sum(self, value: Any) -> Any:
        """A value that is the same on all replicas, as a summand of itself."""
        return value if value is None or self._replicas == 1 else value / self._replicas

    def _once(self, context: Any, value: tf.Tensor) -> tf.Tensor:
        if self._by_mean:
            return value
        first = tf.equal(context.replica_id_in_sync_group, 0)
        return tf.where(first, value, tf.zeros_like(value))
