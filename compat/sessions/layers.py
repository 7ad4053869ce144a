"""The layers between a monitored session and the raw one, each with one task.

`MonitoredSession` → `RecoverableSession` (makes a new session after a preemption) →
`CoordinatedSession` (threads and their errors) → `HookedSession` (hooks) → `Session`.
Each holds the next as `_sess`, the chain along which TF1 code reaches the raw session.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.loop import HookLoop

v1 = tf.compat.v1

#: Errors that mean "the machine went away", after which a new session may help.
PREEMPTION_ERRORS = (tf.errors.AbortedError, tf.errors.UnavailableError)

StepContext = v1.train.MonitoredSession.StepContext


class _Layer:
    """A session around another one."""

    def __init__(self, session: Any):
        self._sess = session

    @property
    def graph(self) -> tf.Graph:
        return self._sess.graph

    @property
    def sess_str(self) -> Any:
        return self._sess.sess_str

    def should_stop(self) -> bool:
        if self._sess is None or self._check_stop():
            return True
        return isinstance(self._sess, _Layer) and self._sess.should_stop()

    def _check_stop(self) -> bool:
        return False

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        return self._sess.run(fetches, feed_dict, options, run_metadata)

    def run_step_fn(self, step_fn: Callable, raw_session: Any, run_with_hooks: Any) -> Any:
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))

    def close(self) -> None:
        if self._sess is None:
            return
        try:
            self._sess.close()
        except PREEMPTION_ERRORS as error:
            v1.logging.error("A preemption interrupted the session's close. Error: %s", error)
        finally:
            self._sess = None


class HookedSession(_Layer):
    """Runs with hooks around each run."""

    def __init__(self, session: Any, hooks: Any):
        super().__init__(session)
        self._hooks = hooks
        self._loop = HookLoop(hooks)

    def _check_stop(self) -> bool:
        return self._loop.should_stop

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs with hooks."""
        return self._loop.run(self._sess, self._sess.run, fetches, feed_dict, options, run_metadata)


class CoordinatedSession(_Layer):
    """Shares a coordinator with threads: their errors surface here, and a stop ends them."""

    def __init__(self, session: Any, coord: Any, stop_grace_period_secs: float):
        super().__init__(session)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def _check_stop(self) -> bool:
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs; a thread's error comes before its echo here."""
        try:
            return self._sess.run(fetches, feed_dict, options, run_metadata)
        except PREEMPTION_ERRORS:
            raise
        except Exception as error:
            # A thread's error is the cause; what failed here is most often its echo.
            try:
                self._coord.raise_requested_exception()
            except PREEMPTION_ERRORS:
                raise
            except Exception:
                raise error from None
            raise

    def close(self) -> None:
        """Stops and joins the threads, then closes the session."""
        self._coord.request_stop()
        try:
            self._coord.join(
                stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True
            )
        finally:
            try:
                super().close()
            except Exception:
                pass  # TF1: whatever closing the session says, the join's outcome counts.


class RecoverableSession(_Layer):
    """Makes a new session, restored from the last checkpoint, after a preemption."""

    def __init__(self, creator: Any):
        self._creator = creator
        super().__init__(self._create_session())

    def _create_session(self) -> Any:
        while True:
            try:
                return self._creator.create_session()
            except PREEMPTION_ERRORS as error:
                v1.logging.info(
                    "A preemption interrupted the creation of a session; trying again. Error: %s",
                    error,
                )

    def _check_stop(self) -> bool:
        try:
            return self._sess is None or self._sess._check_stop()
        except PREEMPTION_ERRORS as error:
            self._give_up(error)
            self._sess = self._create_session()
            return False
        except Exception:
            return True

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs, as often as preemptions make necessary."""
        return self._until_not_preempted(
            lambda session: session.run(fetches, feed_dict, options, run_metadata)
        )

    def run_step_fn(self, step_fn: Callable, raw_session: Any, run_with_hooks: Any) -> Any:
        """Runs the function, again from its start after a preemption."""
        return self._until_not_preempted(
            lambda session: session.run_step_fn(step_fn, raw_session, session.run)
        )

    def _until_not_preempted(self, action: Callable[[Any], Any]) -> Any:
        while True:
            try:
                if self._sess is None:
                    self._sess = self._create_session()
                return action(self._sess)
            except PREEMPTION_ERRORS as error:
                self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        v1.logging.info(
            "A preemption was reported; the session is closed and a new one is created. Error: %s",
            error,
        )
        self.close()
        self._sess = None
