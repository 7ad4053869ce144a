"""Hooks around the steps of one `fit`, `evaluate` or `predict`.

The model's step function is replaced for the time of the loop, so RUN sits exactly
between `before_run` and `after_run`. Hooks begin at the first step, when the model and
its data are known, and all hooks of a loop share one session.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat.keras.reentry import install as allow_keras_calls
from compat.keras.step import KerasStep
from compat.keras.taps import FUNCTIONS, MAKERS
from compat.keras.vocabulary import ModelNames
from compat.loop import HookLoop
from compat.sessions.scaffold import Scaffold
from compat.sessions.session import Session

v1 = tf.compat.v1

#: Attributes by which Keras is asked to end each kind of loop.
_STOP_FLAGS = {"train": "stop_training", "test": "stop_evaluating", "predict": "stop_predicting"}

_loops: weakref.WeakKeyDictionary[Any, dict[str, KerasLoop]] = weakref.WeakKeyDictionary()


class _Going(int):
    """A false stop flag of our own: Keras puts a plain False in its place at each start."""


class KerasLoop:
    """One running `fit`, `evaluate` or `predict` with hooks.

    Attributes:
      hooks: The hooks, in the order of the callbacks.
    """

    def __init__(self, model: Any, mode: str):
        self._model = model
        self._mode = mode
        self.hooks: list[Any] = []
        self._scaffold: Any = None
        self._checkpoint_dir: str | None = None
        self._started = False
        self._going = _Going(0)
        setattr(model, _STOP_FLAGS[mode], self._going)
        if getattr(model, FUNCTIONS[mode]) is None:
            getattr(model, MAKERS[mode])()
        self._plain = getattr(model, FUNCTIONS[mode])
        setattr(model, FUNCTIONS[mode], self._run)

    @classmethod
    def join(
        cls,
        model: Any,
        mode: str,
        hooks: Sequence[Any],
        scaffold: Any = None,
        checkpoint_dir: str | None = None,
    ) -> None:
        """Adds hooks to the loop that is starting on `model`."""
        running = _loops.setdefault(model, {})
        if mode == "test" and "train" in running and running["train"].holds(hooks):
            return  # The validation inside fit is no loop of the hooks' own.
        loop = running.get(mode)
        if loop is None or loop._started or loop._is_stale():
            if loop is not None:
                loop._abandon()
            allow_keras_calls()
            loop = running[mode] = cls(model, mode)
        loop.hooks.extend(hooks)
        loop._scaffold = scaffold or loop._scaffold
        loop._checkpoint_dir = checkpoint_dir or loop._checkpoint_dir

    @classmethod
    def finish(cls, model: Any, mode: str, hooks: Sequence[Any]) -> None:
        """Ends the loop that `hooks` are in; the first hook to say so ends it for all."""
        loop = _loops.get(model, {}).get(mode)
        if loop is not None and loop.holds(hooks):
            loop._end()

    def holds(self, hooks: Sequence[Any]) -> bool:
        """Whether these hooks are in this loop."""
        return all(any(own is hook for own in self.hooks) for hook in hooks)

    def _is_stale(self) -> bool:
        """Whether Keras has started another loop since, so that this one died unseen."""
        return getattr(self._model, _STOP_FLAGS[self._mode]) is False

    def _start(self, data: Any) -> None:
        self._started = True
        optimizer = getattr(self._model, "optimizer", None)
        if optimizer is not None and not optimizer.built:
            optimizer.build(self._model.trainable_variables)
        self.hooks = _for_this_process(self.hooks)
        names = ModelNames(self._model, _element_spec(data))
        self._step = KerasStep(self._model, self._mode, self._plain, names)
        self._graph = names.graph
        self._loop = HookLoop(self.hooks)
        self._coord = v1.train.Coordinator(clean_stop_exception_types=[])
        with self._graph.as_default():
            self._loop.begin()
            scaffold = self._scaffold or Scaffold(
                init_op=tf.no_op(), ready_op=tf.constant([], tf.string), local_init_op=tf.no_op()
            )
            scaffold.finalize()
            self._session = Session(graph=self._graph)
            self._restore(scaffold)
            self._loop.after_create_session(self._session, self._coord)

    def _restore(self, scaffold: Any) -> None:
        self._session.run(scaffold.local_init_op)
        path = self._checkpoint_dir and tf.train.latest_checkpoint(self._checkpoint_dir)
        if path:
            scaffold.saver.restore(self._session, path)
        elif self._scaffold is not None and scaffold.init_fn is not None:
            scaffold.init_fn(self._session)

    def _run(self, data: Any) -> Any:
        """Stands in for the model's step function."""
        if self._is_stale():
            self._abandon()
            return self._plain(data)
        try:
            if not self._started:
                self._start(data)
            if self._coord.should_stop() or self._loop.should_stop:
                raise StopIteration  # A loop that has no flag to stop it by.
            self._step.data = data
            with self._graph.as_default():
                self._loop.run(self._session, self._session.run, self._step)
            self._coord.raise_requested_exception()
        except (StopIteration, tf.errors.OutOfRangeError):
            raise
        except BaseException:
            self._abandon()
            raise
        if self._loop.should_stop or self._coord.should_stop():
            setattr(self._model, _STOP_FLAGS[self._mode], True)
        return self._step.logs

    def _end(self) -> None:
        try:
            if not self._started:
                self._start(None)
            with self._graph.as_default():
                self._loop.end(self._session)
        finally:
            self._abandon()

    def _abandon(self) -> None:
        """Gives the model its function back and frees the session."""
        running = _loops.get(self._model, {})
        if running.get(self._mode) is self:
            del running[self._mode]
        if getattr(self._model, FUNCTIONS[self._mode]) == self._run:
            setattr(self._model, FUNCTIONS[self._mode], self._plain)
        flag = _STOP_FLAGS[self._mode]
        if getattr(self._model, flag) is self._going:
            setattr(self._model, flag, False)
        session = getattr(self, "_session", None)
        if session is not None:
            self._coord.request_stop()
            session.close()


def _element_spec(data: Any) -> Any:
    """The specs of one batch, from an iterator or from a list of batches."""
    if isinstance(data, list):
        data = data[0] if data else None
        return None if data is None else tf.nest.map_structure(tf.type_spec_from_value, data)
    return getattr(data, "element_spec", None)


def _for_this_process(hooks: list[Any]) -> list[Any]:
    """Under a strategy of several workers, the chief alone writes files."""
    resolver = tf.distribute.get_strategy().cluster_resolver
    if resolver is None or not resolver.task_type:
        return hooks
    chief = resolver.task_type == "chief" or (
        resolver.task_type == "worker"
        and not resolver.cluster_spec().as_dict().get("chief")
        and resolver.task_id == 0
    )
    return hooks if chief else [hook for hook in hooks if not isinstance(hook, _chief_only())]


def _chief_only() -> tuple[type, ...]:
    train = v1.train
    return (
        train.CheckpointSaverHook,
        train.SummarySaverHook,
        train.StepCounterHook,
        train.ProfilerHook,
    )
