"""The Keras step: one call of a model's train, test or predict function as RUN."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from compat.engine.steps import STEP_AFTER, STEP_BEFORE, Step, read, unknown_name
from compat.keras import names
from compat.keras.batches import with_fed_parts
from compat.keras.kept import kept
from compat.keras.taps import TappedFunction, TapSet, tapped_function
from compat.keras.vocabulary import ModelNames

_RATE = names.LEARNING_RATE + ":0"
_NO_SCOPE = contextlib.nullcontext()


class KerasStep(Step):
    """Calls the variant of a model's step function that supplies what is asked for.

    Attributes:
      reads_global_step: True: a step that is tapped anyway hands the global step out too,
        which takes less time than to read the variable beside it.
      data: What Keras passes to the function: an iterator, or a list of batches.
      logs: What the function returned last, for Keras.
    """

    reads_global_step = True

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
        self._taps: dict[frozenset[str], TapSet] = {}
        self._variants = kept(model).variants(mode, plain)
        # The hooks' default graph hides the strategy; the default one can't be hidden.
        strategy = model.distribute_strategy
        default = strategy is tf.distribute.get_strategy() and not tf.distribute.has_strategy()
        self._scope = None if default else strategy.scope
        #: Whether steps are counted here, which a step of training of the model's own may
        #: leave undone: it need not use the optimizer that Keras gave the model.
        self._counts: bool | None = None if model_names.may_not_count else False
        self.data: Any = None
        self.logs: Any = None

    def accepts(self, name: str) -> bool:
        """Parts of the batch can be fed."""
        return self._names.is_batch_part(f"{name}:0")

    def call(
        self, arguments: Mapping[str, Any], wanted: frozenset[str]
    ) -> tuple[Any, dict[str, Any]]:
        """Runs one step; see `Step.call`."""
        data = self.data
        if arguments:
            data = with_fed_parts(self._model, self._mode, data, arguments, self._names.input_names)
        values: dict[str, Any] = {}
        if _RATE in wanted:  # A schedule: the rate of this step, not of the next.
            values[_RATE] = tf.convert_to_tensor(self._model.optimizer.learning_rate)
        taps = self._taps_for(wanted) if wanted else None
        reads_step = taps is not None and not taps.steps
        if reads_step and STEP_BEFORE in wanted:
            values[STEP_BEFORE] = read(self._names.global_step)
        state = self._optimizer_state() if self._counts is None else None
        with self._scope() if self._scope else _NO_SCOPE:
            if taps is None or not taps.wanted:
                self.logs = self._plain(data)
            else:
                self.logs, tapped = self._variant(taps)(data)
                values.update(tapped)
        if self._counts is None:
            self._counts = self._optimizer_state() == state
        if self._counts:
            self._names.global_step.assign_add(self._model.steps_per_execution or 1)
        if reads_step and STEP_AFTER in wanted:
            values[STEP_AFTER] = read(self._names.global_step)
        if isinstance(self.logs, Mapping):
            for name, value in self.logs.items():
                values.setdefault(f"{name}:0", value)
        for name in wanted:
            if name not in values:
                raise unknown_name(name, [*values, *self._names.known()])
        return None, values

    def _optimizer_state(self) -> list[Any]:
        """The scalars of the model's optimizer, of which a step changes at least one."""
        optimizer = getattr(self._model, "optimizer", None)
        variables = [] if optimizer is None else names.variables_of(optimizer)
        scalars = [v for v in variables if tuple(v.shape) == ()]
        return [read(names.local_variable(scalar)).numpy() for scalar in scalars]

    def _taps_for(self, wanted: frozenset[str]) -> TapSet:
        if wanted not in self._taps:
            self._taps[wanted] = self._names.taps(wanted)
        return self._taps[wanted]

    def _variant(self, taps: TapSet) -> TappedFunction:
        if taps.wanted not in self._variants:
            self._variants[taps.wanted] = tapped_function(self._model, self._mode, taps)
        return self._variants[taps.wanted]
