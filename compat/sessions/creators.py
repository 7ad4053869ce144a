"""Session creators: how a monitored session gets a session, at first and after a failure."""

from __future__ import annotations

import tensorflow as tf

from compat.sessions.manager import SessionManager

v1 = tf.compat.v1

SessionCreator = v1.train.SessionCreator


def _manager(creator) -> SessionManager:
    scaffold = creator._scaffold
    return SessionManager(
        local_init_op=scaffold.local_init_op,
        local_init_feed_dict=scaffold.local_init_feed_dict,
        ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op,
        graph=v1.get_default_graph(),
    )


class ChiefSessionCreator(tf.compat.v1.train.ChiefSessionCreator):
    """Restores or initializes; stands for `tf.compat.v1.train.ChiefSessionCreator`."""

    _session_manager: SessionManager | None

    def _get_session_manager(self) -> SessionManager:
        self._session_manager = self._session_manager or _manager(self)
        return self._session_manager


class WorkerSessionCreator(tf.compat.v1.train.WorkerSessionCreator):
    """Waits for the chief; stands for `tf.compat.v1.train.WorkerSessionCreator`."""

    _session_manager: SessionManager | None

    def _get_session_manager(self) -> SessionManager:
        self._session_manager = self._session_manager or _manager(self)
        return self._session_manager
