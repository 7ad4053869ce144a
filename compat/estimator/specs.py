"""`TrainSpec` and `EvalSpec`: what `train_and_evaluate` is to do."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from compat.estimator.exporters import Exporter
from compat.estimator.spec import check_hooks


class TrainSpec(collections.namedtuple("TrainSpec", ["input_fn", "max_steps", "hooks"])):
    """How to train; stands for `tf.estimator.TrainSpec`."""

    __slots__ = ()

    def __new__(cls, input_fn: Callable, max_steps: int | None = None, hooks: Any = None):
        """Checks the settings.

        Args:
          input_fn: The input function.
          max_steps: The global step to stop at; None to go on while the input lasts.
          hooks: Session-run hooks.

        Returns:
          The spec.

        Raises:
          ValueError: `max_steps` is not positive.
          TypeError: `input_fn` can't be called, or a hook is of a wrong type.
        """
        _check_input_fn(input_fn)
        _check_at_least(1, max_steps=max_steps)
        return super().__new__(cls, input_fn, max_steps, check_hooks(hooks))


class EvalSpec(
    collections.namedtuple(
        "EvalSpec",
        ["input_fn", "steps", "name", "hooks", "exporters", "start_delay_secs", "throttle_secs"],
    )
):
    """How to evaluate and export; stands for `tf.estimator.EvalSpec`.

    The same hooks serve every evaluation, and keep their state.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable,
        steps: int | None = 100,
        name: str | None = None,
        hooks: Any = None,
        exporters: Any = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ):
        """Checks the settings.

        Args:
          input_fn: The input function.
          steps: How many batches; all of the input if None.
          name: Tells evaluations on different data apart.
          hooks: Session-run hooks.
          exporters: An `Exporter` or several, called after each evaluation.
          start_delay_secs: Seconds that a separate evaluator waits at first.
          throttle_secs: Seconds between evaluations; checkpoints in between are skipped.

        Returns:
          The spec.

        Raises:
          ValueError: A number is out of its range, or exporters share a name.
          TypeError: Something is of a wrong type.
        """
        _check_input_fn(input_fn)
        _check_at_least(1, steps=steps)
        _check_at_least(0, start_delay_secs=start_delay_secs, throttle_secs=throttle_secs)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"The name of an evaluation must be a string; got {name!r}.")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            check_hooks(hooks),
            _check_exporters(exporters),
            start_delay_secs,
            throttle_secs,
        )


def _check_input_fn(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"input_fn must be callable; got {input_fn!r}.")


def _check_at_least(least: int, **numbers: float | None) -> None:
    for name, value in numbers.items():
        if value is not None and value < least:
            raise ValueError(f"{name} must be {least} or more; got {value!r}.")


def _check_exporters(exporters: Any) -> tuple:
    if not exporters:
        return ()
    exporters = [exporters] if isinstance(exporters, Exporter) else exporters
    if not all(isinstance(exporter, Exporter) for exporter in exporters):
        raise TypeError(f"exporters must be one Exporter or several; got {exporters!r}.")
    names = [exporter.name for exporter in exporters]
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise ValueError(f"Exporters must have different names that aren't empty; got {names}.")
    return tuple(exporters)
