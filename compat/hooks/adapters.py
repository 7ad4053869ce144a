"""TF1's built-in hooks: TensorFlow's own classes, fit for every surface.

Each class is the public `tf.compat.v1.train` class with the package's hook base before
it. An override stands only where eager mode or a known defect needs one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat.checkpoints.objects import as_saver
from compat.engine.vocabulary import VocabularyGraph
from compat.hooks.base import SessionRunHook

train = tf.compat.v1.train


class StopAtStepHook(tf.compat.v1.train.StopAtStepHook, SessionRunHook):
    """Stops after `num_steps` more steps, or at global step `last_step`.

    Stands for `tf.compat.v1.train.StopAtStepHook`; give exactly one of the two.

    Args:
      num_steps: An int: how many steps to run from where the session starts.
      last_step: An int: the global step after which to stop, restored steps included.

    Raises:
      ValueError: Both or none of the arguments are given.
    """


class LoggingTensorHook(tf.compat.v1.train.LoggingTensorHook, SessionRunHook):
    """Logs tensors every N steps or seconds, or at the end.

    Stands for `tf.compat.v1.train.LoggingTensorHook`.

    Args:
      tensors: A list of tensors or names (`"loss:0"`), or a dict from tag to them.
      every_n_iter: An int: log on every so many runs, the first included.
      every_n_secs: A float: log once in so many seconds.
      at_end: A bool: log when the session ends, too.
      formatter: A function from the dict of tags and values to the line that is logged.

    Raises:
      ValueError: Not exactly one of `every_n_iter` and `every_n_secs` is given (unless
        `at_end`), or it isn't positive.

    Example:
      >>> hook = compat.LoggingTensorHook({"loss": "loss:0"}, every_n_iter=100)
    """


class NanTensorHook(tf.compat.v1.train.NanTensorHook, SessionRunHook):
    """Stops, or fails with `NanLossDuringTrainingError`, when a loss becomes NaN.

    Stands for `tf.compat.v1.train.NanTensorHook`. An infinite loss is no NaN.

    Args:
      loss_tensor: A scalar tensor or its name (`"loss:0"`).
      fail_on_nan_loss: A bool: raise on NaN (the default), or stop and log it.

    Raises:
      NanLossDuringTrainingError: From a run whose loss is NaN, unless that was turned off.
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

    Args:
      checkpoint_dir: A path: where the files go. In `fit`, a model that is behind the latest
        checkpoint there goes on from it.
      save_secs: An int: save once in so many seconds.
      save_steps: An int: save every so many global steps.
      saver: A `tf.train.Saver` of the graph, or a `tf.train.Checkpoint` or its manager.
      checkpoint_basename: A str: how the files' names start.
      scaffold: A `Scaffold` whose saver is used, be it a `tf.train.Checkpoint`; around a
        `tf.function` step, that is what saves more than the global step.
      listeners: `CheckpointSaverListener`s, called in this order around each save.
      save_graph_def: A bool: write the graph and meta graph, too.

    Raises:
      ValueError: Both or none of `save_steps` and `save_secs`, or both `saver` and
        `scaffold` are given.

    Example:
      >>> hook = compat.CheckpointSaverHook("run", save_steps=1000)
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: int | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[Any] | None = None,
        save_graph_def: bool = True,
    ):
        super().__init__(
            checkpoint_dir,
            save_secs=save_secs,
            save_steps=save_steps,
            saver=as_saver(saver),
            checkpoint_basename=checkpoint_basename,
            scaffold=scaffold,
            listeners=listeners,
            save_graph_def=save_graph_def,
        )

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Saves for the first time; warns if there is more to a step than would be saved."""
        around_step = isinstance(tf.compat.v1.get_default_graph(), VocabularyGraph)
        if (
            around_step
            and isinstance(self._get_saver(), train.Saver)
            and len(tf.compat.v1.global_variables()) == 1
        ):
            # A Python warning: the log stays, line for line, what TF 1.15's is.
            warnings.warn(
                f"Checkpoints in {self._checkpoint_dir} hold the global step alone. Around a "
                "tf.function step, say what else to save: "
                "Scaffold(saver=tf.train.Checkpoint(weights=weights, ...)).",
                stacklevel=2,
            )
        super().after_create_session(session, coord)


class StepCounterHook(_FlushesAtEnd, tf.compat.v1.train.StepCounterHook, SessionRunHook):
    """Logs and writes `global_step/sec`; stands for `tf.compat.v1.train.StepCounterHook`.

    Args:
      every_n_steps: An int: every so many global steps, 100 by default.
      every_n_secs: A float: once in so many seconds, in place of `every_n_steps`.
      output_dir: A path for the event file.
      summary_writer: A `FileWriter`, in place of `output_dir`.

    Raises:
      ValueError: Not exactly one of `every_n_steps` and `every_n_secs` is given.
    """


class SummarySaverHook(_FlushesAtEnd, tf.compat.v1.train.SummarySaverHook, SessionRunHook):
    """Writes summaries every N steps or seconds.

    Stands for `tf.compat.v1.train.SummarySaverHook`.

    Args:
      save_steps: An int: write every so many global steps.
      save_secs: A float: write once in so many seconds.
      output_dir: A path for the event file.
      summary_writer: A `FileWriter`, in place of `output_dir`.
      scaffold: A `Scaffold` whose `summary_op` is used.
      summary_op: A scalar string tensor with a serialized summary, or a list of them.

    Raises:
      ValueError: Not exactly one of `summary_op` and `scaffold` is given.
    """


class GlobalStepWaiterHook(tf.compat.v1.train.GlobalStepWaiterHook, SessionRunHook):
    """Delays a worker until a global step is reached.

    Stands for `tf.compat.v1.train.GlobalStepWaiterHook`: TF1's way to start asynchronous
    workers one after the other.

    Args:
      wait_until_step: An int: the global step before which the first run doesn't begin.
    """


class FinalOpsHook(tf.compat.v1.train.FinalOpsHook, SessionRunHook):
    """Evaluates tensors at the end; stands for `tf.compat.v1.train.FinalOpsHook`.

    Args:
      final_ops: A tensor, an operation or a structure of them, run when the session ends.
        `final_ops_values` then has the values in the same structure.
      final_ops_feed_dict: What to feed in that run.
    """


class FeedFnHook(tf.compat.v1.train.FeedFnHook, SessionRunHook):
    """Feeds every run from a function; stands for `tf.compat.v1.train.FeedFnHook`.

    Args:
      feed_fn: A function without arguments that returns a `feed_dict`.
    """
