"""The other direction: a Keras callback as a hook of a monitored session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from compat.hooks.base import SessionRunArgs, SessionRunHook

v1 = tf.compat.v1


class CallbackHook(SessionRunHook):
    """Runs a Keras callback (EarlyStopping, CSVLogger, your own …) in a monitored session.

    A run of the session is a batch of training for the callback, and so many runs are an
    epoch. `stop_training` stops the session.

    Example:
      >>> stop = keras.callbacks.EarlyStopping(monitor="loss", patience=3)
      >>> hooks = [compat.CallbackHook(stop, model=model, steps_per_epoch=100)]
    """

    def __init__(
        self,
        keras_callback: Any,
        model: Any = None,
        steps_per_epoch: int = 1,
        logs: Mapping[str, Any] | None = None,
    ):
        """Wraps a callback.

        Args:
          keras_callback: A Keras 3 or Keras 2 callback.
          model: The Keras model for the callback. Without one it gets a stand-in that can
            only be asked to stop.
          steps_per_epoch: Runs in an epoch. An epoch's logs are the means over its runs.
          logs: Names for the callback -> scalar tensors or names to fetch. Without it, the
            logs are the scalars that the loop itself fetches or its step returns, under
            their own names, and a graph's tensor `loss:0`.

        Raises:
          ValueError: `steps_per_epoch` isn't positive.
        """
        if steps_per_epoch < 1:
            raise ValueError(f"steps_per_epoch must be positive; got {steps_per_epoch}.")
        self._callback = keras_callback
        self._trained = _StandIn() if model is None else model
        self._per_epoch = steps_per_epoch
        self._wanted = None if logs is None else dict(logs)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Training begins."""
        try:
            session.graph.get_tensor_by_name("loss:0")
            self._usual = {"loss": "loss:0"}
        except (KeyError, ValueError):
            self._usual = {}
        self._batch = self._epoch = 0
        self._sums: dict[str, float] = {}
        self._trained.stop_training = False
        self._callback.set_params({"epochs": None, "steps": self._per_epoch, "verbose": 0})
        with tf.__internal__.eager_context.eager_mode():
            self._callback.set_model(self._trained)
            self._callback.on_train_begin()

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """A batch begins, and an epoch with its first."""
        with tf.__internal__.eager_context.eager_mode():
            if self._batch == 0:
                self._callback.on_epoch_begin(self._epoch)
            self._callback.on_train_batch_begin(self._batch)
        return SessionRunArgs(self._fetches(run_context))

    def _fetches(self, run_context: Any) -> Any:
        if self._wanted is not None:
            return self._wanted
        return [run_context.original_args.fetches, self._usual]

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """A batch ends, and an epoch with its last."""
        logs = scalars(self._fetches(run_context), run_values.results)
        for name, value in logs.items():
            self._sums[name] = self._sums.get(name, 0.0) + value
        with tf.__internal__.eager_context.eager_mode():
            self._callback.on_train_batch_end(self._batch, logs)
            self._batch += 1
            if self._batch == self._per_epoch:
                self._end_epoch()
        if self._trained.stop_training:
            run_context.request_stop()

    def end(self, session: Any) -> None:
        """Training ends, and an epoch that was cut short."""
        with tf.__internal__.eager_context.eager_mode():
            if self._batch:
                self._end_epoch()
            self._callback.on_train_end()

    def _end_epoch(self) -> None:
        means = {name: total / self._batch for name, total in self._sums.items()}
        self._callback.on_epoch_end(self._epoch, means)
        self._epoch += 1
        self._batch = 0
        self._sums = {}


class _StandIn:
    """A model for callbacks that only ask it to stop."""

    stop_training = False

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"The callback needs the model's {name!r}: pass it, CallbackHook(callback, model=…)."
        )


def scalars(fetches: Any, values: Any) -> dict[str, float]:
    """The numbers among fetched values, by name.

    Args:
      fetches: What was fetched: graph elements, names, steps, or nested structures of them.
      values: The values, in the same structure.

    Returns:
      Name -> number: dict keys and fields as they are, tensors by their operation's name.
    """
    found: dict[str, float] = {}

    def walk(fetch: Any, value: Any, name: str | None) -> None:
        if isinstance(value, Mapping):
            for key, item in value.items():
                inner = fetch.get(key) if isinstance(fetch, Mapping) else None
                walk(inner, item, str(key))
        elif hasattr(value, "_asdict"):
            inner = fetch._asdict() if hasattr(fetch, "_asdict") else None
            walk(inner, value._asdict(), name)
        elif isinstance(value, (list, tuple)):
            parts = fetch if isinstance(fetch, (list, tuple)) else [None] * len(value)
            for part, item in zip(parts, value, strict=True):
                walk(part, item, None)
        else:
            own = name or _name_of(fetch)
            number = isinstance(value, (int, float, np.number, np.ndarray))
            if own and number and np.ndim(value) == 0 and not np.iscomplexobj(value):
                found.setdefault(own, float(value))

    walk(fetches, values, None)
    return found


def _name_of(fetch: Any) -> str | None:
    if isinstance(fetch, str):
        return fetch.partition(":")[0]
    name = getattr(fetch, "name", None)
    if isinstance(name, str):
        return name.partition(":")[0]
    return "output" if callable(fetch) else None
