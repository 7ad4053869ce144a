"""`SessionManager`: makes sessions ready, restored from a checkpoint or initialized."""

from __future__ import annotations

import time
from typing import Any

import tensorflow as tf

from compat.sessions.session import Session

v1 = tf.compat.v1


class SessionManager(tf.compat.v1.train.SessionManager):
    """Stands for `tf.compat.v1.train.SessionManager`; its sessions run eagerly.

    The base class decides what being ready means and in which order things are run;
    only the two places that make a session, and wait for one, are written here.

    Args:
      local_init_op: An operation to run whenever a session is made, restored or not.
      ready_op: A tensor of the names that are not initialized; a session is ready when it
        is empty.
      ready_for_local_init_op: The same, for running `local_init_op`.
      graph: The graph; the default one if None.
      recovery_wait_secs: A number of seconds between two looks for a checkpoint.
      local_init_run_options: A `RunOptions` for `local_init_op`.
      local_init_feed_dict: What to feed when `local_init_op` runs.
    """

    def _restore_checkpoint(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        """A new session, and whether a checkpoint was restored into it."""
        self._target = master
        session = Session(master, graph=self._graph, config=config)
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path; "
                "leave one of them out."
            )
        if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
            return session, False
        if checkpoint_filename_with_path:
            _restore(session, saver, checkpoint_filename_with_path)
            return session, True
        waited = 0.0
        found = tf.train.get_checkpoint_state(checkpoint_dir)
        while not found or not found.model_checkpoint_path:
            if not wait_for_checkpoint or waited >= max_wait_secs:
                return session, False
            v1.logging.info("Waiting for checkpoint to be available.")
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs
            found = tf.train.get_checkpoint_state(checkpoint_dir)
        _restore(session, saver, found.model_checkpoint_path)
        saver.recover_last_checkpoints(found.all_model_checkpoint_paths)
        return session, True

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float | None = float("inf")
    ) -> Session:
        """A session whose model somebody else has made ready.

        Args:
          master: Must be empty.
          config: A `ConfigProto`.
          max_wait_secs: How long to wait, in seconds; None for ever.

        Returns:
          The session.

        Raises:
          tf.errors.DeadlineExceededError: The model was not ready in time; the message
            has the names of what is not initialized.
        """
        self._target = master
        limit = float("inf") if max_wait_secs is None else max_wait_secs
        start = time.time()
        while True:
            session = Session(master, graph=self._graph, config=config)
            ready, why_not = self._try_run_local_init_op(session)
            if ready:
                ready, why_not = self._model_ready(session)
                if ready:
                    return session
            self._safe_close(session)
            if limit - (time.time() - start) - self._recovery_wait_secs < 0:
                raise tf.errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {limit} secs. {why_not}"
                )
            v1.logging.info("Waiting for model to be ready: %s", why_not)
            time.sleep(self._recovery_wait_secs)


def _restore(session: Session, saver: Any, path: str) -> None:
    initializers = session.graph.get_collection("saved_model_initializers")
    if initializers:
        session.run(initializers)
    saver.restore(session, path)
