"""The classes of ready-made estimators, with TF1's arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat.estimator.canned.heads import SUM, RegressionHead, classification_head
from compat.estimator.canned.model_fns import (
    Deep,
    Wide,
    combined_model_fn,
    deep_model_fn,
    linear_model_fn,
)
from compat.estimator.estimator import Estimator


class LinearClassifier(Estimator):
    """Linear classification; stands for `tf.compat.v1.estimator.LinearClassifier`."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM,
        sparse_combiner: str = "sum",
    ):
        """Prepares.

        Args:
          feature_columns: Columns of `tf.feature_column`.
          model_dir: As for `Estimator`.
          n_classes: How many classes.
          weight_column: A feature's name, or a numeric column; None for equal weights.
          label_vocabulary: Names of the classes; labels are numbers if None.
          optimizer: A name, a `tf.compat.v1.train.Optimizer`, or a function that makes one.
          config: As for `Estimator`.
          partitioner: Partitioner of the variables.
          warm_start_from: As for `Estimator`.
          loss_reduction: One of `tf.compat.v1.losses.Reduction`.
          sparse_combiner: How several categories of one example are combined.
        """
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        wide = Wide(_some(feature_columns), optimizer, sparse_combiner, partitioner)
        super().__init__(
            linear_model_fn(wide, head), model_dir, config, warm_start_from=warm_start_from
        )


class LinearRegressor(Estimator):
    """Linear regression; stands for `tf.compat.v1.estimator.LinearRegressor`."""

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM,
        sparse_combiner: str = "sum",
    ):
        """As `LinearClassifier`; `label_dimension` is the number of values of an example."""
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        wide = Wide(_some(feature_columns), optimizer, sparse_combiner, partitioner)
        super().__init__(
            linear_model_fn(wide, head), model_dir, config, warm_start_from=warm_start_from
        )


class DNNClassifier(Estimator):
    """Classification with hidden layers; stands for `tf.compat.v1.estimator.DNNClassifier`."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable | None = tf.nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM,
        batch_norm: bool = False,
    ):
        """Prepares.

        Args:
          hidden_units: Width of each hidden layer.
          feature_columns: Dense columns of `tf.feature_column`.
          model_dir: As for `Estimator`.
          n_classes: How many classes.
          weight_column: A feature's name, or a numeric column; None for equal weights.
          label_vocabulary: Names of the classes; labels are numbers if None.
          optimizer: A name, a `tf.compat.v1.train.Optimizer`, or a function that makes one.
          activation_fn: Function of a hidden layer's output; None for none.
          dropout: Share of outputs that training drops.
          input_layer_partitioner: Partitioner of the columns' variables.
          config: As for `Estimator`.
          warm_start_from: As for `Estimator`.
          loss_reduction: One of `tf.compat.v1.losses.Reduction`.
          batch_norm: Whether to normalize each hidden layer's output.
        """
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        deep = Deep(
            tuple(feature_columns),
            optimizer,
            hidden_units,
            activation_fn,
            dropout,
            batch_norm,
            input_layer_partitioner,
        )
        super().__init__(
            deep_model_fn(deep, head), model_dir, config, warm_start_from=warm_start_from
        )


class DNNRegressor(Estimator):
    """Regression with hidden layers; stands for `tf.compat.v1.estimator.DNNRegressor`."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable | None = tf.nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM,
        batch_norm: bool = False,
    ):
        """As `DNNClassifier`; `label_dimension` is the number of values of an example."""
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        deep = Deep(
            tuple(feature_columns),
            optimizer,
            hidden_units,
            activation_fn,
            dropout,
            batch_norm,
            input_layer_partitioner,
        )
        super().__init__(
            deep_model_fn(deep, head), model_dir, config, warm_start_from=warm_start_from
        )


class DNNLinearCombinedClassifier(Estimator):
    """Wide and deep classification; stands for TF1's class of that name."""

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Sequence[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Sequence[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ):
        """As `LinearClassifier` and `DNNClassifier`; either part may be left out.

        Raises:
          ValueError: There are no columns, or no hidden units for the deep ones.
        """
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        wide = _wide(
            linear_feature_columns,
            linear_optimizer,
            linear_sparse_combiner,
            input_layer_partitioner,
        )
        deep = _deep(
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            batch_norm,
            input_layer_partitioner,
        )
        _check_parts(wide, deep)
        super().__init__(
            combined_model_fn(wide, deep, head), model_dir, config, warm_start_from=warm_start_from
        )


class DNNLinearCombinedRegressor(Estimator):
    """Wide and deep regression; stands for TF1's class of that name."""

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Sequence[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Sequence[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ):
        """As `LinearRegressor` and `DNNRegressor`; either part may be left out.

        Raises:
          ValueError: There are no columns, or no hidden units for the deep ones.
        """
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        wide = _wide(
            linear_feature_columns,
            linear_optimizer,
            linear_sparse_combiner,
            input_layer_partitioner,
        )
        deep = _deep(
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            batch_norm,
            input_layer_partitioner,
        )
        _check_parts(wide, deep)
        super().__init__(
            combined_model_fn(wide, deep, head), model_dir, config, warm_start_from=warm_start_from
        )


def _some(columns: Sequence[Any]) -> tuple:
    if not columns:
        raise ValueError(f"A linear model needs feature_columns; got {columns!r}.")
    return tuple(columns)


def _wide(columns: Sequence[Any] | None, *settings: Any) -> Wide | None:
    return Wide(tuple(columns), *settings) if columns else None


def _deep(columns: Sequence[Any] | None, *settings: Any) -> Deep | None:
    return Deep(tuple(columns), *settings) if columns else None


def _check_parts(wide: Wide | None, deep: Deep | None) -> None:
    if wide is None and deep is None:
        raise ValueError("A model needs linear_feature_columns or dnn_feature_columns; got none.")
    if deep is not None and not deep.hidden_units:
        raise ValueError(f"dnn_feature_columns need dnn_hidden_units; got {deep.hidden_units!r}.")
