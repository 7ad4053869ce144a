"""`EstimatorSpec`: what a model function built, checked when it is made."""

from __future__ import annotations

import collections
from typing import Any

import tensorflow as tf

from compat.estimator.export.outputs import with_default_output
from compat.estimator.mode_keys import ModeKeys
from compat.sessions.scaffold import Scaffold

v1 = tf.compat.v1


class EstimatorSpec(
    collections.namedtuple(
        "EstimatorSpec",
        [
            "mode",
            "predictions",
            "loss",
            "train_op",
            "eval_metric_ops",
            "export_outputs",
            "training_chief_hooks",
            "training_hooks",
            "scaffold",
            "evaluation_hooks",
            "prediction_hooks",
        ],
    )
):
    """Ops and objects that a `model_fn` returns; stands for `tf.estimator.EstimatorSpec`.

    What a mode doesn't need is ignored in it: training needs `loss` and `train_op`,
    evaluation `loss`, prediction `predictions`.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: dict | None = None,
        export_outputs: dict | None = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ):
        """Checks what was built.

        Args:
          mode: One of `ModeKeys`.
          predictions: A tensor or a dict of tensors.
          loss: A tensor with one element.
          train_op: The operation of a training step.
          eval_metric_ops: Metric name -> (value tensor, update op).
          export_outputs: Signature name -> `ExportOutput`; one with all predictions if
            None.
          training_chief_hooks: Hooks of training, called before the callers' hooks.
          training_hooks: Hooks of training, called after the callers' hooks.
          scaffold: A `Scaffold`; a default one if None.
          evaluation_hooks: Hooks of evaluation.
          prediction_hooks: Hooks of prediction.

        Returns:
          The spec.

        Raises:
          ValueError: The mode misses something, or a tensor is of another graph.
          TypeError: Something is of a wrong type.
        """
        predictions = check_predictions(predictions, mode)
        if mode == ModeKeys.PREDICT:
            export_outputs = with_default_output(export_outputs, predictions)
        return super().__new__(
            cls,
            mode=mode,
            predictions=predictions,
            loss=check_loss(loss, mode),
            train_op=check_train_op(train_op, mode),
            eval_metric_ops=_check_metrics(eval_metric_ops),
            export_outputs=export_outputs,
            training_chief_hooks=check_hooks(training_chief_hooks),
            training_hooks=check_hooks(training_hooks),
            scaffold=_check_scaffold(scaffold),
            evaluation_hooks=check_hooks(evaluation_hooks),
            prediction_hooks=check_hooks(prediction_hooks),
        )

    def _replace(self, **changes: Any) -> EstimatorSpec:
        """A checked copy with other fields; the mode stays."""
        if changes.get("mode", self.mode) != self.mode:
            raise ValueError(f"The mode of a spec can't be changed; got {changes['mode']!r}.")
        return EstimatorSpec(**{**self._asdict(), **changes})


def check_train_op(train_op: Any, mode: str) -> Any:
    """The operation of a training step; see `EstimatorSpec` for what is raised."""
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError("Training needs a train_op; got None. Give EstimatorSpec one.")
        return None
    if isinstance(train_op, tf.Variable):
        train_op = train_op.op
    if not isinstance(train_op, (tf.Operation, tf.Tensor)):
        raise TypeError(f"train_op must be an operation or a tensor; got {train_op!r}.")
    _check_graph(train_op, "train_op")
    return train_op


def check_loss(loss: Any, mode: str) -> Any:
    """The loss as a scalar; see `EstimatorSpec` for what is raised."""
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError(f"Mode {mode!r} needs a loss; got None. Give EstimatorSpec one.")
        return None
    _check_tensor(loss, "loss")
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"The loss must have one element; got {loss!r}. Reduce it first.")
    _check_graph(loss, "loss")
    return loss if loss.shape.is_compatible_with([]) else tf.reshape(loss, [])


def check_predictions(predictions: Any, mode: str) -> Any:
    """The predictions, {} for none; see `EstimatorSpec` for what is raised."""
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError("Prediction needs predictions; got None. Give EstimatorSpec some.")
        return {}
    named = predictions if isinstance(predictions, dict) else {"": predictions}
    for key, value in named.items():
        _check_tensor(value, f"predictions {key}".rstrip())
        _check_graph(value, f"predictions {key}".rstrip())
    return dict(predictions) if isinstance(predictions, dict) else predictions


def check_hooks(hooks: Any) -> tuple:
    """A tuple of session-run hooks.

    Raises:
      TypeError: One of them isn't a `SessionRunHook`.
    """
    hooks = tuple(hooks or ())
    for hook in hooks:
        if not isinstance(hook, v1.train.SessionRunHook):
            raise TypeError(f"A hook must be a SessionRunHook; got {hook!r}.")
    return hooks


def _check_scaffold(scaffold: Any) -> Any:
    scaffold = scaffold or Scaffold()
    if not isinstance(scaffold, v1.train.Scaffold):
        raise TypeError(f"scaffold must be a tf.compat.v1.train.Scaffold; got {scaffold!r}.")
    return scaffold


def _check_metrics(metrics: Any) -> dict:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(f"eval_metric_ops must be a dict from name to metric; got {metrics!r}.")
    pairs = {key: _metric_pair(key, value) for key, value in metrics.items()}
    for key, pair in pairs.items():
        for value in tf.nest.flatten(pair):
            _check_graph(value, f"metric {key}")
    # TF1 changes the dict it was given, and scripts look into it afterwards.
    metrics.update(pairs)
    return metrics


def _metric_pair(key: str, value: Any) -> tuple:
    """(value, update op) of a metric, which may be one of TF1's Keras."""
    if isinstance(value, tuple) and len(value) == 2:
        return value
    updates = getattr(value, "updates", None)
    if updates is None:
        raise TypeError(
            f"A metric must be a pair (value, update op); got {value!r} for {key!r}. Use "
            "tf.compat.v1.metrics: Keras 3 metrics have no update op."
        )
    if not updates:
        raise ValueError(f"The metric {key!r} has no update; call its update_state first.")
    for name in (v1.GraphKeys.LOCAL_VARIABLES, v1.GraphKeys.METRIC_VARIABLES):
        known = {id(variable) for variable in v1.get_collection(name)}
        for variable in value.variables:
            if id(variable) not in known:
                v1.add_to_collection(name, variable)
    return value.result(), updates[0]


def _check_tensor(value: Any, what: str) -> None:
    if not isinstance(value, (tf.Tensor, tf.Variable)):
        raise TypeError(f"{what} must be a tensor; got {value!r}.")


def _check_graph(value: Any, what: str) -> None:
    if not tf.executing_eagerly() and value.graph is not v1.get_default_graph():
        raise ValueError(
            f"{what} must be of the graph that the model_fn builds; got {value.name!r} of "
            "another one. Make everything inside the model_fn, anew in each call."
        )
