"""`Scaffold`: what a session needs to get ready; object-based checkpoints are accepted too."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat.checkpoints.objects import as_saver

v1 = tf.compat.v1


class Scaffold(tf.compat.v1.train.Scaffold):
    """Stands for `tf.compat.v1.train.Scaffold`.

    `saver` may also be a `tf.train.Checkpoint` or a `tf.train.CheckpointManager`, which
    then saves and restores in place of a name-based `Saver`. What isn't given is made when
    the session begins, as TF1 does.

    Args:
      init_op: An operation that initializes the variables; not run after a restore.
      init_feed_dict: What to feed when `init_op` runs.
      init_fn: A function of the scaffold and the session, called after `init_op`.
      ready_op: A tensor of the names that are not initialized.
      ready_for_local_init_op: The same, for running `local_init_op`.
      local_init_op: An operation to run whenever a session is made, restored or not.
      summary_op: A scalar string tensor: the merged summaries.
      saver: A `Saver`, `tf.train.Checkpoint` or `tf.train.CheckpointManager`.
      copy_from_scaffold: A `Scaffold` that gives what the other arguments leave out.
      local_init_feed_dict: What to feed when `local_init_op` runs.

    Raises:
      ValueError: An op is given twice, as an argument and by `copy_from_scaffold`.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Any = None,
        local_init_feed_dict: Any = None,
    ):
        super().__init__(
            init_op=init_op,
            init_feed_dict=init_feed_dict,
            init_fn=init_fn,
            ready_op=ready_op,
            ready_for_local_init_op=ready_for_local_init_op,
            local_init_op=local_init_op,
            summary_op=summary_op,
            saver=as_saver(saver),
            copy_from_scaffold=copy_from_scaffold,
            local_init_feed_dict=local_init_feed_dict,
        )
