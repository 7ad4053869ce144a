"""Hooks around the steps of one `fit`, `evaluate` or `predict`.

The model's step function is replaced for the time of the loop, so RUN sits exactly
between `before_run` and `after_run`. Hooks begin at the first step, when the model and
its data are known, and all hooks of a loop share one session.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat.keras.batches import peeked
from compat.keras.building import build
from compat.keras.kept import kept
from compat.keras.keras2 import plain_function
from compat.keras.ready import SessionSetup
from compat.keras.reentry import install as allow_keras_calls
from compat.keras.reentry import package_of
from compat.keras.step import KerasStep
from compat.keras.taps import FUNCTIONS, MAKERS
from compat.keras.vocabulary import ModelNames
from compat.keras.workers import for_this_process
from compat.loop import HookLoop
from compat.sessions.session import Session

v1 = tf.compat.v1

#: Attributes by which Keras is asked to end each kind of loop.
_STOP_FLAGS = {"train": "stop_training", "test": "stop_evaluating", "predict": "stop_predicting"}


class _Going(int):
    """A false stop flag of our own: Keras puts a plain False in its place at each start."""


class KerasLoop:
    """One running `fit`, `evaluate` or `predict` with hooks.

    Attributes:
      hooks: The hooks, in the order of the callbacks.
      setup: How their session gets ready.
      in_hooks: Whether a step with hooks, or their `end`, is going on.
    """

    def __init__(self, model: Any, mode: str):
        """Puts itself in the place of the model's step function.

        Args:
          model: The model.
          mode: "train", "test" or "predict".
        """
        self._model = model
        self._mode = mode
        self.hooks: list[Any] = []
        self.setup = SessionSetup()
        self._started = False
        self.in_hooks = False
        self._session: Any = None
        self._going = _Going(0)
        setattr(model, _STOP_FLAGS[mode], self._going)
        if getattr(model, FUNCTIONS[mode], None) is None:
            getattr(model, MAKERS[mode])()
        self._plain = plain_function(getattr(model, FUNCTIONS[mode]))
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
        running = kept(model).loops
        if mode == "test" and "train" in running and running["train"].holds(hooks):
            return  # The validation inside fit is no loop of the hooks' own.
        loop = running.get(mode)
        if loop is None or loop._started or loop._is_stale():
            if loop is not None:
                loop._abandon()
            allow_keras_calls(package_of(model))
            loop = running[mode] = cls(model, mode)
        loop.hooks.extend(hooks)
        loop.setup.merge(scaffold, checkpoint_dir)

    @classmethod
    def finish(cls, model: Any, mode: str, hooks: Sequence[Any]) -> None:
        """Ends the loop that `hooks` are in; the first hook to say so ends it for all."""
        loop = kept(model).loops.get(mode)
        if loop is not None and loop.holds(hooks):
            loop._end()

    def holds(self, hooks: Sequence[Any]) -> bool:
        """Whether these hooks are in this loop."""
        return all(any(own is hook for own in self.hooks) for hook in hooks)

    def _is_stale(self) -> bool:
        """Whether Keras has started another loop since, so that this one died unseen."""
        return getattr(self._model, _STOP_FLAGS[self._mode]) is False

    def _start(self, data: Any) -> Any:
        """Begins the hooks; returns what to use in place of `data`."""
        self._started = True
        specs, data = peeked(data)
        build(self._model, self._mode, specs)
        names = ModelNames(self._model, self._mode, specs)
        self._step = KerasStep(self._model, self._mode, self._plain, names)
        self._graph = names.graph
        self._loop = HookLoop(for_this_process(self._model, self.hooks))
        for hook in self.hooks:
            self.setup.adopt(getattr(hook, "_scaffold", None))
        self._coord = v1.train.Coordinator(clean_stop_exception_types=[])
        with self._graph.as_default():
            self._loop.begin()
            self.setup.finalize(self._graph)
            self._session = Session(graph=self._graph)
            # Every worker goes on from what the chief's hooks saved.
            savers = self.hooks if self._mode == "train" else ()
            self.setup.make_ready(self._session, self._coord, savers)
            self._loop.after_create_session(self._session, self._coord)
        return data

    def _run(self, data: Any) -> Any:
        """Stands in for the model's step function."""
        if self.in_hooks:  # A hook trains the model by itself.
            return self._plain(data)
        if self._is_stale():
            self._abandon()
            return self._plain(data)
        self.in_hooks = True
        try:
            return self._run_hooked(data)
        except (StopIteration, tf.errors.OutOfRangeError):
            raise
        except BaseException:
            self._abandon()
            raise
        finally:
            self.in_hooks = False

    def _run_hooked(self, data: Any) -> Any:
        if not self._started:
            data = self._start(data)
        if self._should_stop():
            raise StopIteration  # A loop that has no flag to stop it by.
        self._step.data = data
        with self._graph.as_default():
            self._loop.run(self._session, self._run_step, self._step)
        self._coord.raise_requested_exception()
        if self._should_stop():
            setattr(self._model, _STOP_FLAGS[self._mode], True)
        return self._step.logs

    def _run_step(self, fetches: dict, feeds: Any, options: Any, run_metadata: Any) -> dict:
        """RUN: the session's, or just the step if no hook asks for anything."""
        if len(fetches) > 1 or feeds or options.trace_level or options.timeout_in_ms:
            return self._session.run(fetches, feeds, options, run_metadata)
        with tf.__internal__.eager_context.eager_mode():
            _, self._session.step_values = self._step.call({}, frozenset())
        return dict.fromkeys(fetches)

    def _should_stop(self) -> bool:
        return self._loop.should_stop or self._coord.should_stop()

    def _end(self) -> None:
        self.in_hooks = True
        try:
            if not self._started:  # There was no data.
                self._start(None)
            with self._graph.as_default():
                self._loop.end(self._session)
        finally:
            self.in_hooks = False
            self._abandon()

    def _abandon(self) -> None:
        """Gives the model its function back and frees the session."""
        running = kept(self._model).loops
        if running.get(self._mode) is self:
            del running[self._mode]
        if getattr(self._model, FUNCTIONS[self._mode]) == self._run:
            setattr(self._model, FUNCTIONS[self._mode], self._plain)
        flag = _STOP_FLAGS[self._mode]
        if getattr(self._model, flag) is self._going:
            setattr(self._model, flag, False)
        if self._session is not None:
            self._coord.request_stop()
            self._session.close()
