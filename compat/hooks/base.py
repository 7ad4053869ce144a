"""`SessionRunHook`: the base class of hooks, TF1's own interface."""

from __future__ import annotations

import tensorflow as tf

from compat.keras.callback import LoopCallback

v1 = tf.compat.v1

SessionRunArgs = v1.train.SessionRunArgs
"""What a hook asks of the next run: TensorFlow's own named tuple.

Args:
  fetches: A tensor, variable, operation or name, or any structure of them.
  feed_dict: What the hook feeds: tensors or names to values. Two that feed one tensor
    raise `RuntimeError`.
  options: A `RunOptions`; those of all hooks and of the caller are merged.
"""

SessionRunContext = v1.train.SessionRunContext
"""What a hook is given around a run: TensorFlow's own class.

It has `original_args` (the caller's `SessionRunArgs`), `session` (whose `run` calls no
hooks), `request_stop()` and `stop_requested`.

Args:
  original_args: The caller's `SessionRunArgs`.
  session: The session below the hooks.
"""

SessionRunValues = v1.train.SessionRunValues
"""What a hook gets from a run: TensorFlow's own named tuple.

Args:
  results: The values, in the structure that the hook fetched; None if it fetched nothing.
  options: The merged `RunOptions`.
  run_metadata: A `RunMetadata`, filled if the run was traced.
"""

CheckpointSaverListener = v1.train.CheckpointSaverListener
"""Something to do around each save: TensorFlow's own base class.

Override any of `begin()`, `before_save(session, step)`, `after_save(session, step)` and
`end(session, step)`. `after_save` returns True to stop the training. `step` is the global
step as an int; `session` calls no hooks.
"""

SecondOrStepTimer = v1.train.SecondOrStepTimer
"""Says when something is due again: TensorFlow's own class.

Args:
  every_secs: A float: due once in so many seconds.
  every_steps: An int: due every so many steps; exactly one of the two.

Raises:
  ValueError: Not exactly one of the two is given.
"""

NanLossDuringTrainingError = v1.train.NanLossDuringTrainingError
"""What `NanTensorHook` raises when a loss is NaN: TensorFlow's own class."""


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
