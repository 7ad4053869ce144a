"""Builds a model and its optimizer before the first step, so that hooks find every variable."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.keras import names
from compat.keras.reentry import package_of


def build(model: Any, mode: str, element_spec: Any) -> None:
    """Makes the variables that the first step would make.

    Args:
      model: A compiled Keras model, perhaps without variables yet.
      mode: "train", "test" or "predict".
      element_spec: The specs of a batch: x, (x, y) or (x, y, sample_weight).
    """
    optimizers = names.optimizers(model) if mode == "train" else []
    own_step = mode == "train" and has_own_train_step(model)
    if not model.built or _has_unbuilt_layers(model):
        # Such a step may have no use for `call`, which then may not fit the data.
        if not (own_step and _traced(model, model.train_step, element_spec)):
            inputs = element_spec[0] if isinstance(element_spec, tuple) else element_spec
            _traced(model, lambda x: model(x, training=False), inputs)
    elif own_step and not all(map(_is_built, optimizers)):
        _traced(model, model.train_step, element_spec)  # It knows what each one updates.
    build_optimizer(model)


def build_optimizer(model: Any) -> None:
    """Makes the variables of a model's optimizer, if it has one that has none yet."""
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None or not model.trainable_variables or _is_built(optimizer):
        return
    with model.distribute_strategy.scope():
        if hasattr(optimizer, "build"):
            optimizer.build(model.trainable_variables)
        else:  # Keras 2's legacy optimizers make them for a list of gradients only.
            optimizer._create_all_weights(model.trainable_variables)


def has_own_train_step(model: Any) -> bool:
    """Whether a model's class says by itself what a step of training is."""
    return type(model).train_step is not package_of(model).Model.train_step


def _traced(model: Any, function: Callable, spec: Any) -> bool:
    """Traces a function of a batch, which makes variables as a run does, and runs nothing.

    Returns:
      Whether that was possible. If not, the first step will say why.
    """
    if spec is None:
        return False
    strategy = model.distribute_strategy
    traced = tf.function(lambda batch: strategy.run(function, args=(batch,)))
    with contextlib.suppress(Exception), strategy.scope():
        traced.get_concrete_function(spec)
        return True
    return False


def _has_unbuilt_layers(model: Any) -> bool:
    return any(not layer.built for layer in getattr(model, "layers", None) or [])


def _is_built(optimizer: Any) -> bool:
    return bool(getattr(optimizer, "built", getattr(optimizer, "_built", False)))
