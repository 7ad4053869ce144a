"""`MonitoredSession` and `SingularMonitoredSession`: initialization, hooks and clean ends."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from compat.sessions.creators import ChiefSessionCreator, SessionCreator
from compat.sessions.eager_graph import eager_graph
from compat.sessions.layers import CoordinatedSession, HookedSession, RecoverableSession
from compat.sessions.layers import StepContext as _StepContext

v1 = tf.compat.v1


class _CoordinatedCreator(SessionCreator):
    """Creates a session with its coordinator, threads and hooks."""

    def __init__(self, creator: Any, hooks: Any, stop_grace_period_secs: float):
        self._creator = creator
        self._hooks = hooks
        self._stop_grace_period_secs = stop_grace_period_secs
        self.coord: Any = None
        self.tf_sess: Any = None

    def create_session(self) -> CoordinatedSession:
        self.tf_sess = self._creator.create_session()
        self.coord = v1.train.Coordinator(clean_stop_exception_types=[])
        if v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS):
            v1.train.start_queue_runners(sess=self.tf_sess, coord=self.coord)
        hooked = HookedSession(self.tf_sess, self._hooks)
        hooked._loop.after_create_session(self.tf_sess, self.coord)
        return CoordinatedSession(hooked, self.coord, self._stop_grace_period_secs)


class BaseMonitoredSession:
    """What the monitored sessions have in common."""

    StepContext = _StepContext

    def __init__(
        self,
        session_creator: Any,
        hooks: Sequence[Any] | None,
        should_recover: bool,
        stop_grace_period_secs: float = 120,
        global_step: tf.Variable | None = None,
    ):
        self._hooks = hooks or []
        self._own_graph = eager_graph(global_step) if tf.executing_eagerly() else None
        with self._in_graph():
            graph = v1.get_default_graph()
            self._graph_was_finalized = graph.finalized
            for hook in self._hooks:
                hook.begin()
            self._coordinated_creator = _CoordinatedCreator(
                session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs
            )
            self._sess: Any = (
                RecoverableSession(self._coordinated_creator)
                if should_recover
                else self._coordinated_creator.create_session()
            )

    @property
    def graph(self) -> tf.Graph | None:
        """The graph that the session runs; None once it is closed."""
        session = self._tf_sess()
        return None if session is None else session.graph

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Runs with hooks; arguments, value and errors as in `Session.run`.

        Raises:
          RuntimeError: The session is closed or should stop, or a tensor is fed twice.
        """
        if self._sess is None:
            raise RuntimeError(
                "Run called on a closed session; make a new one, or run inside its `with` block."
            )
        with self._in_graph():
            return self._sess.run(fetches, feed_dict, options, run_metadata)

    def run_step_fn(self, step_fn: Callable) -> Any:
        """Runs a step function, which decides itself what runs with hooks.

        Args:
          step_fn: A function of one argument named `step_context` (a method may have
            `self` before it): `step_context.session` runs without hooks,
            `step_context.run_with_hooks` with them, and `step_context.request_stop()`
            leaves the function at once.

        Returns:
          What `step_fn` returned; None if it asked to stop.

        Raises:
          TypeError: `step_fn` can't be called.
          ValueError: Its argument is not named `step_context`.
        """
        if not callable(step_fn):
            raise TypeError(f"`step_fn` must be callable; got {step_fn!r}.")
        names = tuple(
            parameter.name
            for parameter in inspect.signature(step_fn).parameters.values()
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        )
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` must have one argument named `step_context` (a method also `self`); "
                f"got {names}."
            )
        if self._sess is None:
            raise RuntimeError("run_step_fn called on a closed session; make a new one.")
        with self._in_graph():
            return self._sess.run_step_fn(step_fn, self._tf_sess(), None)

    def should_stop(self) -> bool:
        """Whether the loop should end; stays True once the session is closed."""
        if self._sess is None:
            return True
        with self._in_graph():  # A preemption told by a thread makes a new session here.
            return self._sess.should_stop()

    def close(self) -> None:
        """Calls `end()` of the hooks and closes the session.

        Raises:
          RuntimeError: The session is closed already.
        """
        self._close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, exception_type: Any, exception: Any, traceback: Any) -> bool:
        if exception_type in (tf.errors.OutOfRangeError, StopIteration):
            exception_type = None
        self._close(exception_type)
        return exception_type is None

    def _close(self, exception_type: Any = None) -> None:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")
        with self._in_graph():
            try:
                if not exception_type:
                    for hook in self._hooks:
                        hook.end(self._coordinated_creator.tf_sess)
            finally:
                try:
                    self._sess.close()
                finally:
                    graph = v1.get_default_graph()
                    self._sess = None
                    self._coordinated_creator.tf_sess = None
                    self._coordinated_creator.coord = None
                    if not self._graph_was_finalized:
                        graph._unsafe_unfinalize()

    def _in_graph(self) -> Any:
        """Makes the session's own graph the default one, where the caller has none."""
        return self._own_graph.as_default() if self._own_graph else contextlib.nullcontext()

    def _is_closed(self) -> bool:
        return self._coordinated_creator.tf_sess is None

    def _tf_sess(self) -> Any:
        """The raw session, by the name under which TF1 code reaches it."""
        return self._coordinated_creator.tf_sess


class MonitoredSession(BaseMonitoredSession):
    """Initializes, recovers and runs hooks; stands for `tf.compat.v1.train.MonitoredSession`.

    After `tf.errors.AbortedError` or `UnavailableError` a new session is created, restored
    from the last checkpoint, and the run is tried again.

    Example:
      >>> with tf.Graph().as_default():
      ...     step = tf.compat.v1.train.get_or_create_global_step()
      ...     train_op = tf.compat.v1.assign_add(step, 1)
      ...     with compat.MonitoredSession(hooks=[compat.StopAtStepHook(last_step=3)]) as sess:
      ...         while not sess.should_stop():
      ...             _ = sess.run(train_op)
    """

    def __init__(
        self,
        session_creator: Any = None,
        hooks: Sequence[Any] | None = None,
        stop_grace_period_secs: float = 120,
        *,
        global_step: tf.Variable | None = None,
    ):
        """Creates the session and calls `begin` and `after_create_session` of the hooks.

        Args:
          session_creator: Makes the session; a `ChiefSessionCreator` if None.
          hooks: Session-run hooks, called in this order.
          stop_grace_period_secs: Seconds that threads get to stop when it closes.
          global_step: Where no legacy graph is used: the integer variable that steps count.
        """
        super().__init__(session_creator, hooks, True, stop_grace_period_secs, global_step)


class SingularMonitoredSession(BaseMonitoredSession):
    """Initializes and runs hooks, but does not recover; stands for TF1's class of that name.

    In a legacy graph it runs train ops. Where TensorFlow runs eagerly, the step is a
    `tf.function`, and what it returns can be fetched by name:

    Example:
      >>> step = tf.Variable(0, dtype=tf.int64)
      >>> @tf.function
      ... def train_step():
      ...     step.assign_add(1)
      ...     return {"loss": tf.constant(0.5)}
      >>> hooks = [compat.StopAtStepHook(last_step=3), compat.NanTensorHook("loss:0")]
      >>> with compat.SingularMonitoredSession(hooks, global_step=step) as sess:
      ...     while not sess.should_stop():
      ...         _ = sess.run(train_step)
    """

    def __init__(
        self,
        hooks: Sequence[Any] | None = None,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
        *,
        global_step: tf.Variable | None = None,
    ):
        """Creates the session and calls `begin` and `after_create_session` of the hooks.

        Args:
          hooks: Session-run hooks, called in this order.
          scaffold: A `Scaffold` with init ops, saver and the like; a default one if None.
          master: Must be empty.
          config: A `tf.compat.v1.ConfigProto`.
          checkpoint_dir: A directory whose latest checkpoint is restored, if there is one.
          stop_grace_period_secs: Seconds that threads get to stop when it closes.
          checkpoint_filename_with_path: A checkpoint to restore.
          global_step: Where no legacy graph is used: the integer variable that steps count.

        Raises:
          ValueError: Both a directory and a file to restore from are given.
        """
        creator = ChiefSessionCreator(
            scaffold=scaffold,
            master=master,
            config=config,
            checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
        )
        super().__init__(creator, hooks, False, stop_grace_period_secs, global_step)

    def raw_session(self) -> Any:
        """The session that runs without hooks."""
        return self._tf_sess()
