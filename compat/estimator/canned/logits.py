"""The layers of ready-made estimators, under TF1's names of variables and summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat.estimator.mode_keys import ModeKeys

v1 = tf.compat.v1

_MOMENTUM = 0.999
_EPSILON = 1e-3


def linear_logits(
    features: dict, columns: Sequence[Any], units: int, sparse_combiner: str = "sum"
) -> tf.Tensor:
    """A linear model of feature columns, in the variable scope that is open.

    Args:
      features: Feature name -> tensor.
      columns: Feature columns.
      units: How many logits.
      sparse_combiner: How several categories of one example are combined.

    Returns:
      The logits, [batch, units].
    """
    variables: dict[Any, Any] = {}
    logits = v1.feature_column.linear_model(
        features=features,
        feature_columns=columns,
        units=units,
        sparse_combiner=sparse_combiner,
        cols_to_vars=variables,
    )
    bias = variables.pop("bias")
    if units > 1:
        v1.summary.histogram("bias", bias)
    else:
        v1.summary.scalar("bias", bias[0][0])
    weights = [part for parts in variables.values() for part in parts]
    zeros = tf.add_n([tf.nn.zero_fraction(w) * tf.cast(tf.size(w), tf.float32) for w in weights])
    total = tf.add_n([tf.size(w) for w in weights])
    v1.summary.scalar("fraction_of_zero_weights", zeros / tf.cast(total, tf.float32))
    return logits


def deep_logits(
    features: dict,
    columns: Sequence[Any],
    units: int,
    hidden_units: Sequence[int],
    activation_fn: Callable | None,
    dropout: float | None,
    batch_norm: bool,
    mode: str,
    input_partitioner: Any,
    scope: str,
) -> tf.Tensor:
    """Fully connected layers on feature columns, in the variable scope that is open.

    Args:
      features: Feature name -> tensor.
      columns: Dense feature columns.
      units: How many logits.
      hidden_units: Width of each hidden layer.
      activation_fn: Function of a hidden layer's output; None for none.
      dropout: Share of outputs that training drops; None for none.
      batch_norm: Whether to normalize each hidden layer's output.
      mode: One of `ModeKeys`.
      input_partitioner: Partitioner of the columns' variables.
      scope: Name of the open variable scope.

    Returns:
      The logits, [batch, units].
    """
    training = mode == ModeKeys.TRAIN
    with v1.variable_scope("input_from_feature_columns", partitioner=input_partitioner):
        net = v1.feature_column.input_layer(features, columns)
    for number, width in enumerate(hidden_units):
        name = f"hiddenlayer_{number}"
        with v1.variable_scope(name):
            net = _dense(net, width)
            if activation_fn is not None:
                net = activation_fn(net)
            if dropout is not None and training:
                net = tf.nn.dropout(net, rate=dropout)
            if batch_norm:
                with v1.variable_scope(f"batchnorm_{number}"):
                    net = _normalized(net, training)
        add_layer_summary(net, f"{scope}/{name}")
    with v1.variable_scope("logits"):
        logits = _dense(net, units)
    add_layer_summary(logits, f"{scope}/logits")
    return logits


def add_layer_summary(value: tf.Tensor, tag: str) -> None:
    """Summaries of a layer's output: the share of zeros, and a histogram."""
    v1.summary.scalar(f"{tag}/fraction_of_zero_values", tf.nn.zero_fraction(value))
    v1.summary.histogram(f"{tag}/activation", value)


def _dense(inputs: tf.Tensor, units: int) -> tf.Tensor:
    kernel = v1.get_variable(
        "kernel", [int(inputs.shape[-1]), units], initializer=v1.glorot_uniform_initializer()
    )
    bias = v1.get_variable("bias", [units], initializer=v1.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(inputs, tf.convert_to_tensor(kernel)), bias)


def _normalized(inputs: tf.Tensor, training: bool) -> tf.Tensor:
    """Batch normalization; its updates go to the collection of update ops."""
    size = [int(inputs.shape[-1])]
    ones, zeros = v1.ones_initializer(), v1.zeros_initializer()
    gamma = v1.get_variable("gamma", size, initializer=ones)
    beta = v1.get_variable("beta", size, initializer=zeros)
    with v1.variable_scope(v1.get_variable_scope(), auxiliary_name_scope=False) as scope:
        scope.set_partitioner(None)
        moving = [
            v1.get_variable("moving_mean", size, initializer=zeros, trainable=False),
            v1.get_variable("moving_variance", size, initializer=ones, trainable=False),
        ]
    mean, variance = moving
    if training:
        mean, variance = tf.nn.moments(inputs, [0])
        for variable, value in zip(moving, (mean, variance), strict=True):
            update = v1.assign_sub(variable, (variable - value) * (1 - _MOMENTUM))
            v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, update)
    return tf.nn.batch_normalization(
        inputs,
        mean,
        variance,
        tf.convert_to_tensor(beta),
        tf.convert_to_tensor(gamma),
        _EPSILON,
    )
