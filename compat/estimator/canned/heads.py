"""Heads: predictions, loss and metrics of a ready-made estimator, made from its logits."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat.estimator.export.outputs import (
    DEFAULT_SIGNATURE,
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)
from compat.estimator.mode_keys import ModeKeys
from compat.estimator.spec import EstimatorSpec

v1 = tf.compat.v1

SUM = v1.losses.Reduction.SUM


class Head(abc.ABC):
    """What becomes of logits; one subclass a task.

    Attributes:
      logits_dimension: How many logits an example has.
    """

    logits_dimension: int

    def __init__(self, weight_column: Any, loss_reduction: str):
        """Takes what all tasks need.

        Args:
          weight_column: A feature's name, or a numeric column; None for equal weights.
          loss_reduction: One of `tf.compat.v1.losses.Reduction`, but not `NONE`.

        Raises:
          ValueError: There is no such reduction to a scalar.
          TypeError: The weight column is neither a name nor a column.
        """
        if weight_column is not None and not isinstance(
            getattr(weight_column, "key", weight_column), str
        ):
            raise TypeError(
                "weight_column must be a feature's name or a numeric column; got "
                f"{weight_column!r}."
            )
        reductions = set(v1.losses.Reduction.all()) - {v1.losses.Reduction.NONE}
        if loss_reduction not in reductions:
            raise ValueError(
                f"loss_reduction must be one of {sorted(reductions)}; got {loss_reduction!r}."
            )
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction

    @abc.abstractmethod
    def predictions(self, logits: tf.Tensor) -> dict[str, tf.Tensor]:
        """The predictions by name."""

    @abc.abstractmethod
    def export_outputs(self, predictions: dict[str, tf.Tensor]) -> dict[str, Any]:
        """The signatures' outputs by name."""

    @abc.abstractmethod
    def processed_labels(self, labels: tf.Tensor) -> tf.Tensor:
        """The labels as the loss wants them."""

    @abc.abstractmethod
    def unreduced_loss(self, labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        """The loss of each example."""

    @abc.abstractmethod
    def metrics(
        self, labels: tf.Tensor, predictions: dict, weights: Any, loss: tf.Tensor
    ) -> dict[str, tuple]:
        """The metrics by name, but for the total loss."""

    def spec(
        self,
        features: dict,
        mode: str,
        labels: Any,
        logits: tf.Tensor,
        train_op_fn: Callable[[tf.Tensor], Any],
    ) -> EstimatorSpec:
        """The spec of a model.

        Args:
          features: Feature name -> tensor.
          mode: One of `ModeKeys`.
          labels: The labels; None in prediction.
          logits: [batch, logits_dimension].
          train_op_fn: Makes a training step's operation from the loss.

        Returns:
          The spec.

        Raises:
          ValueError: There are no labels, or they have a wrong shape.
        """
        # Optimizers name some of their variables by this scope.
        with tf.name_scope("head"):
            logits = tf.cast(logits, tf.float32)
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(
                    mode, predictions=predictions, export_outputs=self.export_outputs(predictions)
                )
            labels = self.processed_labels(_matching(labels, self._label_width()))
            unreduced = self.unreduced_loss(labels, logits)
            weights = self._weights(features, logits)
            loss = v1.losses.compute_weighted_loss(
                unreduced, weights=weights, reduction=self._loss_reduction
            )
            if mode == ModeKeys.EVAL:
                metrics = self.metrics(labels, predictions, weights, unreduced)
                return EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
                )
            train_op = train_op_fn(loss)
            updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)
            if updates:
                train_op = tf.group(train_op, *updates)
            mean_loss = loss / tf.reduce_sum(weights * tf.ones_like(unreduced))
        with tf.name_scope(""):
            v1.summary.scalar("loss", loss)
            if self._loss_reduction == SUM:
                v1.summary.scalar("average_loss", mean_loss)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _label_width(self) -> int:
        return 1

    def _weights(self, features: dict, logits: tf.Tensor) -> Any:
        column = self._weight_column
        if column is None:
            return 1.0
        name = column if isinstance(column, str) else column.key
        if name not in features:
            raise ValueError(
                f"The weight column {name!r} must be a feature; got {sorted(features)}. Return it "
                "from the input function."
            )
        weights = features[name]
        if getattr(column, "normalizer_fn", None):
            weights = column.normalizer_fn(weights)
        weights = tf.cast(weights, tf.float32)
        if weights.shape.rank == logits.shape.rank - 1:
            weights = tf.expand_dims(weights, -1)
        return weights


