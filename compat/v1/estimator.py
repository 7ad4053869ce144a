"""TF1's namespace `tf.estimator`: estimators, and the hooks under their names there."""

from __future__ import annotations

import importlib
from typing import Any

import compat

#: Hooks and what belongs to them, which TF1 also offers under `tf.train`.
_HOOKS = [
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "FeedFnHook",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "LoggingTensorHook",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "ProfilerHook",
    "SecondOrStepTimer",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
]


def __getattr__(name: str) -> Any:
    if name in _HOOKS:
        return getattr(compat, name)
    if name.startswith("__"):
        raise AttributeError(name)
    estimators = importlib.import_module("compat.estimator")
    try:
        return getattr(estimators, name)
    except AttributeError:
        raise AttributeError(f"module 'tf.estimator' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    estimators = importlib.import_module("compat.estimator")
    return sorted({*globals(), *_HOOKS, *estimators.__all__})
