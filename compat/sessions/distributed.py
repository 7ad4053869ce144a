"""Monitored sessions under `tf.distribute`: one chief, and workers that act in step.

`tf.distribute` does the work; a session only sees to it that all processes of a
multi-worker strategy restore, save and stop together:

    every worker restores the same checkpoint and starts at the same step
    each run: the step (which calls `strategy.run`), then one all-reduce of "who wants to stop"
    every worker takes part in a save, but only the chief's files stay

A worker that has gone makes the runs of the others fail with UnavailableError. Started
again, the job goes on from its last checkpoint.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from compat.checkpoints.objects import ObjectSaver
from compat.hooks.adapters import CheckpointSaverHook
from compat.hooks.base import SecondOrStepTimer, SessionRunHook
from compat.sessions.layers import PREEMPTION_ERRORS
from compat.sessions.monitored import BaseMonitoredSession, MonitoredSession

v1 = tf.compat.v1

#: Jobs of a cluster that take steps; an evaluator doesn't.
_TRAINING_JOBS = ("chief", "master", "worker")
_NUMBER = tf.TensorSpec([], tf.float64)


def strategy_of(global_step: Any = None) -> tf.distribute.Strategy | None:
    """The strategy in whose scope the caller is, or in which the global step was made.

    Args:
      global_step: A variable or None.

    Returns:
      The strategy; None where there is none, and in a legacy graph.

    Raises:
      NotImplementedError: It is a parameter server strategy.
    """
    if not tf.executing_eagerly():
        return None
    if tf.distribute.has_strategy():
        strategy = tf.distribute.get_strategy()
    else:
        strategy = getattr(global_step, "distribute_strategy", None)
    if isinstance(strategy, tf.distribute.ParameterServerStrategy):
        raise NotImplementedError(
            "Monitored sessions run steps of synchronous strategies; got "
            f"{type(strategy).__name__}. Use MultiWorkerMirroredStrategy, or a "
            "tf.distribute.coordinator.ClusterCoordinator without a session."
        )
    return strategy


def is_chief(strategy: tf.distribute.Strategy | None) -> bool:
    """Whether this process is the one that saves and logs for all.

    Args:
      strategy: Its cluster resolver is asked; without one there is one process only.
    """
    resolver = strategy.cluster_resolver if strategy else None
    if resolver is None or not resolver.task_type:
        return True
    jobs = resolver.cluster_spec().as_dict()
    if "chief" in jobs or "master" in jobs:
        return resolver.task_type in ("chief", "master")
    return resolver.task_type == "worker" and resolver.task_id == 0


class Workers:
    """The processes of a strategy, as one of them sees them.

    Attributes:
      is_chief: Whether this one is the chief.
    """

    def __init__(self, strategy: tf.distribute.Strategy, chief: bool):
        self.is_chief = chief
        self._strategy = strategy
        self._replicas = strategy.num_replicas_in_sync
        self._sum = tf.function(self._sum_in_replicas, input_signature=[_NUMBER])

    def _sum_in_replicas(self, number: tf.Tensor) -> tf.Tensor:
        def in_replica(value: tf.Tensor) -> tf.Tensor:
            context = tf.distribute.get_replica_context()
            # A tensor made in the replica has its device, which the reduction goes by.
            return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.identity(value))

        per_replica = self._strategy.run(in_replica, args=(number,))
        return self._strategy.experimental_local_results(per_replica)[0]

    def mean(self, number: float) -> float:
        """The mean of the number that each worker gives; all workers must call this."""
        with tf.__internal__.eager_context.eager_mode():
            return float(self._sum(tf.constant(number, tf.float64))) / self._replicas

    def any(self, flag: bool) -> bool:
        """Whether any worker gives True; all workers must call this."""
        return self.mean(float(flag)) > 0

    def chief_says(self, flag: bool) -> bool:
        """What the chief gives; all workers must call this."""
        return self.any(flag and self.is_chief)


def workers_of(strategy: tf.distribute.Strategy | None, chief: bool) -> Workers | None:
    """The processes of a strategy; None if this is the only one.

    Args:
      strategy: The strategy or None.
      chief: Whether this process is the chief.
    """
    resolver = strategy.cluster_resolver if strategy else None
    if strategy is None or resolver is None or not resolver.task_type:
        return None
    jobs = resolver.cluster_spec().as_dict()
    count = sum(len(addresses) for job, addresses in jobs.items() if job in _TRAINING_JOBS)
    return Workers(strategy, chief) if count > 1 else None


class _StartTogether(SessionRunHook):
    """Waits, before any hook saves, until every worker has restored; the first hook."""

    def __init__(self, workers: Workers):
        self._workers = workers

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = v1.train.get_global_step()
        own = float(session.run(step)) if step is not None else 0.0
        mean = self._workers.mean(own)
        if mean != own:
            raise RuntimeError(
                f"The workers start at different steps; got {own:.0f} here and {mean:g} on "
                "average. Give all of them one checkpoint_dir, in a file system they share."
            )


class _StopTogether(SessionRunHook):
    """Makes a stop that one worker asks for everybody's, at the same step; the last hook."""

    def __init__(self, workers: Workers):
        self._workers = workers
        self._coord: Any = None

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._coord = coord

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._workers.any(run_context.stop_requested or self._coord.should_stop()):
            run_context.request_stop()


