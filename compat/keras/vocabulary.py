"""The vocabulary graph of a Keras model: what hooks find in their default graph."""

from __future__ import annotations

import re
from typing import Any

import tensorflow as tf

from compat.engine.vocabulary import VocabularyGraph
from compat.keras import names

v1 = tf.compat.v1

_LOG = re.compile(r"[A-Za-z]\w*:0")


class ModelNames:
    """What can be fetched by name while a model runs.

    Attributes:
      graph: The vocabulary graph, in which every variable is bound to the live one.
      variables: The model's and optimizer's variables.
    """

    def __init__(self, model: Any, element_spec: Any):
        """Takes stock of a built model.

        Args:
          model: The model.
          element_spec: The specs of a batch; None if the data has none.
        """
        self._model = model
        self.layers = names.named_layers(model)
        self.input_names = [
            tensor.name.partition(":")[0] for tensor in getattr(model, "inputs", None) or []
        ]
        self._batch = names.batch_parts(element_spec, self.input_names)
        self.variables = names.named_variables(model)
        self._by_name = {variable.name: variable for variable in self.variables}
        self.graph = VocabularyGraph(self.spec_of)
        for variable in self.variables:
            self._bind(variable)
        if names.GLOBAL_STEP not in self._by_name:  # A model without optimizer has no step.
            self.graph.bind(
                names.GLOBAL_STEP,
                tf.Variable(0, dtype=tf.int64, trainable=False),
                [v1.GraphKeys.GLOBAL_VARIABLES, v1.GraphKeys.GLOBAL_STEP],
            )

    def _bind(self, named: names.NamedVariable) -> None:
        collections = [v1.GraphKeys.GLOBAL_VARIABLES]
        if named.name == names.GLOBAL_STEP:
            collections.append(v1.GraphKeys.GLOBAL_STEP)
        if named.trainable:
            collections.append(v1.GraphKeys.TRAINABLE_VARIABLES)
        if named.of_model:
            collections.append(v1.GraphKeys.MODEL_VARIABLES)
        self.graph.bind(
            named.name,
            named.variable,
            collections,
            trainable=named.trainable,
            aliases=[named.path],
            objects=[named.source],
        )

    def gradient_names(self) -> dict[int, str]:
        """Identities of the Keras variables -> names of their gradients."""
        return {
            id(variable.source): f"{names.GRADIENTS}{variable.name}:0"
            for variable in self.variables
            if variable.trainable
        }

    def layer_of(self, name: str) -> Any:
        """The layer whose output is called `name`, or None."""
        stem = name.removesuffix(":0")
        return self.layers.get(stem.removesuffix(names.OUTPUT)) if _is_output(stem) else None

    def is_batch_part(self, name: str) -> bool:
        """Whether `name` is a tensor of the batch."""
        return name in self._batch

    def is_tap(self, name: str) -> bool:
        """Whether it comes from inside the step; everything else is in the step's logs."""
        return (
            name == names.LOSS
            or name in self._batch
            or name.startswith(names.GRADIENTS)
            or self.layer_of(name) is not None
        )

    def spec_of(self, name: str) -> tf.TensorSpec | None:
        """Shape and dtype of what a step can supply under a name; None if it can't."""
        if name in self._batch:
            spec = self._batch[name]
            return tf.TensorSpec(getattr(spec, "shape", None), getattr(spec, "dtype", tf.float32))
        layer = self.layer_of(name)
        if layer is not None:
            return names.output_spec(layer)
        stem = name.removesuffix(":0")
        variable = self._by_name.get(stem.removeprefix(names.GRADIENTS))
        if stem.startswith(names.GRADIENTS) and variable is not None and variable.trainable:
            return tf.TensorSpec(variable.variable.shape, variable.variable.dtype)
        # The loss, the learning rate, or a metric: which there are, the first step tells.
        return tf.TensorSpec([], tf.float32) if _LOG.fullmatch(name) else None

    def known(self) -> list[str]:
        """Every name, for the error that lists the nearest."""
        outputs = [f"{layer}{names.OUTPUT}:0" for layer in self.layers]
        variables = [f"{variable.name}:0" for variable in self.variables]
        gradients = list(self.gradient_names().values())
        return [names.LOSS, *self._batch, *variables, *outputs, *gradients]


def _is_output(stem: str) -> bool:
    return stem.endswith(names.OUTPUT)
