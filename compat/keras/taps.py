"""Taps: values from inside a Keras train, test or predict step.

A step function is compiled once as Keras does it and once more for each set of values
that hooks ask for. Which one runs is chosen per step, so values that nobody asks for in
a step cost nothing in it.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import keras
import tensorflow as tf

from compat.engine.steps import STEP_AFTER, STEP_BEFORE, unknown_name
from compat.keras import names
from compat.keras.replicas import Reduction

#: What Keras calls the parts of each kind of loop.
STEPS = {"train": "train_step", "test": "test_step", "predict": "predict_step"}
FUNCTIONS = {"train": "train_function", "test": "test_function", "predict": "predict_function"}
MAKERS = {
    "train": "make_train_function",
    "test": "make_test_function",
    "predict": "make_predict_function",
}

#: A step function that returns Keras's logs and the tapped values by name.
TappedFunction = Callable[[Any], tuple[Any, dict[str, Any]]]

#: Marks a tapped value among the logs: each level of nesting costs time in every step.
_TAP = "tap "
_LOGS = "logs"


@dataclasses.dataclass(frozen=True)
class TapSet:
    """The values that one variant of a step function supplies.

    Attributes:
      wanted: Their names.
      outputs: Names of layer outputs among them -> (layer, index of the output).
      gradients: Identities of variables -> names of their gradients among them.
      steps: Which of `STEP_BEFORE` and `STEP_AFTER` are among them -> the global step.
      input_names: Names of the model's inputs.
      known: Every name that there is, for errors.
    """

    wanted: frozenset[str]
    outputs: dict[str, tuple[Any, int]]
    gradients: dict[int, str]
    steps: dict[str, tf.Variable]
    input_names: list[str]
    known: list[str]


def tapped_function(model: Any, mode: str, taps: TapSet) -> TappedFunction:
    """A step function that also returns values from inside the step.

    Args:
      model: A Keras model.
      mode: "train", "test" or "predict".
      taps: The values.

    Returns:
      A function that is called as the model's own.
    """
    step = getattr(model, STEPS[mode])
    reduction = Reduction(model, mode)

    def tapped(data: Any) -> dict:
        found: dict[str, Any] = {}
        if STEP_BEFORE in taps.steps:
            found[STEP_BEFORE] = taps.steps[STEP_BEFORE].read_value()
        with _tapping(model, taps, found):
            logs = step(data)
        batch = names.batch_parts(data, taps.input_names)
        found.update((name, batch[name]) for name in taps.wanted if name in batch)
        if names.LOSS in taps.wanted and names.LOSS not in found and isinstance(logs, dict):
            found[names.LOSS] = reduction.undone_sum(logs.get("loss"))
        if STEP_AFTER in taps.steps:
            found[STEP_AFTER] = taps.steps[STEP_AFTER].read_value()
        missing = [name for name in sorted(taps.wanted) if found.get(name) is None]
        if missing:
            raise unknown_name(missing[0], [*found, *taps.known])
        values = {
            _TAP + name: _reduced(reduction, name, tf.convert_to_tensor(found[name]))
            for name in sorted(taps.wanted)
        }
        return {**logs, **values} if _is_flat(logs) else {_LOGS: logs, **values}

    with _attribute(model, STEPS[mode], tapped):
        before = getattr(model, FUNCTIONS[mode])
        setattr(model, FUNCTIONS[mode], None)
        try:
            getattr(model, MAKERS[mode])(force=True)
            function = getattr(model, FUNCTIONS[mode])
        finally:
            setattr(model, FUNCTIONS[mode], before)
    shortcut = _shortcut(model, mode, tapped) if isinstance(model, keras.Model) else None

    def run(iterator: Any) -> tuple[Any, dict[str, Any]]:
        if shortcut is not None and isinstance(iterator, tf.data.Iterator):
            return _split(shortcut(iterator))
        # Keras may look the step up when it traces.
        with _attribute(model, STEPS[mode], tapped):
            return _split(function(iterator))

    return run


def _shortcut(model: Any, mode: str, tapped: Callable) -> Callable[[Any], dict] | None:
    """One step on one device without what Keras wraps around its results, if that will do.

    Keras hands results out of its function in an optional, which takes longer the more of
    them there are. Only calls of several steps have a use for it.
    """
    if (
        mode == "predict"
        or model.run_eagerly
        or model.steps_per_execution != 1
        or model.distribute_strategy.num_replicas_in_sync > 1
        or getattr(type(model), MAKERS[mode]) is not getattr(keras.Model, MAKERS[mode])
    ):
        return None
    step = tapped
    if model.jit_compile:
        step = tf.function(tapped, reduce_retracing=True, jit_compile=True, autograph=False)

    def step_on_iterator(iterator: Any) -> dict:
        return step(iterator.get_next())

    return tf.function(step_on_iterator, reduce_retracing=True, autograph=False)


def _is_flat(logs: Any) -> bool:
    """Whether tapped values can stand beside Keras's own in one dict."""
    return type(logs) is dict and all(isinstance(name, str) for name in logs) and _LOGS not in logs


