"""The vocabulary graph: where hooks look names up and build ops when no legacy graph exists.

On the tf.function and Keras surfaces the computation is not a legacy graph, yet hooks
ask a default graph for names, variables and collections. This graph offers them: bound
variables stand for live eager ones, and placeholders for values that a step supplies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


class VocabularyGraph(tf.Graph):
    """A graph of names for what lives outside it.

    Attributes:
      bound: Variable nodes' names -> the eager variables that they stand for.
      offers: Tensor names (`"loss:0"`) -> placeholders whose values a step supplies.
      guesses: Whether an unknown name becomes an offer of dtype float32, as long as the
        graph may grow: a step's outputs are known only when it runs.
      own_step: A global step that nobody else counts, so that each step's run does.
    """

    def __init__(self, guesses: bool = False):
        super().__init__()
        self.bound: dict[str, tf.Variable] = {}
        self.offers: dict[str, tf.Tensor] = {}
        self.guesses = guesses
        self.own_step: tf.Variable | None = None

    def bind(
        self, name: str, variable: tf.Variable, collections: Iterable[str], trainable: bool = False
    ) -> tf.Variable:
        """Adds a variable node that stands for an eager variable.

        Args:
          name: The node's name, without `":0"`.
          variable: The eager variable.
          collections: Graph collections to add it to.
          trainable: Whether it counts as trainable; such variables should be put into
            `GraphKeys.TRAINABLE_VARIABLES`.

        Returns:
          The graph's variable.
        """
        with self.as_default():
            node = v1.Variable(
                initial_value=lambda: tf.zeros(_static(variable.shape), variable.dtype),
                name=name,
                trainable=trainable,
                collections=list(collections),
                dtype=variable.dtype,
                use_resource=True,
                shape=variable.shape,
            )
        self.bound[node.op.name] = variable
        return node

    def offer(self, name: str, dtype: tf.DType, shape: Any = None) -> tf.Tensor:
        """Adds a placeholder, called `name` without `":0"`, whose value a step supplies."""
        with self.as_default():
            placeholder = v1.placeholder(dtype, shape, name=name)
        self.offers[placeholder.name] = placeholder
        return placeholder

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """Like the base class; an unknown `"name:0"` may become an offer."""
        try:
            return super().as_graph_element(obj, allow_tensor, allow_operation)
        except KeyError:
            if self.guesses and allow_tensor and not self.finalized and _may_be_offered(obj):
                return self.offer(obj.removesuffix(":0"), tf.float32)
            raise


def _may_be_offered(obj: Any) -> bool:
    return isinstance(obj, str) and obj.endswith(":0") and len(obj) > 2


def _static(shape: tf.TensorShape) -> list[int]:
    return [size or 0 for size in shape.as_list()] if shape.rank is not None else []
