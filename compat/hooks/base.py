"""`SessionRunHook`: the base class of hooks, TF1's own interface."""

from __future__ import annotations

import tensorflow as tf

from compat.keras.callback import LoopCallback

v1 = tf.compat.v1

SessionRunArgs = v1.train.SessionRunArgs
SessionRunContext = v1.train.SessionRunContext
SessionRunValues = v1.train.SessionRunValues
CheckpointSaverListener = v1.train.CheckpointSaverListener
SecondOrStepTimer = v1.train.SecondOrStepTimer
NanLossDuringTrainingError = v1.train.NanLossDuringTrainingError


class SessionRunHook(LoopCallback, tf.compat.v1.train.SessionRunHook):
    """Something to do around each run; stands for `tf.compat.v1.train.SessionRunHook`.

    Override any of `begin`, `after_create_session`, `before_run`, `after_run` and `end`.

    Example:
      >>> class Printer(compat.SessionRunHook):
      ...     def before_run(self, run_context):
      ...         return compat.SessionRunArgs("loss:0")
      ...
      ...     def after_run(self, run_context, run_values):
      ...         print(run_values.results)
    """
