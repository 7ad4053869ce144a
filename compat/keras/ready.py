"""Getting the session of a Keras loop ready: scaffold, restore, what hooks made in `begin`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat.engine.vocabulary import VocabularyGraph
from compat.keras.saver import DefaultSaver
from compat.sessions.scaffold import Scaffold

v1 = tf.compat.v1


class SessionSetup:
    """A scaffold and a place to restore from, either of which may be missing.

    Live variables need no initialization: the model's keep their values.
    """

    def __init__(self) -> None:
        self._scaffold: Any = None
        self._checkpoint_dir: str | None = None
        self._init_ops: list[tf.Operation] = []

    def merge(self, scaffold: Any, checkpoint_dir: str | None) -> None:
        """Takes over what one of the callbacks brings; the later one wins."""
        self._scaffold = scaffold or self._scaffold
        self._checkpoint_dir = checkpoint_dir or self._checkpoint_dir

    def adopt(self, scaffold: Any) -> None:
        """Takes a hook's scaffold if there is none yet: nobody else finalizes it."""
        if self._scaffold is None and isinstance(scaffold, v1.train.Scaffold):
            self._scaffold = scaffold

    def finalize(self, graph: VocabularyGraph) -> None:
        """Adds the ops that a session needs and finalizes the graph, the default one."""
        to_do = [v for v in v1.global_variables() if _needs_initializer(v, graph)]
        self._init_ops = [variable.initializer for variable in to_do + v1.local_variables()]
        if v1.get_collection(v1.GraphKeys.TABLE_INITIALIZERS):
            self._init_ops.append(v1.tables_initializer())
        if not v1.get_collection(v1.GraphKeys.SAVERS):
            v1.add_to_collection(v1.GraphKeys.SAVERS, DefaultSaver(graph))
        nothing = tf.constant([], tf.string)
        used = self._scaffold or Scaffold(
            init_op=tf.no_op(),
            ready_op=nothing,
            ready_for_local_init_op=nothing,
            local_init_op=tf.no_op(),
        )
        used.finalize()
        self._saver = used.saver

    def make_ready(self, session: Any, coord: Any, hooks: Sequence[Any]) -> None:
        """Initializes what is not live yet and restores the latest checkpoint, if any.

        Args:
          session: The session.
          coord: Its coordinator.
          hooks: Those of a `fit`; it goes on from where their checkpoints are ahead of it.
        """
        session.run(self._init_ops)
        scaffold = self._scaffold
        if scaffold is not None:
            session.run(scaffold.init_op, feed_dict=scaffold.init_feed_dict)
            session.run(scaffold.local_init_op)
        path = self._checkpoint_dir and tf.train.latest_checkpoint(self._checkpoint_dir)
        path, saver = (path, self._saver) if path else _checkpoint_ahead(session, hooks)
        if path:
            saver.restore(session, path)
        elif scaffold is not None and scaffold.init_fn is not None:
            scaffold.init_fn(session)
        if v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS):
            v1.train.start_queue_runners(sess=session, coord=coord)


def _needs_initializer(variable: Any, graph: VocabularyGraph) -> bool:
    """Whether a variable is not live, or gets its value by `tf.train.init_from_checkpoint`."""
    name = variable.op.name
    return name not in graph.bound or variable.initializer.name != f"{name}/Assign"


def _checkpoint_ahead(session: Any, hooks: Sequence[Any]) -> tuple[str | None, Any]:
    """The latest checkpoint that the hooks saved at a step the model has yet to reach.

    Returns:
      Its path and its hook's saver; (None, None) if there is none.
    """
    step, path, saver = int(session.run("global_step:0")), None, None
    for hook in hooks:
        if isinstance(hook, v1.train.CheckpointSaverHook):
            latest = tf.train.latest_checkpoint(hook._checkpoint_dir) or ""
            number = latest.rpartition("-")[2]
            if number.isdigit() and int(number) > step:
                step, path, saver = int(number), latest, hook._get_saver()
    return path, saver
