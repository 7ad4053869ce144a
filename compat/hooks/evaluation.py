"""Hooks for evaluation loops, which TF1 had in `tf.contrib.training`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat.hooks.base import SessionRunArgs, SessionRunHook

v1 = tf.compat.v1

_EVAL_STEP = "eval_step"


def get_or_create_eval_step() -> tf.Variable:
    """The local counter of evaluation steps in the default graph, int64 of shape []."""
    steps = v1.get_collection(v1.GraphKeys.EVAL_STEP)
    if steps:
        return steps[0]
    return v1.get_variable(
        _EVAL_STEP,
        shape=[],
        dtype=tf.int64,
        initializer=v1.zeros_initializer(),
        trainable=False,
        collections=[v1.GraphKeys.LOCAL_VARIABLES, v1.GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(SessionRunHook):
    """Stops after N runs; stands for `tf.contrib.training.StopAfterNEvalsHook`."""

    def __init__(self, num_evals: int | None, log_progress: bool = True):
        """Sets the number of runs.

        Args:
          num_evals: How many runs to make; None for no limit.
          log_progress: Whether to log each run.
        """
        self._num_evals = num_evals
        self._log_progress = log_progress

    def begin(self) -> None:
        """Adds the counter of runs to the graph."""
        self._completed = v1.assign_add(get_or_create_eval_step(), 1)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Counts the run."""
        return SessionRunArgs(self._completed)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stops when enough runs have been made."""
        completed = int(run_values.results)
        if self._log_progress:
            total = f"/{self._num_evals}" if self._num_evals is not None else ""
            v1.logging.info("Evaluation [%d%s]", completed, total)
        if self._num_evals is not None and completed >= self._num_evals:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes summaries when a session ends; stands for TF1's class of that name."""

    def __init__(
        self,
        log_dir: str | None = None,
        summary_writer: Any = None,
        summary_op: Any = None,
        feed_dict: dict | None = None,
    ):
        """Sets what to write and where.

        Args:
          log_dir: Directory of the event file, unless there is a writer.
          summary_writer: A TF1 `FileWriter`.
          summary_op: A serialized summary; all summaries of the graph if None.
          feed_dict: Feeds for the summaries.

        Raises:
          ValueError: Neither a directory nor a writer is given.
        """
        if not log_dir and summary_writer is None:
            raise ValueError("Give log_dir or summary_writer, so that summaries can be written.")
        self._log_dir = log_dir
        self._summary_writer = summary_writer
        self._summary_op = summary_op
        self._feed_dict = feed_dict

    def begin(self) -> None:
        """Collects the graph's summaries."""
        if self._summary_op is None:
            self._summary_op = v1.summary.merge_all()
        if self._summary_writer is None:
            self._summary_writer = v1.summary.FileWriterCache.get(self._log_dir)

    def end(self, session: Any) -> None:
        """Writes the summaries at the global step."""
        step = v1.train.get_global_step()
        if self._summary_op is not None:
            summary, at = session.run([self._summary_op, step], self._feed_dict)
            self._summary_writer.add_summary(summary, at)
            self._summary_writer.flush()
