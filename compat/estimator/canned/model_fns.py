"""The model functions of ready-made estimators: scopes, logits and optimizers as in TF1.

Names of variables and of optimizers' slots follow from the scopes, so that checkpoints
of TF1's estimators can be read and written.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat.estimator.canned.heads import Head
from compat.estimator.canned.logits import add_layer_summary, deep_logits, linear_logits
from compat.estimator.canned.optimizers import make_optimizer
from compat.estimator.spec import EstimatorSpec

v1 = tf.compat.v1

_LINEAR_RATE = 0.2
_DEEP_RATE = 0.05
# The parts of a sum learn more slowly than each would alone.
_COMBINED_LINEAR_RATE = 0.005
_COMBINED_DEEP_RATE = 0.001


@dataclasses.dataclass(frozen=True)
class Wide:
    """The linear part of a model."""

    columns: Sequence[Any]
    optimizer: Any
    sparse_combiner: str
    partitioner: Any = None

    def logits(self, features: dict, units: int) -> tf.Tensor:
        """The logits, in the variable scope that is open."""
        return linear_logits(features, self.columns, units, self.sparse_combiner)


@dataclasses.dataclass(frozen=True)
class Deep:
    """The part of a model with hidden layers."""

    columns: Sequence[Any]
    optimizer: Any
    hidden_units: Sequence[int]
    activation_fn: Callable | None
    dropout: float | None
    batch_norm: bool
    input_partitioner: Any = None

    def logits(self, features: dict, units: int, mode: str) -> tf.Tensor:
        """The logits, in the variable scope that is open."""
        return deep_logits(
            features,
            self.columns,
            units,
            self.hidden_units,
            self.activation_fn,
            self.dropout,
            self.batch_norm,
            mode,
            self.input_partitioner or _partitioner(64 << 20),
            "dnn",
        )


def linear_model_fn(wide: Wide, head: Head) -> Callable:
    """A model function of a linear model."""

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        _check_features(features)
        default = v1.train.FtrlOptimizer(_rate(_LINEAR_RATE, wide))
        optimizer = make_optimizer(wide.optimizer or default, _LINEAR_RATE)
        with v1.variable_scope("linear", partitioner=wide.partitioner or _partitioner(64 << 20)):
            logits = wide.logits(features, head.logits_dimension)
            return head.spec(features, mode, labels, logits, _minimizer(optimizer))

    return model_fn


def deep_model_fn(deep: Deep, head: Head) -> Callable:
    """A model function of a model with hidden layers."""

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        _check_features(features)
        optimizer = make_optimizer(deep.optimizer, _DEEP_RATE)
        with v1.variable_scope("dnn", partitioner=_partitioner()):
            logits = deep.logits(features, head.logits_dimension, mode)
            return head.spec(features, mode, labels, logits, _minimizer(optimizer))

    return model_fn


def combined_model_fn(wide: Wide | None, deep: Deep | None, head: Head) -> Callable:
    """A model function of the sum of both, each with an optimizer of its own."""

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        _check_features(features)
        logits, optimizers = [], []
        if deep is not None:
            optimizers.append(("dnn", make_optimizer(deep.optimizer, _COMBINED_DEEP_RATE)))
            with v1.variable_scope("dnn", partitioner=_partitioner()):
                logits.append(deep.logits(features, head.logits_dimension, mode))
        if wide is not None:
            rate = _rate(_COMBINED_LINEAR_RATE, wide)
            optimizers.append(("linear", make_optimizer(wide.optimizer, rate)))
            partitioner = wide.partitioner or _partitioner(64 << 20)
            with v1.variable_scope("linear", partitioner=partitioner):
                logits.append(wide.logits(features, head.logits_dimension))
                add_layer_summary(logits[-1], "linear")

        def train_op_fn(loss: tf.Tensor) -> tf.Operation:
            key = v1.GraphKeys.TRAINABLE_VARIABLES
            steps = [
                optimizer.minimize(loss, var_list=v1.get_collection(key, scope=scope))
                for scope, optimizer in optimizers
            ]
            with tf.control_dependencies(steps):
                return v1.assign_add(v1.train.get_global_step(), 1).op

        return head.spec(features, mode, labels, sum(logits[1:], logits[0]), train_op_fn)

    return model_fn


def _partitioner(min_slice_size: int = 256 << 10) -> Any:
    # With no parameter server every variable has one part; its name shows all the same.
    return v1.min_max_variable_partitioner(max_partitions=0, min_slice_size=min_slice_size)


def _rate(limit: float, wide: Wide) -> float:
    return min(limit, 1.0 / math.sqrt(len(wide.columns)))


def _minimizer(optimizer: Any) -> Callable[[tf.Tensor], Any]:
    return lambda loss: optimizer.minimize(loss, global_step=v1.train.get_global_step())


def _check_features(features: Any) -> None:
    if not isinstance(features, dict):
        raise ValueError(
            f"Features must be a dict from name to tensor; got {features!r}. Return such a dict "
            "from the input function."
        )