class _Classification(Head):
    """What classifiers have in common: classes as numbers and as names."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any,
        label_vocabulary: Sequence[str] | None,
        loss_reduction: str,
    ):
        super().__init__(weight_column, loss_reduction)
        self._n_classes = n_classes
        self._vocabulary = list(label_vocabulary) if label_vocabulary else None

    def processed_labels(self, labels: tf.Tensor) -> tf.Tensor:
        """Numbers of classes."""
        if self._vocabulary is not None:
            if labels.dtype != tf.string:
                raise TypeError(
                    f"With a label_vocabulary, labels must be strings; got {labels.dtype.name}."
                )
            keys = tf.constant(self._vocabulary)
            numbers = tf.range(self._n_classes, dtype=tf.int64)
            table = tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(keys, numbers), default_value=-1
            )
            labels = table.lookup(labels)
        self._check_numbers(labels)
        last = tf.cast(self._n_classes - 1, labels.dtype)
        checks = [
            v1.assert_less_equal(labels, last, message="Labels must <= n_classes - 1"),
            v1.assert_non_negative(labels, message="Labels must >= 0"),
        ]
        with tf.control_dependencies(checks):
            return tf.identity(labels)

    def _check_numbers(self, labels: tf.Tensor) -> None:
        if not labels.dtype.is_integer:
            raise ValueError(
                f"Labels must be the integers of classes; got {labels.dtype.name}. Cast them, or "
                "give a label_vocabulary if they are names."
            )

    def _classes(self, scores: tf.Tensor) -> dict[str, tf.Tensor]:
        """Predictions that name classes."""
        ids = tf.expand_dims(tf.argmax(scores, axis=-1), -1)
        batch = tf.shape(scores)[0]
        numbers = tf.range(self._n_classes)
        names = self._names()
        return {
            "class_ids": ids,
            "classes": tf.gather(names, ids),
            "all_class_ids": tf.tile(tf.expand_dims(numbers, 0), [batch, 1]),
            "all_classes": tf.tile(tf.expand_dims(names, 0), [batch, 1]),
        }

    def _names(self) -> tf.Tensor:
        if self._vocabulary is not None:
            return tf.constant(self._vocabulary)
        return tf.strings.as_string(tf.range(self._n_classes))

    def export_outputs(self, predictions: dict[str, tf.Tensor]) -> dict[str, Any]:
        """Scores and names of all classes, and everything."""
        output = ClassificationOutput(predictions["probabilities"], predictions["all_classes"])
        return {
            DEFAULT_SIGNATURE: output,
            "classification": output,
            "predict": PredictOutput(predictions),
        }


class MultiClassHead(_Classification):
    """More than two classes, by softmax cross entropy."""

    @property
    def logits_dimension(self) -> int:  # type: ignore[override]
        """One logit a class."""
        return self._n_classes

    def predictions(self, logits: tf.Tensor) -> dict[str, tf.Tensor]:
        """See the base class."""
        probabilities = tf.nn.softmax(logits, name="probabilities")
        return {"logits": logits, "probabilities": probabilities, **self._classes(logits)}

    def unreduced_loss(self, labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        """See the base class."""
        loss = v1.losses.sparse_softmax_cross_entropy(
            labels, logits, reduction=v1.losses.Reduction.NONE
        )
        return tf.expand_dims(loss, -1)

    def metrics(
        self, labels: tf.Tensor, predictions: dict, weights: Any, loss: tf.Tensor
    ) -> dict[str, tuple]:
        """See the base class."""
        return {
            "average_loss": v1.metrics.mean(loss, weights),
            "accuracy": v1.metrics.accuracy(labels, predictions["class_ids"], weights),
        }


class BinaryHead(_Classification):
    """Two classes, by the cross entropy of one logit."""

    logits_dimension = 1

    def processed_labels(self, labels: tf.Tensor) -> tf.Tensor:
        """0.0 or 1.0."""
        if self._vocabulary is None:
            labels = tf.cast(labels, tf.float32)
        return tf.cast(super().processed_labels(labels), tf.float32)

    def _check_numbers(self, labels: tf.Tensor) -> None:
        """0.0 and 1.0 may be any numbers, or booleans."""

    def predictions(self, logits: tf.Tensor) -> dict[str, tf.Tensor]:
        """See the base class."""
        both = tf.concat([tf.zeros_like(logits), logits], -1)
        return {
            "logits": logits,
            "logistic": tf.sigmoid(logits, name="logistic"),
            "probabilities": tf.nn.softmax(both, name="probabilities"),
            **self._classes(both),
        }

    def export_outputs(self, predictions: dict[str, tf.Tensor]) -> dict[str, Any]:
        """See the base class; a regression gives the second class's probability."""
        regression = RegressionOutput(predictions["logistic"])
        return {**super().export_outputs(predictions), "regression": regression}

    def unreduced_loss(self, labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        """See the base class."""
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def metrics(
        self, labels: tf.Tensor, predictions: dict, weights: Any, loss: tf.Tensor
    ) -> dict[str, tuple]:
        """See the base class."""
        logistic, ids = predictions["logistic"], predictions["class_ids"]
        label_mean = v1.metrics.mean(labels, weights)
        return {
            "average_loss": v1.metrics.mean(loss, weights),
            "accuracy": v1.metrics.accuracy(labels, ids, weights),
            "precision": v1.metrics.precision(labels, ids, weights),
            "recall": v1.metrics.recall(labels, ids, weights),
            "prediction/mean": v1.metrics.mean(logistic, weights),
            "label/mean": label_mean,
            # What always predicting the more frequent class would reach.
            "accuracy_baseline": tuple(tf.maximum(share, 1 - share) for share in label_mean),
            "auc": v1.metrics.auc(labels, logistic, weights),
            "auc_precision_recall": v1.metrics.auc(labels, logistic, weights, curve="PR"),
        }


class RegressionHead(Head):
    """Numbers, by their mean squared error."""

    def __init__(self, label_dimension: int, weight_column: Any, loss_reduction: str):
        """Takes the number of values an example has, and what all heads take."""
        super().__init__(weight_column, loss_reduction)
        self.logits_dimension = label_dimension

    def _label_width(self) -> int:
        return self.logits_dimension

    def predictions(self, logits: tf.Tensor) -> dict[str, tf.Tensor]:
        """See the base class."""
        return {"predictions": logits}

    def export_outputs(self, predictions: dict[str, tf.Tensor]) -> dict[str, Any]:
        """See the base class."""
        output = RegressionOutput(predictions["predictions"])
        return {
            DEFAULT_SIGNATURE: output,
            "regression": output,
            "predict": PredictOutput(predictions),
        }

    def processed_labels(self, labels: tf.Tensor) -> tf.Tensor:
        """See the base class."""
        return tf.cast(labels, tf.float32)

    def unreduced_loss(self, labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        """See the base class."""
        return v1.losses.mean_squared_error(labels, logits, reduction=v1.losses.Reduction.NONE)

    def metrics(
        self, labels: tf.Tensor, predictions: dict, weights: Any, loss: tf.Tensor
    ) -> dict[str, tuple]:
        """See the base class."""
        return {
            "average_loss": v1.metrics.mean(loss, weights),
            "prediction/mean": v1.metrics.mean(predictions["predictions"], weights),
            "label/mean": v1.metrics.mean(labels, weights),
        }


def classification_head(
    n_classes: int,
    weight_column: Any,
    label_vocabulary: Sequence[str] | None,
    loss_reduction: str,
) -> Head:
    """The head of a classifier.

    Args:
      n_classes: How many classes.
      weight_column: A feature's name, or a numeric column; None for equal weights.
      label_vocabulary: Names of the classes; labels are numbers if None.
      loss_reduction: One of `tf.compat.v1.losses.Reduction`.

    Returns:
      The head.

    Raises:
      ValueError: There are fewer than two classes, or not as many names as classes.
      TypeError: The vocabulary is no list or tuple.
    """
    if n_classes < 2:
        raise ValueError(f"n_classes must be 2 or more; got {n_classes!r}.")
    if label_vocabulary is not None:
        if not isinstance(label_vocabulary, (list, tuple)):
            raise TypeError(f"label_vocabulary must be a list or tuple; got {label_vocabulary!r}.")
        if len(label_vocabulary) != n_classes:
            raise ValueError(
                f"label_vocabulary must name all {n_classes} classes; got {label_vocabulary!r}."
            )
    kind = BinaryHead if n_classes == 2 else MultiClassHead
    return kind(n_classes, weight_column, label_vocabulary, loss_reduction)


def _matching(labels: Any, width: int) -> tf.Tensor:
    """Labels of shape [batch, width]."""
    if labels is None:
        raise ValueError("Training and evaluation need labels; the input function gives none.")
    if isinstance(labels, tf.SparseTensor):
        raise ValueError("Labels must be dense; use tf.sparse.to_dense in the input function.")
    labels = tf.convert_to_tensor(labels)
    if labels.shape.rank == 1:
        labels = tf.expand_dims(labels, -1)
    if not labels.shape.is_compatible_with([None, width]):
        raise ValueError(
            f"Labels must be of shape [batch, {width}]; got {labels.shape}. Check n_classes or "
            "label_dimension, and the labels' shape."
        )
    return labels
