"""Builds a model and its optimizer before the first step, so that hooks find every variable."""

from __future__ import annotations

import contextlib
from typing import Any

import tensorflow as tf


def build(model: Any, element_spec: Any) -> None:
    """Makes the variables that the first step would make.

    Args:
      model: A compiled Keras model, perhaps without variables yet.
      element_spec: The specs of a batch: x, (x, y) or (x, y, sample_weight).
    """
    if not model.built or _has_unbuilt_layers(model):
        inputs = element_spec[0] if isinstance(element_spec, tuple) else element_spec
        # A model that trains by a step of its own may have no `call` for its data.
        with contextlib.suppress(Exception):
            _trace_call(model, inputs)
    optimizer = getattr(model, "optimizer", None)
    if optimizer is not None and model.trainable_variables and not _is_built(optimizer):
        with model.distribute_strategy.scope():
            optimizer.build(model.trainable_variables)


def _trace_call(model: Any, inputs: Any) -> None:
    """Traces the forward pass, which makes variables as training does, and runs nothing."""
    if inputs is not None:
        with model.distribute_strategy.scope():
            tf.function(lambda x: model(x, training=False)).get_concrete_function(inputs)


def _has_unbuilt_layers(model: Any) -> bool:
    return any(not layer.built for layer in getattr(model, "layers", None) or [])


def _is_built(optimizer: Any) -> bool:
    return bool(getattr(optimizer, "built", getattr(optimizer, "_built", False)))
