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
    if name == "__all__":
        return [*_HOOKS, *importlib.import_module("compat.estimator").__all__]
    if name in _HOOKS:
        return getattr(compat, name)
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module("compat.estimator"), name)


def __dir__() -> list[str]:
    estimators = importlib.import_module("compat.estimator")
    return sorted({*globals(), *_HOOKS, *estimators.__all__})
