"""The saver that a Keras loop gives to hooks which bring none of their own."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


class DefaultSaver(tf.compat.v1.train.Saver):
    """Saves all variables of a graph under their names; built when it is first used.

    Its ops are several per variable, which a fit that saves nothing should not wait for.
    """

    def __init__(self, graph: tf.Graph):
        """Prepares the saver.

        Args:
          graph: The vocabulary graph; it may be finalized before the first use.
        """
        self._graph = graph
        self._waiting = False
        self._definition: Any = None
        super().__init__(defer_build=True)
        self._waiting = True

    def build(self) -> None:
        """Does nothing yet."""

    @property
    def saver_def(self) -> Any:
        """The `SaverDef`, for meta graphs."""
        self._build_now()
        return self._definition

    @saver_def.setter
    def saver_def(self, definition: Any) -> None:
        self._definition = definition

    def save(self, *args: Any, **kwargs: Any) -> Any:
        """Saves, as `tf.compat.v1.train.Saver.save`."""
        self._build_now()
        return super().save(*args, **kwargs)

    def restore(self, *args: Any, **kwargs: Any) -> None:
        """Restores, as `tf.compat.v1.train.Saver.restore`."""
        self._build_now()
        super().restore(*args, **kwargs)

    def _build_now(self) -> None:
        if not self._waiting:
            return
        self._waiting = False
        finalized = self._graph.finalized
        self._graph._unsafe_unfinalize()
        with self._graph.as_default():
            super().build()
        if finalized:
            self._graph.finalize()
