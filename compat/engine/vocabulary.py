"""The vocabulary graph: where hooks look names up and build ops when no legacy graph exists.

On the tf.function and Keras surfaces the computation is not a legacy graph, yet hooks
ask a default graph for names, variables and collections. This graph offers them: bound
variables stand for live eager ones, and placeholders for values that a step supplies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


class VocabularyGraph(tf.Graph):
    """A graph of names for what lives outside it.

    Attributes:
      bound: Variable nodes' names -> the eager variables that they stand for.
      offers: Tensor names (`"loss:0"`) -> placeholders whose values a step supplies.
      own_step: A global step that nobody else counts, so that each step's run does.
    """

    def __init__(self, spec_of: Callable[[str], tf.TensorSpec | None]):
        """Starts an empty vocabulary.

        Args:
          spec_of: Tells shape and dtype of what a step can supply under a name
            (`"loss:0"`), or None for a name that no step knows. Such a name becomes a
            placeholder when it is first looked up, as long as the graph may grow.
        """
        super().__init__()
        self.bound: dict[str, tf.Variable] = {}
        self.offers: dict[str, tf.Tensor] = {}
        self.own_step: tf.Variable | None = None
        self._spec_of = spec_of
        self._aliases: dict[str, str] = {}
        self._nodes_by_object: dict[int, tuple[Any, tf.Tensor]] = {}

    def bind(
        self,
        name: str,
        variable: tf.Variable,
        collections: Iterable[str],
        trainable: bool = False,
        aliases: Iterable[str] = (),
        objects: Iterable[Any] = (),
    ) -> tf.Variable:
        """Adds a variable node that stands for an eager variable.

        Args:
          name: The node's name, without `":0"`.
          variable: The eager variable.
          collections: Graph collections to add it to.
          trainable: Whether it counts as trainable.
          aliases: Other names under which it is found.
          objects: Other objects, such as a Keras variable, that stand for it in fetches.

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
        element = super().as_graph_element(node)
        for stand_in in (variable, *objects):
            self._nodes_by_object[id(stand_in)] = (stand_in, element)
        for alias in aliases:
            self._aliases[alias] = node.op.name
        return node

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """Like the base class, for aliases, bound objects and names that a step supplies."""
        known = self._nodes_by_object.get(id(obj))
        if known is not None:
            return known[1]
        try:
            return super().as_graph_element(obj, allow_tensor, allow_operation)
        except KeyError:
            if not isinstance(obj, str):
                raise
            stem, colon, index = obj.partition(":")
            if stem in self._aliases:
                return super().as_graph_element(
                    self._aliases[stem] + colon + index, allow_tensor, allow_operation
                )
            spec = self._spec_of(obj) if colon and allow_tensor and not self.finalized else None
            if spec is None:
                raise
            return self._offer(stem, spec)

    def _offer(self, name: str, spec: tf.TensorSpec) -> tf.Tensor:
        with self.as_default(), v1.name_scope(None), tf.control_dependencies(None):
            placeholder = v1.placeholder(spec.dtype, spec.shape, name=name)
        self.offers[placeholder.name] = placeholder
        return placeholder


def _static(shape: tf.TensorShape) -> list[int]:
    return [size or 0 for size in shape.as_list()] if shape.rank is not None else []
