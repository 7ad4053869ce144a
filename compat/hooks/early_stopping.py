"""Early stopping: hooks that end an estimator's training by what its evaluations measured.

They read the metrics from the event files of an evaluation that runs beside training,
as `train_and_evaluate` makes them. The hooks add a variable to the graph, so checkpoints
that were made without them don't restore.
"""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.hooks.adapters import StopAtStepHook
from compat.hooks.base import SecondOrStepTimer, SessionRunHook

v1 = tf.compat.v1


def make_early_stopping_hook(
    estimator: Any,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a function says so.

    Args:
      estimator: The `Estimator`.
      should_stop_fn: Function of no argument; whether to stop.
      run_every_secs: Seconds between its calls; None if steps are given.
      run_every_steps: Steps between its calls.

    Returns:
      The hook.

    Raises:
      TypeError: The estimator or the function is of a wrong type.
      ValueError: Both kinds of time are given.
    """
    from compat.estimator.estimator import Estimator

    if not isinstance(estimator, Estimator):
        raise TypeError(f"An early stopping hook needs an Estimator; got {estimator!r}.")
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError(
            "Give one of run_every_secs and run_every_steps; got "
            f"{run_every_secs!r} and {run_every_steps!r}. Set run_every_secs=None for steps."
        )
    if estimator.config.is_chief:
        return StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)
    return CheckForStoppingHook()


def stop_if_higher_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a metric is higher than a threshold.

    Args:
      estimator: The `Estimator`.
      metric_name: The metric, such as "accuracy".
      threshold: The number it must exceed.
      eval_dir: Directory of the event files; `estimator.eval_dir()` if None.
      min_steps: Evaluations at earlier steps don't count.
      run_every_secs: Seconds between looks; None if steps are given.
      run_every_steps: Steps between looks.

    Returns:
      The hook.
    """
    crossed = _crosses(estimator, metric_name, threshold, operator.gt, eval_dir, min_steps)
    return make_early_stopping_hook(estimator, crossed, run_every_secs, run_every_steps)


def stop_if_lower_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a metric is lower; see `stop_if_higher_hook`."""
    crossed = _crosses(estimator, metric_name, threshold, operator.lt, eval_dir, min_steps)
    return make_early_stopping_hook(estimator, crossed, run_every_secs, run_every_steps)


def stop_if_no_increase_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a metric has not increased for a number of steps.

    Args:
      estimator: The `Estimator`.
      metric_name: The metric, such as "accuracy".
      max_steps_without_increase: How many training steps it may stay below its best.
      eval_dir: Directory of the event files; `estimator.eval_dir()` if None.
      min_steps: Evaluations at earlier steps don't count.
      run_every_secs: Seconds between looks; None if steps are given.
      run_every_steps: Steps between looks.

    Returns:
      The hook.
    """
    stuck = _stands_still(
        estimator, metric_name, max_steps_without_increase, operator.gt, eval_dir, min_steps
    )
    return make_early_stopping_hook(estimator, stuck, run_every_secs, run_every_steps)


def stop_if_no_decrease_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a metric has not decreased; see `stop_if_no_increase_hook`."""
    stuck = _stands_still(
        estimator, metric_name, max_steps_without_decrease, operator.lt, eval_dir, min_steps
    )
    return make_early_stopping_hook(estimator, stuck, run_every_secs, run_every_steps)


def make_stop_at_checkpoint_step_hook(
    estimator: Any, last_step: int, wait_after_file_check_secs: float = 30
) -> SessionRunHook:
    """A hook that ends training at a step; a worker waits until that step is saved.

    Args:
      estimator: The `Estimator`.
      last_step: The global step.
      wait_after_file_check_secs: Seconds between looks at the checkpoints.

    Returns:
      The hook.
    """
    if estimator.config.is_chief:
        return StopAtStepHook(last_step=last_step)
    return StopAtCheckpointStepHook(estimator.model_dir, last_step, wait_after_file_check_secs)


def read_eval_metrics(eval_dir: str) -> dict[int, dict[str, float]]:
    """Reads the metrics in the event files of an evaluation.

    Args:
      eval_dir: Directory of the event files.

    Returns:
      Global step -> metric name -> value, by ascending step.
    """
    metrics: dict[int, dict[str, float]] = {}
    for path in tf.io.gfile.glob(os.path.join(eval_dir, "events.out.tfevents.*")):
        for event in v1.train.summary_iterator(path):
            values = {
                value.tag: value.simple_value
                for value in event.summary.value
                if value.HasField("simple_value")
            }
            if values:
                metrics.setdefault(event.step, {}).update(values)
    return dict(sorted(metrics.items()))


class StopOnPredicateHook(SessionRunHook):
    """Calls a function now and then, and ends training when it returns True."""

    def __init__(
        self,
        should_stop_fn: Callable[[], bool],
        run_every_secs: float | None = 60,
        run_every_steps: int | None = None,
    ):
        if not callable(should_stop_fn):
            raise TypeError(f"should_stop_fn must be callable; got {should_stop_fn!r}.")
        self._should_stop_fn = should_stop_fn
        self._timer = SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)
        self._global_step_tensor: Any = None
        self._stop_op: Any = None

    def begin(self) -> None:
        """Adds the variable by which workers learn of the stop."""
        self._global_step_tensor = v1.train.get_global_step()
        self._stop_op = v1.assign(_stop_variable(), True)

    def before_run(self, run_context: Any) -> Any:
        """Asks for the global step."""
        return v1.train.SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Looks if it is time to."""
        global_step = run_values.results
        if not self._timer.should_trigger_for_step(global_step):
            return
        self._timer.update_last_triggered_step(global_step)
        if self._should_stop_fn():
            v1.logging.info("Requesting early stopping at global step %d", global_step)
            run_context.session.run(self._stop_op)
            run_context.request_stop()


class CheckForStoppingHook(SessionRunHook):
    """Ends a worker's training when the chief's `StopOnPredicateHook` said so."""

    def begin(self) -> None:
        """Finds the variable."""
        self._stop_variable = _stop_variable()

    def before_run(self, run_context: Any) -> Any:
        """Asks for the variable."""
        return v1.train.SessionRunArgs(self._stop_variable)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stops if it is set."""
        if run_values.results:
            v1.logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()


class StopAtCheckpointStepHook(SessionRunHook):
    """Ends training once a checkpoint of the last step is on disk."""

    def __init__(self, model_dir: str, last_step: int, wait_after_file_check_secs: float = 30):
        for name, value in (("model_dir", model_dir), ("last_step", last_step)):
            if value is None:
                raise ValueError(f"{name} must be given; got None.")
        self._model_dir = model_dir
        self._last_step = last_step
        self._wait_after_file_check_secs = wait_after_file_check_secs

    def begin(self) -> None:
        """Finds the global step."""
        step = v1.train.get_global_step()
        if step is None:
            raise RuntimeError("StopAtCheckpointStepHook needs a global step; create one first.")
        self._global_step_tensor = step

    def before_run(self, run_context: Any) -> Any:
        """Asks for the global step."""
        return v1.train.SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stops, or waits a while."""
        from compat.estimator.estimator import saved_global_step

        if run_values.results < self._last_step:
            return
        if saved_global_step(self._model_dir) >= self._last_step:
            run_context.request_stop()
        else:
            time.sleep(self._wait_after_file_check_secs)


def _stop_variable() -> Any:
    with v1.variable_scope("signal_early_stopping", reuse=v1.AUTO_REUSE):
        return v1.get_variable(
            "STOP",
            shape=[],
            dtype=tf.bool,
            initializer=v1.constant_initializer(False),
            collections=[v1.GraphKeys.GLOBAL_VARIABLES],
            trainable=False,
        )


def _values(
    estimator: Any, metric_name: str, eval_dir: str | None, min_steps: int
) -> list[tuple[int, float]]:
    """Steps and values of a metric, from `min_steps` on."""
    found = []
    for step, metrics in read_eval_metrics(eval_dir or estimator.eval_dir()).items():
        if step < min_steps:
            continue
        if metric_name not in metrics:
            raise KeyError(f"No metric {metric_name!r} at step {step}; there are {list(metrics)}.")
        found.append((step, metrics[metric_name]))
    return found


def _crosses(
    estimator: Any,
    metric_name: str,
    threshold: float,
    is_beyond: Callable[[float, float], bool],
    eval_dir: str | None,
    min_steps: int,
) -> Callable[[], bool]:
    def should_stop() -> bool:
        for step, value in _values(estimator, metric_name, eval_dir, min_steps):
            if is_beyond(value, threshold):
                v1.logging.info(
                    "At step %s, metric %r has value %s, beyond early stopping's threshold %s.",
                    step,
                    metric_name,
                    value,
                    threshold,
                )
                return True
        return False

    return should_stop


def _stands_still(
    estimator: Any,
    metric_name: str,
    max_steps: int,
    is_better: Callable[[float, float], bool],
    eval_dir: str | None,
    min_steps: int,
) -> Callable[[], bool]:
    def should_stop() -> bool:
        best, best_step = None, 0
        for step, value in _values(estimator, metric_name, eval_dir, min_steps):
            if best is None or is_better(value, best):
                best, best_step = value, step
            if step - best_step >= max_steps:
                v1.logging.info(
                    "Metric %r has not become better for %s steps, and early stopping allows %s.",
                    metric_name,
                    step - best_step,
                    max_steps,
                )
                return True
        return False

    return should_stop
