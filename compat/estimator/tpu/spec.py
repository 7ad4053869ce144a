"""`TPUEstimatorSpec`: what a TPU model function built, as an `EstimatorSpec` on the CPU."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.estimator import spec as estimator_spec
from compat.estimator.export.outputs import with_default_output
from compat.estimator.mode_keys import ModeKeys
from compat.hooks.base import SessionRunHook

v1 = tf.compat.v1

#: The graph collection in which TensorFlow keeps the initializers of summary writers.
_WRITER_INITIALIZERS = "_SUMMARY_WRITER_V2"


class TPUEstimatorSpec(
    collections.namedtuple(
        "TPUEstimatorSpec",
        [
            "mode",
            "predictions",
            "loss",
            "train_op",
            "eval_metrics",
            "export_outputs",
            "scaffold_fn",
            "host_call",
            "training_hooks",
            "evaluation_hooks",
            "prediction_hooks",
        ],
    )
):
    """Ops of a TPU model; stands for `tf.estimator.tpu.TPUEstimatorSpec`.

    Where `EstimatorSpec` has ready metrics and a scaffold, this has functions that make
    them: a TPU would call them on its host.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metrics: tuple | None = None,
        export_outputs: dict | None = None,
        scaffold_fn: Callable | None = None,
        host_call: tuple | None = None,
        training_hooks: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ):
        """Checks what was built.

        Args:
          mode: One of `ModeKeys`.
          predictions: A tensor or a dict of tensors.
          loss: A tensor with one element.
          train_op: The operation of a training step.
          eval_metrics: (function, its tensors as a list or dict); it returns metric name
            -> (value tensor, update op).
          export_outputs: Signature name -> `ExportOutput`.
          scaffold_fn: Function that returns a `Scaffold`.
          host_call: (function, its tensors as a list or dict); what it returns is run
            with each step.
          training_hooks: Hooks of training.
          evaluation_hooks: Hooks of evaluation.
          prediction_hooks: Hooks of prediction.

        Returns:
          The spec.

        Raises:
          ValueError: The mode misses something, or a tensor is of another graph.
          TypeError: Something is of a wrong type.
        """
        predictions = estimator_spec.check_predictions(predictions, mode)
        if mode == ModeKeys.PREDICT:
            export_outputs = with_default_output(export_outputs, predictions)
        _check_call("eval_metrics", eval_metrics)
        _check_call("host_call", host_call)
        return super().__new__(
            cls,
            mode,
            predictions,
            estimator_spec.check_loss(loss, mode),
            estimator_spec.check_train_op(train_op, mode),
            eval_metrics,
            export_outputs,
            scaffold_fn,
            host_call,
            estimator_spec.check_hooks(training_hooks),
            estimator_spec.check_hooks(evaluation_hooks),
            estimator_spec.check_hooks(prediction_hooks),
        )

    def as_estimator_spec(self) -> estimator_spec.EstimatorSpec:
        """The spec of the same model without a TPU: its functions are called here."""
        metrics = _called(self.eval_metrics) if self.eval_metrics is not None else None
        extra = () if self.host_call is None else (HostCallHook(_called(self.host_call)),)
        return estimator_spec.EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=(*self.training_hooks, *extra),
            evaluation_hooks=(*self.evaluation_hooks, *extra),
            prediction_hooks=(*self.prediction_hooks, *extra),
        )


class HostCallHook(SessionRunHook):
    """Runs with each step what a host call returned; starts and flushes its writers."""

    def __init__(self, tensors: Any):
        self._tensors = tensors

    def begin(self) -> None:
        """Finds the summary writers."""
        self._initializers = list(v1.get_collection(_WRITER_INITIALIZERS))
        self._flushes = [
            tf.raw_ops.FlushSummaryWriter(writer=op.inputs[0]) for op in self._initializers
        ]

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Starts them."""
        session.run(self._initializers)

    def before_run(self, run_context: Any) -> Any:
        """Asks for the tensors."""
        return v1.train.SessionRunArgs(self._tensors)

    def end(self, session: Any) -> None:
        """Flushes the writers."""
        session.run(self._flushes)


def _check_call(name: str, call: Any) -> None:
    if call is None:
        return
    if not isinstance(call, (tuple, list)) or len(call) != 2:
        raise ValueError(f"{name} must be a pair (function, tensors); got {call!r}.")
    function, tensors = call
    if not callable(function) or not isinstance(tensors, (tuple, list, dict)):
        raise TypeError(
            f"{name} must have a function and its tensors in a list or dict; got {call!r}."
        )


def _called(call: tuple) -> Any:
    function, tensors = call
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)
