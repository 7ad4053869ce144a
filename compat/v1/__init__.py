"""TF1's namespace for legacy scripts: `import compat.v1 as tf`, and nothing else changes.

Everything that `tf.compat.v1` has is here, with this package's sessions and hooks in
their places. The first name that builds a graph puts a default graph in place; until
then, TensorFlow stays as it is, but for oneDNN.

TensorFlow 2 takes oneDNN's kernels on CPUs that have certain instructions; they round
otherwise than TF1's. Imported before TensorFlow, this module turns them off, so that a
script's losses stay the same on every CPU; `TF_ENABLE_ONEDNN_OPTS=1` leaves them on.
"""

from __future__ import annotations

import importlib
import os as _os
from typing import Any

_os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import tensorflow as _tensorflow

from compat.v1 import graph_mode as _graph_mode
from compat.v1.missing import taken as _taken
from compat.v1.namespace import seen as _seen

_base = _tensorflow.compat.v1

#: Modules of this package that come before TensorFlow's of the same name.
_OWN_MODULES = frozenset(["contrib", "estimator", "keras", "layers", "nn"])

__version__ = _base.__version__


def disable_v2_behavior() -> None:
    """Puts TF1's default graph in place; TensorFlow itself stays eager."""
    _graph_mode.enter()


def disable_eager_execution() -> None:
    """Puts TF1's default graph in place; TensorFlow itself stays eager."""
    _graph_mode.enter()


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Takes the default graph away; the arguments of TF1 are accepted and not needed."""
    _graph_mode.leave()


def enable_v2_behavior() -> None:
    """Takes the default graph away."""
    _graph_mode.leave()


def __getattr__(name: str) -> Any:
    if name in _OWN_MODULES:
        return importlib.import_module(f"compat.v1.{name}")
    if name == "python":  # TF 1.15 shows its private package there.
        return importlib.import_module("compat.v1.paths").private_module("tensorflow.python")
    path = f"compat.v1.{name}"
    return _seen(_taken(_base, name, path), path)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_base)})
