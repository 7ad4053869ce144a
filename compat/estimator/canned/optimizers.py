"""Optimizers of ready-made estimators, given by name, as an object or as a function."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

_BY_NAME = {
    "Adagrad": v1.train.AdagradOptimizer,
    "Adam": v1.train.AdamOptimizer,
    "Ftrl": v1.train.FtrlOptimizer,
    "RMSProp": v1.train.RMSPropOptimizer,
    "SGD": v1.train.GradientDescentOptimizer,
}


def make_optimizer(optimizer: Any, learning_rate: float) -> Any:
    """The optimizer to use.

    Args:
      optimizer: A name, a `tf.compat.v1.train.Optimizer`, or a function that makes one.
      learning_rate: For an optimizer given by name.

    Returns:
      The optimizer.

    Raises:
      ValueError: It is something else, such as a Keras optimizer.
    """
    if isinstance(optimizer, str) and optimizer in _BY_NAME:
        return _BY_NAME[optimizer](learning_rate=learning_rate)
    made = optimizer() if callable(optimizer) else optimizer
    if not isinstance(made, v1.train.Optimizer):
        raise ValueError(
            f"The optimizer must be one of {sorted(_BY_NAME)} or a tf.compat.v1.train."
            f"Optimizer; got {made!r}."
        )
    return made
