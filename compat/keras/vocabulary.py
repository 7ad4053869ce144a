"""The vocabulary graph of a Keras model: what hooks find in their default graph."""

from __future__ import annotations

import re
from typing import Any

import keras
import tensorflow as tf

from compat.engine.steps import STEP_AFTER, STEP_BEFORE
from compat.engine.vocabulary import VocabularyGraph
from compat.keras import names
from compat.keras.building import has_own_train_step
from compat.keras.taps import TapSet

v1 = tf.compat.v1

_LOG = re.compile(r"[A-Za-z]\w*:0")


class ModelNames:
    """What can be fetched by name while a model runs.

    Attributes:
      graph: The vocabulary graph, in which every variable is bound to the live one.
      global_step: The variable that counts steps.
      variables: The model's and optimizer's variables.
      input_names: Names of the model's inputs.
      may_not_count: Whether a step may leave the global step as it is.
    """

    def __init__(self, model: Any, mode: str, element_spec: Any):
        """Takes stock of a built model.

        Args:
          model: The model.
          mode: "train", "test" or "predict".
          element_spec: The specs of a batch; None if the data has none.
        """
        self._mode = mode
        # In one call of several steps, on several replicas, or where it may have to be
        # counted outside, the step is read outside.
        replicas = model.distribute_strategy.num_replicas_in_sync
        steps = getattr(model, "steps_per_execution", None)
        self.may_not_count = mode == "train" and has_own_train_step(model)
        alone = isinstance(model, keras.Model) and replicas == steps == 1
        alone = alone and not self.may_not_count
        self._layers = names.named_layers(model)
        inputs = getattr(model, "inputs", None) or []
        self.input_names = [tensor.name.partition(":")[0] for tensor in inputs]
        parts = names.batch_parts(element_spec, self.input_names)
        self._batch = {name: names.batch_spec(part) for name, part in parts.items()}
        self.variables = names.named_variables(model)
        self._short = names.short_names(self.variables)
        self._trainable = {
            key: variable
            for variable in self.variables
            if variable.trainable
            for key in self._names_of(variable)
        }
        self.graph = VocabularyGraph(self.spec_of)
        for variable in self.variables:
            self._bind(variable)
        for output, name in names.output_names(model, self._layers):
            self.graph.offer_as(output, name)
        for tensor, name in zip(inputs, self.input_names, strict=True):
            self.graph.offer_as(tensor, f"{name}:0")
        counted = any(variable.name == names.GLOBAL_STEP for variable in self.variables)
        self._taps_step = alone and counted
        if not counted:
            # A model without optimizer has no step.
            self.graph.bind(
                names.GLOBAL_STEP,
                tf.Variable(0, dtype=tf.int64, trainable=False),
                [v1.GraphKeys.GLOBAL_VARIABLES, v1.GraphKeys.GLOBAL_STEP],
            )
        self.global_step: tf.Variable = self.graph.bound[names.GLOBAL_STEP]

    def _names_of(self, named: names.NamedVariable) -> list[str]:
        """A variable's name, and the others that it goes by."""
        short = self._short.get(named.name)
        return [named.name, named.path, *([short] if short else [])]

    def _bind(self, named: names.NamedVariable) -> None:
        collections = [v1.GraphKeys.GLOBAL_VARIABLES]
        if named.name == names.GLOBAL_STEP:
            collections.append(v1.GraphKeys.GLOBAL_STEP)
        if named.trainable:
            collections.append(v1.GraphKeys.TRAINABLE_VARIABLES)
        if named.of_model:
            collections.append(v1.GraphKeys.MODEL_VARIABLES)
        held = named.source if isinstance(named.source, tf.Variable) else named.source.value
        self.graph.bind(
            named.name,
            named.variable,
            collections,
            trainable=named.trainable,
            aliases=self._names_of(named)[1:],
            objects=[named.source, held],
            whole=None if held is named.variable else held,
        )

    def taps(self, wanted: frozenset[str]) -> TapSet:
        """Which of `wanted` come from inside the step; the others are in its logs."""
        outputs = {name: place for name in wanted if (place := self._output(name)) is not None}
        gradients = {name: variable for name in wanted if (variable := self._differentiated(name))}
        inside = {name for name in wanted if name == names.LOSS or name in self._batch}
        tapped = [*outputs, *gradients, *inside]
        steps = {}
        if tapped and self._taps_step:
            steps = {n: self.global_step for n in (STEP_BEFORE, STEP_AFTER) if n in wanted}
        return TapSet(
            wanted=frozenset([*tapped, *steps]),
            steps=steps,
            outputs=outputs,
            gradients={id(variable.source): name for name, variable in gradients.items()},
            input_names=self.input_names,
            known=self.known(),
        )

    def _output(self, name: str) -> tuple[Any, int] | None:
        """The layer, and which of its outputs, that `"h/output:0"` names."""
        stem, _, index = name.partition(":")
        layer = self._layers.get(stem.removesuffix(names.OUTPUT))
        if layer is None or not stem.endswith(names.OUTPUT) or not index.isdigit():
            return None
        return layer, int(index)

    def _differentiated(self, name: str) -> names.NamedVariable | None:
        """The variable whose gradient `"gradients/h/kernel:0"` names."""
        if self._mode != "train" or not name.startswith(names.GRADIENTS):
            return None
        return self._trainable.get(name.removeprefix(names.GRADIENTS).removesuffix(":0"))

    def is_batch_part(self, name: str) -> bool:
        """Whether `name` is a tensor of the batch."""
        return name in self._batch

    def spec_of(self, name: str) -> tf.TensorSpec | None:
        """Shape and dtype of what a step can supply under a name; None if it can't."""
        if name in self._batch:
            return self._batch[name] or tf.TensorSpec(None)
        place = self._output(name)
        if place is not None:
            return names.output_spec(*place)
        variable = self._differentiated(name)
        if variable is not None:
            return tf.TensorSpec(variable.variable.shape, variable.variable.dtype)
        # The loss, the learning rate, or a metric: which there are, the first step tells.
        return tf.TensorSpec([], tf.float32) if _LOG.fullmatch(name) else None

    def known(self) -> list[str]:
        """Every name, for the error that lists the nearest."""
        outputs = [f"{layer}{names.OUTPUT}:0" for layer in self._layers]
        variables = [f"{variable.name}:0" for variable in self.variables]
        trained = self.variables if self._mode == "train" else []
        gradients = [f"{names.GRADIENTS}{v.name}:0" for v in trained if v.trainable]
        return [names.LOSS, *self._batch, *variables, *outputs, *gradients]