class _ChiefsTimer(SecondOrStepTimer):
    """Triggers when the chief's clock says so: the others' may differ."""

    def __init__(self, workers: Workers, every_secs: float):
        super().__init__(every_secs=every_secs)
        self._workers = workers

    def should_trigger_for_step(self, step: int) -> bool:
        return self._workers.chief_says(super().should_trigger_for_step(step))


def saver_hook(
    workers: Workers, checkpoint_dir: str, save_secs: float | None, **arguments: Any
) -> CheckpointSaverHook:
    """The saver of one of several workers.

    Args:
      workers: The workers.
      checkpoint_dir: Where the chief saves; the others use a temporary directory.
      save_secs: Seconds between saves by the chief's clock, or None.
      **arguments: The other arguments of `CheckpointSaverHook`.
    """
    make: Callable = CheckpointSaverHook if workers.is_chief else _TakesPart
    hook = make(checkpoint_dir, save_secs=save_secs, **arguments)
    if save_secs:
        hook._timer = _ChiefsTimer(workers, save_secs)
    return hook


class _PassingSaver(ObjectSaver):
    """Takes part in a save, since some variables can be read by all workers only.

    It restores like the chief's, but neither its files stay nor does it delete others'.
    """

    def save(self, sess: Any, save_path: str, global_step: Any = None, *_: Any, **__: Any) -> str:
        """Writes to a temporary directory and removes it."""
        with tempfile.TemporaryDirectory(prefix="worker_save_") as directory:
            with tf.__internal__.eager_context.eager_mode():
                self._checkpoint.write(os.path.join(directory, "unused"))
        return save_path if global_step is None else f"{save_path}-{int(global_step)}"

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Nothing to take over: the files are the chief's."""


class _TakesPart(CheckpointSaverHook):
    """Saves when the chief does, with its event file in a temporary directory."""

    def __init__(self, checkpoint_dir: str, **arguments: Any):
        self._unused = tempfile.TemporaryDirectory(prefix="worker_checkpoints_")
        super().__init__(self._unused.name, **arguments)

    def end(self, session: Any) -> None:
        super().end(session)
        v1.summary.FileWriterCache.get(self._unused.name).close()
        self._unused.cleanup()


def give_saver(scaffold: Any, global_step: Any, chief: bool) -> None:
    """Sees to a saver that reads and writes distributed variables.

    Args:
      scaffold: The session's scaffold; without a saver it gets one of the global step.
      global_step: The variable that steps count, or None.
      chief: Whether this process names and keeps the files.
    """
    if scaffold._saver is None and global_step is not None:
        variable = global_step if isinstance(global_step, tf.Variable) else global_step.value
        scaffold._saver = ObjectSaver(tf.train.Checkpoint(global_step=variable))
    if not chief and isinstance(scaffold._saver, ObjectSaver):
        scaffold._saver = _PassingSaver(scaffold._saver._checkpoint)


class WorkersSession(MonitoredSession):
    """A monitored session of one of several workers.

    It does not recover in place: after a worker has gone, TensorFlow's collectives can't be
    used again in the others.
    """

    def __init__(
        self,
        workers: Workers,
        session_creator: Any,
        hooks: Any,
        stop_grace_period_secs: float,
        global_step: tf.Variable | None,
    ):
        together = [_StartTogether(workers), *hooks, _StopTogether(workers)]
        with _told_clearly():
            BaseMonitoredSession.__init__(
                self, session_creator, together, False, stop_grace_period_secs, global_step
            )

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs with hooks, as the base class.

        Raises:
          tf.errors.UnavailableError: Another worker has gone.
        """
        with _told_clearly():
            return super().run(*args, **kwargs)

    def run_step_fn(self, step_fn: Callable) -> Any:
        """Runs a step function, as the base class; errors as in `run`."""
        with _told_clearly():
            return super().run_step_fn(step_fn)

    def should_stop(self) -> bool:
        """Whether the workers have agreed to stop; one that leaves alone would block the rest."""
        if self._sess is None:
            return True
        self._coordinated_creator.coord.raise_requested_exception()
        return self._sess._sess.should_stop()

    def _close(self, exception_type: Any = None) -> None:
        with _told_clearly():
            super()._close(exception_type)


@contextlib.contextmanager
def _told_clearly() -> Iterator[None]:
    """Says what the failure of a collective means for the job."""
    try:
        yield
    except PREEMPTION_ERRORS as error:
        reason = error.message.strip().splitlines()
        raise tf.errors.UnavailableError(
            None,
            None,
            "A worker of this job has gone or can't be reached, and the others can't go on "
            "without it. Start all workers again; training resumes from the last checkpoint. "
            f"({reason[-1] if reason else 'no reason given'})",
        ) from error