def _split(outcome: dict) -> tuple[Any, dict[str, Any]]:
    """Keras's logs and the tapped values of one step."""
    values, logs = {}, {}
    for name, value in outcome.items():
        if name.startswith(_TAP):
            values[name[len(_TAP) :]] = value
        else:
            logs[name] = value
    return logs.get(_LOGS, logs), values


def _reduced(reduction: Reduction, name: str, value: tf.Tensor) -> tf.Tensor:
    if name == names.LOSS or name.startswith(names.GRADIENTS):
        return reduction.sum(value)
    return reduction.concatenation(value)


@contextlib.contextmanager
def _attribute(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Sets an attribute of an object for a while, unseen by Keras."""
    own = vars(owner)
    before = own.get(name)
    own[name] = value
    try:
        yield
    finally:
        if before is None:
            del own[name]
        else:
            own[name] = before


@contextlib.contextmanager
def _tapping(model: Any, taps: TapSet, found: dict[str, Any]) -> Iterator[None]:
    """Records values while the step is traced (or run eagerly)."""
    graph = None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()

    def record(name: str, value: Any) -> None:
        # A value inside a loop or branch of the step can't be taken out of it.
        inside = getattr(value, "graph", graph) if graph is not None else None
        if value is not None and inside is graph:
            found.setdefault(name, value)  # What a step makes twice: the first.

    with contextlib.ExitStack() as stack:
        if names.LOSS in taps.wanted:
            stack.enter_context(_attribute(model, "compute_loss", _loss_tap(model, record)))
        by_layer: dict[int, tuple[Any, list[tuple[str, int]]]] = {}
        for name, (layer, index) in taps.outputs.items():
            by_layer.setdefault(id(layer), (layer, []))[1].append((name, index))
        for layer, outputs in by_layer.values():
            stack.enter_context(_attribute(layer, "call", _output_tap(layer, outputs, record)))
        if taps.gradients:
            for optimizer in names.optimizers(model):
                method = "apply" if hasattr(optimizer, "apply") else "apply_gradients"
                tap = _gradient_tap(optimizer, method, taps.gradients, record)
                stack.enter_context(_attribute(optimizer, method, tap))
        yield


def _loss_tap(model: Any, record: Callable[[str, Any], None]) -> Callable:
    compute = model.compute_loss

    def compute_loss(*args: Any, **kwargs: Any) -> Any:
        loss = compute(*args, **kwargs)
        record(names.LOSS, loss)
        return loss

    return compute_loss


def _output_tap(layer: Any, outputs: list[tuple[str, int]], record: Callable) -> Callable:
    call = layer.call
    made = 0  # Outputs of a layer's second use in a step are counted on from the first's.

    def tapped_call(*args: Any, **kwargs: Any) -> Any:
        nonlocal made
        result = call(*args, **kwargs)
        tensors = tf.nest.flatten(result)
        for name, index in outputs:
            if made <= index < made + len(tensors):
                record(name, tensors[index - made])
        made += len(tensors)
        return result

    return tapped_call


def _gradient_tap(
    optimizer: Any, method: str, gradient_names: dict[int, str], record: Callable
) -> Callable:
    apply = getattr(optimizer, method)

    def record_all(gradients: Any, variables: Any) -> None:
        scale = _scale_of(optimizer, method)
        for gradient, variable in zip(gradients, variables, strict=True):
            if gradient is not None and id(variable) in gradient_names:
                gradient = tf.convert_to_tensor(gradient)  # A sparse one becomes dense.
                if scale is not None:
                    gradient /= tf.cast(scale, gradient.dtype)
                record(gradient_names[id(variable)], gradient)

    def tapped_apply(gradients: Any, variables: Any = None, **kwargs: Any) -> Any:
        gradients = list(gradients)
        if variables is None and gradients and isinstance(gradients[0], tuple):
            record_all([pair[0] for pair in gradients], [pair[1] for pair in gradients])
            return apply(gradients, **kwargs)
        record_all(gradients, optimizer.variables if variables is None else variables)
        return apply(gradients, variables, **kwargs)

    return tapped_apply


def _scale_of(optimizer: Any, method: str) -> Any:
    """What the loss was multiplied with, against underflow; None if it wasn't."""
    if method == "apply_gradients":
        return None  # Keras 2 unscales before.
    if names.innermost(optimizer) is not optimizer:
        return tf.convert_to_tensor(optimizer.dynamic_scale)
    return optimizer.loss_scale_factor
