"""Hooks and helpers that TF1 has under `tf.estimator.experimental`."""

from typing import Any

from compat.estimator.export.receivers import build_raw_supervised_input_receiver_fn
from compat.hooks.early_stopping import (
    make_early_stopping_hook,
    make_stop_at_checkpoint_step_hook,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from compat.hooks.evaluator import InMemoryEvaluatorHook

__all__ = [
    "InMemoryEvaluatorHook",
    "build_raw_supervised_input_receiver_fn",
    "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]


def __getattr__(name: str) -> Any:
    from compat.estimator import _reason

    raise AttributeError(
        _reason(f"estimator.experimental.{name}")
        or f"module 'compat.estimator.experimental' has no attribute {name!r}"
    )
