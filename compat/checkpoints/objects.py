"""Object-based checkpoints in the place of a TF1 `Saver`."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import tensorflow as tf


def as_saver(saver: Any) -> Any:
    """What hooks and scaffolds can save with.

    Args:
      saver: A `tf.train.Checkpoint`, a `tf.train.CheckpointManager`, a TF1 saver or None.

    Returns:
      A saver with TF1's interface, or what was given if it has that already.
    """
    if isinstance(saver, tf.train.CheckpointManager):
        return ObjectSaver(saver.checkpoint, manager=saver)
    if isinstance(saver, tf.train.Checkpoint):
        return ObjectSaver(saver)
    return saver


class ObjectSaver:
    """Saves and restores a `tf.train.Checkpoint` where TF1 code calls a `Saver`.

    Files are called as TF1 calls them (`model.ckpt-N.index` …) and listed in the
    directory's `checkpoint` file; what is in them is the object-based format.
    """

    saver_def = None

    def __init__(self, checkpoint: tf.train.Checkpoint, manager: Any = None, max_to_keep: int = 5):
        """Wraps a checkpoint.

        Args:
          checkpoint: What to save.
          manager: If given, it names, keeps and deletes the files.
          max_to_keep: How many of its own files stay, without a manager; 0 keeps all.
        """
        self._checkpoint = checkpoint
        self._manager = manager
        self._max_to_keep = max_to_keep
        self._written: list[tuple[str, float]] = []

    @property
    def last_checkpoints(self) -> list[str]:
        """Paths of the checkpoints kept, oldest first."""
        if self._manager:
            return list(self._manager.checkpoints)
        return [path for path, _ in self._written]

    def build(self) -> None:
        """Nothing to build: no ops are needed."""

    def save(
        self,
        sess: Any,
        save_path: str,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        **_: Any,
    ) -> str:
        """Saves; arguments as in `tf.compat.v1.train.Saver.save`.

        Returns:
          The path of the checkpoint, without suffixes.
        """
        if global_step is not None:
            given = isinstance(global_step, (int, np.integer))
            global_step = int(global_step if given else sess.run(global_step))
        with tf.__internal__.eager_context.eager_mode():
            if self._manager:
                return self._manager.save(checkpoint_number=global_step)
            path = save_path if global_step is None else f"{save_path}-{global_step}"
            written = self._checkpoint.write(path)
            if write_state:
                self._keep(written, latest_filename)
            return written

    def _keep(self, path: str, latest_filename: str | None) -> None:
        self._written = [(p, at) for p, at in self._written if p != path] + [(path, time.time())]
        surplus = self._written[: -self._max_to_keep] if self._max_to_keep else []
        self._written = self._written[len(surplus) :]
        tf.compat.v1.train.update_checkpoint_state(
            os.path.dirname(path), path, self.last_checkpoints, latest_filename
        )
        for old, _ in surplus:
            for name in tf.io.gfile.glob(old + ".*"):
                tf.io.gfile.remove(name)

    def restore(self, sess: Any, save_path: str) -> None:
        """Restores the objects from `save_path`.

        Raises:
          ValueError: There is no such checkpoint.
        """
        with tf.__internal__.eager_context.eager_mode():
            if not tf.io.gfile.exists(save_path + ".index"):
                raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
            self._checkpoint.read(save_path)

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Takes over files of an earlier run, so that they count for deletion."""
        self._written = [
            (path, tf.io.gfile.stat(path + ".index").mtime_nsec / 1e9)
            for path in checkpoint_paths
            if tf.io.gfile.exists(path + ".index")
        ]

    def set_last_checkpoints_with_time(self, checkpoints: list[tuple[str, float]]) -> None:
        """Sets which files count for deletion, as (path, time) pairs."""
        self._written = list(checkpoints)

    def as_saver_def(self) -> None:
        """None: there are no saver ops in the graph."""
        return None
