"""Session creators: how a monitored session gets a session, at first and after a failure."""

from __future__ import annotations

import tensorflow as tf

from compat.sessions.manager import SessionManager

v1 = tf.compat.v1

SessionCreator = v1.train.SessionCreator
"""Makes the session of a `MonitoredSession`: TensorFlow's own base class.

Override `create_session()`, which returns a session; it is called again after a failure.
"""


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
    """Restores or initializes; stands for `tf.compat.v1.train.ChiefSessionCreator`.

    Args:
      scaffold: A `Scaffold` with init ops and a saver; a default one if None.
      master: Must be empty.
      config: A `tf.compat.v1.ConfigProto`.
      checkpoint_dir: A path whose latest checkpoint is restored, if there is one.
      checkpoint_filename_with_path: A checkpoint to restore, in place of `checkpoint_dir`.
    """

    _session_manager: SessionManager | None

    def _get_session_manager(self) -> SessionManager:
        self._session_manager = self._session_manager or _manager(self)
        return self._session_manager


class WorkerSessionCreator(tf.compat.v1.train.WorkerSessionCreator):
    """Waits for the chief; stands for `tf.compat.v1.train.WorkerSessionCreator`.

    Args:
      scaffold: A `Scaffold`; a default one if None.
      master: Must be empty.
      config: A `tf.compat.v1.ConfigProto`.
      max_wait_secs: A number of seconds, after which it gives up.
    """

    _session_manager: SessionManager | None

    def _get_session_manager(self) -> SessionManager:
        self._session_manager = self._session_manager or _manager(self)
        return self._session_manager
