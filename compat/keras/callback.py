"""Hooks as Keras callbacks: the base that makes a hook one, and wrappers for other hooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import keras


class LoopCallback(keras.callbacks.Callback):
    """A callback that puts hooks around the steps of a loop.

    It owns no public attribute: legacy hooks set `self.model` and `self.params` to things
    of their own, or have a read-only property of that name, and skip `super().__init__()`.
    """

    model = None
    params = None
    async_safe = True

    # Read by Keras 2.
    _chief_worker_only = None
    _supports_tf_logs = True

    if not TYPE_CHECKING:  # What follows in the order of bases has arguments of its own.

        def __init__(self) -> None:
            """Keeps nothing; Keras's own constructor would set public attributes."""

    def set_model(self, model: Any) -> None:
        """Keras tells which model runs."""
        self.__dict__["_compat_model"] = model
        if model is not None and keras.backend.backend() == "tensorflow":
            from compat.keras.keras2 import prepare

            prepare(model)

    def set_params(self, params: Any) -> None:
        """Keras tells how it runs, which hooks have no use for."""

    def on_train_begin(self, logs: Any = None) -> None:
        """`fit` starts."""
        self._join("train")

    def on_train_end(self, logs: Any = None) -> None:
        """`fit` has ended without an error."""
        self._finish("train")

    def on_test_begin(self, logs: Any = None) -> None:
        """`evaluate`, or the validation inside `fit`, starts."""
        self._join("test")

    def on_test_end(self, logs: Any = None) -> None:
        """`evaluate`, or the validation inside `fit`, has ended."""
        self._finish("test")

    def on_predict_begin(self, logs: Any = None) -> None:
        """`predict` starts."""
        self._join("predict")

    def on_predict_end(self, logs: Any = None) -> None:
        """`predict` has ended."""
        self._finish("predict")

    def _compat_hooks(self) -> list[Any]:
        return [self]

    def _compat_settings(self) -> dict[str, Any]:
        return {}

    def _join(self, mode: str) -> None:
        if keras.backend.backend() != "tensorflow":
            raise RuntimeError(
                f"Hooks need Keras on TensorFlow; its backend is {keras.backend.backend()!r}. "
                "Set the environment variable KERAS_BACKEND=tensorflow before importing keras."
            )
        from compat.keras.loop import KerasLoop

        model = self.__dict__["_compat_model"]
        KerasLoop.join(model, mode, self._compat_hooks(), **self._compat_settings())

    def _finish(self, mode: str) -> None:
        from compat.keras.loop import KerasLoop

        KerasLoop.finish(self.__dict__["_compat_model"], mode, self._compat_hooks())

    def _implements_train_batch_hooks(self) -> bool:
        return False

    def _implements_test_batch_hooks(self) -> bool:
        return False

    def _implements_predict_batch_hooks(self) -> bool:
        return False


class HookCallback(LoopCallback):
    """Passes hooks of any origin to a Keras loop.

    Hooks of this package are callbacks themselves; TensorFlow's own hook classes, user
    subclasses of them, and objects that just have the five methods need this wrapper. It
    also takes what a session would be given besides hooks.

    Example:
      >>> hook = tf.compat.v1.train.StopAtStepHook(last_step=10)
      >>> callbacks = [compat.HookCallback(hook, checkpoint_dir=None)]
    """

    def __init__(self, hooks: Any, scaffold: Any = None, checkpoint_dir: str | None = None):
        """Wraps hooks.

        Args:
          hooks: A hook or a sequence of hooks.
          scaffold: A `Scaffold` with a saver or summary op of its own.
          checkpoint_dir: If it has a checkpoint, the loop starts from the latest one:
            weights, optimizer state and step.
        """
        many = isinstance(hooks, (list, tuple))
        self._hooks = list(hooks) if many else [hooks]
        self._settings = {"scaffold": scaffold, "checkpoint_dir": checkpoint_dir}

    def _compat_hooks(self) -> list[Any]:
        return self._hooks

    def _compat_settings(self) -> dict[str, Any]:
        return self._settings


def as_callbacks(hooks: Sequence[Any]) -> list[Any]:
    """Makes every hook of a list something that Keras accepts.

    Args:
      hooks: Hooks of any origin; Keras callbacks among them stay as they are.

    Returns:
      A list of callbacks, in the same order.
    """
    return [
        hook if isinstance(hook, keras.callbacks.Callback) else HookCallback(hook) for hook in hooks
    ]
