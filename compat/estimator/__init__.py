"""Estimators without TensorFlow's: `tf.estimator` on eager TensorFlow 2.

TF 2.16 removed `tf.estimator`. This package stands for it: a `model_fn` is built into a
graph of TF1's kind and run by this package's sessions, hooks included, while TensorFlow
itself stays eager. Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any

#: Public name -> the module that has it.
_HOMES = {
    "BestExporter": "exporters",
    "DNNClassifier": "canned.estimators",
    "DNNLinearCombinedClassifier": "canned.estimators",
    "DNNLinearCombinedRegressor": "canned.estimators",
    "DNNRegressor": "canned.estimators",
    "Estimator": "estimator",
    "EstimatorSpec": "spec",
    "EvalSpec": "specs",
    "Exporter": "exporters",
    "FinalExporter": "exporters",
    "LatestExporter": "exporters",
    "LinearClassifier": "canned.estimators",
    "LinearRegressor": "canned.estimators",
    "ModeKeys": "mode_keys",
    "RunConfig": "run_config",
    "TrainSpec": "specs",
    "VocabInfo": "warm_start",
    "WarmStartSettings": "warm_start",
    "experimental": None,
    "export": None,
    "inputs": None,
    "tpu": None,
    "train_and_evaluate": "train_eval_loop",
}

__all__ = sorted(_HOMES)


def _reason(name: str) -> str | None:
    """What the symbol table says of a name of TF1's that this package doesn't have."""
    from compat.migrate import lookup

    text = lookup.refusal(name)
    return text and f"{text} See migration_guide/estimators.md, 'Ready-made estimators'."


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(
            _reason(f"estimator.{name}") or f"module 'compat.estimator' has no attribute {name!r}"
        )
    home = _HOMES[name]
    if home is None:
        return importlib.import_module(f"compat.estimator.{name}")
    value = getattr(importlib.import_module(f"compat.estimator.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
