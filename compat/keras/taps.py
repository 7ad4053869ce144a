"""Taps: values from inside a Keras train, test or predict step.

A step function is compiled once as Keras does it and once more for each set of values
that hooks ask for. Which one runs is chosen per step, so values that nobody asks for in
a step cost nothing in it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from compat.engine.steps import unknown_name
from compat.keras import names
from compat.keras.vocabulary import ModelNames

#: What Keras calls the parts of each kind of loop.
STEPS = {"train": "train_step", "test": "test_step", "predict": "predict_step"}
FUNCTIONS = {"train": "train_function", "test": "test_function", "predict": "predict_function"}
MAKERS = {
    "train": "make_train_function",
    "test": "make_test_function",
    "predict": "make_predict_function",
}


def tapped_function(
    model: Any, mode: str, model_names: ModelNames, wanted: frozenset[str]
) -> Callable[[Any], dict]:
    """A step function that also returns values from inside the step.

    Args:
      model: A Keras model.
      mode: "train", "test" or "predict".
      model_names: The model's vocabulary.
      wanted: Names of the values.

    Returns:
      A function like the model's own, whose result is {"logs": …, "taps": {name: value}}.
    """
    step = getattr(model, STEPS[mode])

    def tapped(data: Any) -> dict:
        found: dict[str, Any] = {}
        with _tapping(model, model_names, wanted, found):
            logs = step(data)
        batch = names.batch_parts(data, model_names.input_names)
        found.update((name, batch[name]) for name in wanted if name in batch)
        if names.LOSS in wanted and names.LOSS not in found and isinstance(logs, dict):
            found[names.LOSS] = logs.get("loss")
        missing = [name for name in sorted(wanted) if found.get(name) is None]
        if missing:
            raise unknown_name(missing[0], [*found, *model_names.known()])
        taps = {name: tf.convert_to_tensor(found[name]) for name in wanted}
        return {"logs": logs, "taps": taps}

    with _attribute(model, STEPS[mode], tapped):
        before = getattr(model, FUNCTIONS[mode])
        setattr(model, FUNCTIONS[mode], None)
        try:
            getattr(model, MAKERS[mode])(force=True)
            function = getattr(model, FUNCTIONS[mode])
        finally:
            setattr(model, FUNCTIONS[mode], before)

    def run(iterator: Any) -> dict:
        # Keras 2 looks the step up when it traces.
        with _attribute(model, STEPS[mode], tapped):
            return function(iterator)

    return run


@contextlib.contextmanager
def _attribute(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Sets an attribute of an object for a while."""
    own = vars(owner).get(name)
    object.__setattr__(owner, name, value)
    try:
        yield
    finally:
        if own is None:
            object.__delattr__(owner, name)
        else:
            object.__setattr__(owner, name, own)


@contextlib.contextmanager
def _tapping(
    model: Any, model_names: ModelNames, wanted: frozenset[str], found: dict[str, Any]
) -> Iterator[None]:
    """Records values while the step is traced (or run eagerly)."""
    with contextlib.ExitStack() as stack:
        if names.LOSS in wanted:
            stack.enter_context(_attribute(model, "compute_loss", _loss_tap(model, found)))
        for name in wanted:
            layer = model_names.layer_of(name)
            if layer is not None:
                stack.enter_context(_attribute(layer, "call", _output_tap(layer, name, found)))
        if any(name.startswith(names.GRADIENTS) for name in wanted):
            optimizer = _innermost(model.optimizer)
            method = "apply" if hasattr(optimizer, "apply") else "apply_gradients"
            tap = _gradient_tap(getattr(optimizer, method), model_names, found)
            stack.enter_context(_attribute(optimizer, method, tap))
        yield


def _innermost(optimizer: Any) -> Any:
    """The optimizer that gets unscaled gradients, inside one that scales the loss."""
    return getattr(optimizer, "inner_optimizer", optimizer)


def _loss_tap(model: Any, found: dict[str, Any]) -> Callable:
    compute = model.compute_loss

    def compute_loss(*args: Any, **kwargs: Any) -> Any:
        loss = compute(*args, **kwargs)
        found[names.LOSS] = loss
        return loss

    return compute_loss


def _output_tap(layer: Any, name: str, found: dict[str, Any]) -> Callable:
    call = layer.call

    def tapped_call(*args: Any, **kwargs: Any) -> Any:
        result = call(*args, **kwargs)
        found.setdefault(name, result)  # A shared layer: its first use in the step.
        return result

    return tapped_call


def _gradient_tap(apply: Callable, model_names: ModelNames, found: dict[str, Any]) -> Callable:
    by_variable = model_names.gradient_names()

    def record(gradients: Any, variables: Any) -> None:
        for gradient, variable in zip(gradients, variables, strict=True):
            if gradient is not None and id(variable) in by_variable:
                found[by_variable[id(variable)]] = gradient

    def tapped_apply(gradients: Any, variables: Any = None, **kwargs: Any) -> Any:
        gradients = list(gradients)
        if variables is None and gradients and isinstance(gradients[0], tuple):
            record([pair[0] for pair in gradients], [pair[1] for pair in gradients])
            return apply(gradients, **kwargs)
        record(gradients, variables)
        return apply(gradients, variables, **kwargs)

    return tapped_apply
