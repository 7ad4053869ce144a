"""The Keras step: one call of a model's train, test or predict function as RUN."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from compat.engine.steps import Step, unknown_name
from compat.keras import names
from compat.keras.taps import tapped_function
from compat.keras.vocabulary import ModelNames


class KerasStep(Step):
    """Calls the variant of a model's step function that supplies what is asked for.

    Attributes:
      data: What Keras passes to the function: an iterator, or a list of batches.
      logs: What the function returned last, for Keras.
    """

    def __init__(self, model: Any, mode: str, plain: Callable, model_names: ModelNames):
        """Wraps the step function of one loop.

        Args:
          model: The model.
          mode: "train", "test" or "predict".
          plain: The model's own function.
          model_names: The model's vocabulary.
        """
        self._model = model
        self._mode = mode
        self._plain = plain
        self._names = model_names
        self._variants: dict[frozenset[str], Callable] = {}
        self.data: Any = None
        self.logs: Any = None

    def accepts(self, name: str) -> bool:
        """Parts of the batch can be fed."""
        return self._names.is_batch_part(f"{name}:0")

    def call(self, arguments: Mapping[str, Any], wanted: set[str]) -> tuple[Any, dict[str, Any]]:
        """Runs one step; see `Step.call`."""
        data = self._fed_data(arguments) if arguments else self.data
        rate = names.LEARNING_RATE + ":0"
        taps = frozenset(name for name in wanted if self._names.is_tap(name))
        if not taps:
            self.logs = self._plain(data)
            values: dict[str, Any] = {}
        else:
            if taps not in self._variants:
                self._variants[taps] = tapped_function(self._model, self._mode, self._names, taps)
            outcome = self._variants[taps](data)
            self.logs, values = outcome["logs"], dict(outcome["taps"])
        if isinstance(self.logs, Mapping):
            for name, value in self.logs.items():
                values.setdefault(f"{name}:0", value)
        if rate in wanted:
            values[rate] = tf.convert_to_tensor(self._model.optimizer.learning_rate)
        for name in wanted:
            if name not in values:
                raise unknown_name(name, [*values, *self._names.known()])
        return None, values

    def _fed_data(self, arguments: Mapping[str, Any]) -> Any:
        """The next batch with fed parts in the place of its own."""
        if self._mode == "predict":
            return [_replaced(batch, arguments, self._names) for batch in self.data]
        batch = next(self.data)
        return iter([_replaced(batch, arguments, self._names)])


def _replaced(batch: Any, arguments: Mapping[str, Any], model_names: ModelNames) -> Any:
    """A batch with some of its tensors replaced by fed values."""
    named = names.batch_parts(batch, model_names.input_names)
    fed = {id(named[f"{name}:0"]): value for name, value in arguments.items()}

    def replace(tensor: Any) -> Any:
        if id(tensor) not in fed:
            return tensor
        return tf.cast(tf.convert_to_tensor(fed[id(tensor)]), tensor.dtype)

    return tf.nest.map_structure(replace, batch)
