"""TensorFlow 1 session-run hooks, unchanged, on eager TensorFlow 2 and Keras 3.

Names are loaded when they are first used: `import compat` alone does not import
TensorFlow.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

#: Public name -> the module that has it.
_HOMES = {
    "CallbackHook": "compat.hooks.keras_callback",
    "CheckpointSaverHook": "compat.hooks.adapters",
    "CheckpointSaverListener": "compat.hooks.base",
    "ChiefSessionCreator": "compat.sessions.creators",
    "FeedFnHook": "compat.hooks.adapters",
    "FinalOpsHook": "compat.hooks.adapters",
    "GlobalStepWaiterHook": "compat.hooks.adapters",
    "HookCallback": "compat.keras.callback",
    "InteractiveSession": "compat.sessions.session",
    "LoggingTensorHook": "compat.hooks.adapters",
    "MonitoredSession": "compat.sessions.monitored",
    "MonitoredTrainingSession": "compat.sessions.training",
    "NanLossDuringTrainingError": "compat.hooks.base",
    "NanTensorHook": "compat.hooks.adapters",
    "ProfilerHook": "compat.hooks.profiler",
    "Scaffold": "compat.sessions.scaffold",
    "SecondOrStepTimer": "compat.hooks.base",
    "Session": "compat.sessions.session",
    "SessionCreator": "compat.sessions.creators",
    "SessionManager": "compat.sessions.manager",
    "SessionRunArgs": "compat.hooks.base",
    "SessionRunContext": "compat.hooks.base",
    "SessionRunHook": "compat.hooks.base",
    "SessionRunValues": "compat.hooks.base",
    "SingularMonitoredSession": "compat.sessions.monitored",
    "StepCounterHook": "compat.hooks.adapters",
    "StopAtStepHook": "compat.hooks.adapters",
    "SummarySaverHook": "compat.hooks.adapters",
    "WorkerSessionCreator": "compat.sessions.creators",
    "as_callbacks": "compat.keras.callback",
    "load_tf1_checkpoint": "compat.keras.checkpoints",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'compat' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
