"""TF1's built-in hooks: TensorFlow's own classes, fit for every surface.

Each class is the public `tf.compat.v1.train` class with the package's hook base before
it. An override stands only where eager mode or a known defect needs one.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat.hooks.base import SessionRunHook

train = tf.compat.v1.train


class StopAtStepHook(tf.compat.v1.train.StopAtStepHook, SessionRunHook):
    """Stops after `num_steps` more steps, or at global step `last_step`.

    Stands for `tf.compat.v1.train.StopAtStepHook`; give exactly one of the two.

    Raises:
      ValueError: Both or none of the arguments are given.
    """


class LoggingTensorHook(tf.compat.v1.train.LoggingTensorHook, SessionRunHook):
    """Logs tensors every N steps or seconds, or at the end.

    Stands for `tf.compat.v1.train.LoggingTensorHook`. `tensors` is a list or a dict from
    tag to tensors or names (`"loss:0"`).

    Raises:
      ValueError: Not exactly one of `every_n_iter` and `every_n_secs` is given (unless
        `at_end`), or it isn't positive.
    """


class NanTensorHook(tf.compat.v1.train.NanTensorHook, SessionRunHook):
    """Stops, or fails with `NanLossDuringTrainingError`, when a loss becomes NaN.

    Stands for `tf.compat.v1.train.NanTensorHook`.
    """


class _FlushesAtEnd:
    """TF1 leaves what its cached summary writer holds unwritten when a session ends."""

    _summary_writer: Any

    def end(self, session: Any) -> None:
        super().end(session)  # type: ignore[misc]
        writer = getattr(self, "_summary_writer", None)
        if writer is not None:
            writer.flush()


class CheckpointSaverHook(_FlushesAtEnd, tf.compat.v1.train.CheckpointSaverHook, SessionRunHook):
    """Saves checkpoints every N steps or seconds, at the start and at the end.

    Stands for `tf.compat.v1.train.CheckpointSaverHook`: name-based `model.ckpt-N` files
    and the `checkpoint` state file, with listeners called around each save.

    Raises:
      ValueError: Both or none of `save_steps` and `save_secs`, or both `saver` and
        `scaffold` are given.
    """


class StepCounterHook(_FlushesAtEnd, tf.compat.v1.train.StepCounterHook, SessionRunHook):
    """Logs and writes `global_step/sec`; stands for `tf.compat.v1.train.StepCounterHook`."""


class SummarySaverHook(_FlushesAtEnd, tf.compat.v1.train.SummarySaverHook, SessionRunHook):
    """Writes summaries every N steps or seconds.

    Stands for `tf.compat.v1.train.SummarySaverHook`; `summary_op` is one serialized
    summary tensor or a list of them, or comes from `scaffold`.

    Raises:
      ValueError: Not exactly one of `summary_op` and `scaffold` is given.
    """


class GlobalStepWaiterHook(tf.compat.v1.train.GlobalStepWaiterHook, SessionRunHook):
    """Delays a worker until a global step is reached.

    Stands for `tf.compat.v1.train.GlobalStepWaiterHook`.
    """


class FinalOpsHook(tf.compat.v1.train.FinalOpsHook, SessionRunHook):
    """Evaluates tensors at the end; stands for `tf.compat.v1.train.FinalOpsHook`."""


class FeedFnHook(tf.compat.v1.train.FeedFnHook, SessionRunHook):
    """Feeds every run from a function; stands for `tf.compat.v1.train.FeedFnHook`."""
