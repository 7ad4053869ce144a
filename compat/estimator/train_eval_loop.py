"""`train_and_evaluate`: training, with an evaluation and exports after each checkpoint.

In one process, `train` runs once and a checkpoint listener evaluates inside of it. With
`TF_CONFIG`, a chief only trains, and a process with the task `evaluator` only watches the
checkpoints.
"""

from __future__ import annotations

import collections
import os
import time
from typing import Any

import tensorflow as tf

from compat.estimator import strategies
from compat.estimator.cluster import TaskType
from compat.estimator.estimator import Estimator
from compat.estimator.specs import EvalSpec, TrainSpec
from compat.hooks.base import CheckpointSaverListener, SecondOrStepTimer

v1 = tf.compat.v1

EVALUATED = "evaluated"
MISSING_CHECKPOINT = "missing checkpoint"
NO_NEW_CHECKPOINT = "no new checkpoint"

_WARN_EVERY_SECS = 600

EvalResult = collections.namedtuple(
    "EvalResult", ["status", "metrics", "checkpoint_path"], defaults=[None, None]
)


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[dict | None, list | None] | None:
    """Trains, evaluates after each checkpoint, and exports.

    Stands for `tf.estimator.train_and_evaluate`.

    Args:
      estimator: The `Estimator`.
      train_spec: How to train.
      eval_spec: How to evaluate and export.

    Returns:
      The last metrics and what the exporters returned then; None for the tasks of a
      cluster.

    Raises:
      TypeError: An argument is of a wrong type.
      NotImplementedError: TF_CONFIG names other processes that train.
    """
    for value, kind in ((estimator, Estimator), (train_spec, TrainSpec), (eval_spec, EvalSpec)):
        if not isinstance(value, kind):
            raise TypeError(f"train_and_evaluate needs a {kind.__name__}; got {value!r}.")
    config = estimator.config
    if config.task_type == TaskType.EVALUATOR:
        if config.task_id > 0:
            raise ValueError(f"There can be one evaluator, task 0; got task {config.task_id}.")
        _watch(estimator, train_spec, eval_spec)
        return None
    strategies.check_cluster(config)
    if config.cluster_spec and config.task_type != TaskType.MASTER:
        _train(estimator, train_spec, [])
        return None
    v1.logging.info(
        "Start train and evaluate loop. The evaluate will happen after every checkpoint. "
        "Checkpoint frequency is determined based on RunConfig arguments: "
        "save_checkpoints_steps %s or save_checkpoints_secs %s.",
        config.save_checkpoints_steps,
        config.save_checkpoints_secs,
    )
    listener = EvaluatingListener(
        Evaluator(estimator, eval_spec, train_spec.max_steps), eval_spec.throttle_secs
    )
    _train(estimator, train_spec, [listener])
    if config.cluster_spec:
        return None
    result = listener.eval_result or EvalResult(MISSING_CHECKPOINT)
    return result.metrics, listener.export_results


def _train(estimator: Estimator, train_spec: TrainSpec, listeners: list) -> None:
    estimator.train(
        input_fn=train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=list(train_spec.hooks),
        saving_listeners=listeners,
    )


class Evaluator:
    """Evaluates the latest checkpoint, once each, and calls the exporters."""

    def __init__(self, estimator: Estimator, eval_spec: EvalSpec, max_steps: int | None):
        """Prepares.

        Args:
          estimator: The `Estimator`.
          eval_spec: How to evaluate and export.
          max_steps: The global step whose evaluation is the final one.
        """
        self._estimator = estimator
        self._eval_spec = eval_spec
        self._max_steps = max_steps
        self._previous: str | None = None
        self._last_warning = 0.0

    def evaluate_and_export(self) -> tuple[EvalResult, list]:
        """Evaluates the latest checkpoint if it is new; returns the result and the exports."""
        path = self._estimator.latest_checkpoint()
        if not path:
            self._warn("The Estimator is not trained yet; it is evaluated when it is.")
            return EvalResult(MISSING_CHECKPOINT), []
        if path == self._previous:
            self._warn("There is no new checkpoint; evaluating the old one would tell nothing.")
            return EvalResult(NO_NEW_CHECKPOINT), []
        spec = self._eval_spec
        metrics = self._estimator.evaluate(
            input_fn=spec.input_fn,
            steps=spec.steps,
            name=spec.name,
            checkpoint_path=path,
            hooks=spec.hooks,
        )
        final = bool(self._max_steps) and metrics[v1.GraphKeys.GLOBAL_STEP] >= self._max_steps
        exports = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(self._estimator.model_dir, "export", exporter.name),
                checkpoint_path=path,
                eval_result=metrics,
                is_the_final_export=final,
            )
            for exporter in spec.exporters
        ]
        self._last_warning = 0.0
        self._previous = path
        return EvalResult(EVALUATED, metrics, path), exports

    def _warn(self, message: str) -> None:
        now = time.time()
        if now - self._last_warning > _WARN_EVERY_SECS:
            v1.logging.warning(message)
            self._last_warning = now


class EvaluatingListener(CheckpointSaverListener):
    """Evaluates after a checkpoint was saved, but for the first, made before training.

    Attributes:
      eval_result: The last `EvalResult`; None before.
      export_results: What the exporters returned with it.
    """

    def __init__(self, evaluator: Evaluator, throttle_secs: float):
        """Takes what evaluates.

        Args:
          evaluator: The `Evaluator`.
          throttle_secs: Seconds between evaluations; checkpoints in between are skipped.
        """
        self._evaluator = evaluator
        self._throttle_secs = throttle_secs
        self.eval_result: EvalResult | None = None
        self.export_results: list | None = None

    def begin(self) -> None:
        """Starts the time between evaluations."""
        self._timer = SecondOrStepTimer(every_secs=self._throttle_secs)
        self._first = True

    def after_save(self, session: Any, global_step_value: int) -> None:
        """Evaluates, unless the last evaluation is too near."""
        if self._first:
            self._first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            v1.logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._throttle_secs,
            )

    def end(self, session: Any, global_step_value: int) -> None:
        """Evaluates the last checkpoint, unless that was done."""
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, global_step: int) -> None:
        self._timer.update_last_triggered_step(global_step)
        self.eval_result, self.export_results = self._evaluator.evaluate_and_export()
        if self.eval_result.status != EVALUATED:
            raise RuntimeError(
                "There was no new checkpoint after the training; the evaluation says: "
                f"{self.eval_result.status}."
            )


def _watch(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    """Evaluates each new checkpoint until the last step is evaluated."""
    if eval_spec.start_delay_secs:
        v1.logging.info("Waiting %f secs before starting eval.", eval_spec.start_delay_secs)
        time.sleep(eval_spec.start_delay_secs)
    evaluator = Evaluator(estimator, eval_spec, train_spec.max_steps)
    while True:
        started = time.time()
        result, _ = evaluator.evaluate_and_export()
        if result.status == EVALUATED and train_spec.max_steps:
            step = result.metrics[v1.GraphKeys.GLOBAL_STEP]
            if step >= train_spec.max_steps:
                v1.logging.info(
                    "Exiting evaluation, global_step=%s >= train max_steps=%s",
                    step,
                    train_spec.max_steps,
                )
                return
        wait = eval_spec.throttle_secs - (time.time() - started)
        if wait > 0:
            v1.logging.info("Waiting %f secs before starting next eval run.", wait)
            time.sleep(wait)
