"""Views of TensorFlow's modules in which this package's classes stand in for TF1's."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any

import tensorflow as tf

import compat
from compat.sessions import servers
from compat.v1 import graph_mode
from compat.v1.missing import taken

v1 = tf.compat.v1

#: Modules whose functions build no graph, so that using them needs no default graph.
_NEUTRAL_MODULES = frozenset(
    [
        "app",
        "compat",
        "config",
        "distribute",
        "dtypes",
        "errors",
        "estimator",
        "flags",
        "gfile",
        "logging",
        "mixed_precision",
        "profiler",
        "python_io",
        "resource_loader",
        "saved_model",
        "sysconfig",
        "test",
        "tools",
        "types",
        "version",
    ]
)

#: Functions of other modules that build no graph.
_NEUTRAL_NAMES = frozenset(
    [
        "as_dtype",
        "checkpoint_exists",
        "disable_v2_behavior",
        "enable_v2_behavior",
        "executing_eagerly",
        "executing_eagerly_outside_functions",
        "function",
        "get_checkpoint_mtimes",
        "get_checkpoint_state",
        "get_logger",
        "init_scope",
        "is_tensor",
        "latest_checkpoint",
        "list_variables",
        "load_checkpoint",
        "load_variable",
        "remove_checkpoint",
        "summary_iterator",
        "update_checkpoint_state",
        "wrap_function",
        "NewCheckpointReader",
        "enable_control_flow_v2",
        "disable_control_flow_v2",
        "control_flow_v2_enabled",
        "enable_resource_variables",
        "disable_resource_variables",
        "resource_variables_enabled",
        "enable_tensor_equality",
        "disable_tensor_equality",
        "enable_v2_tensorshape",
        "disable_v2_tensorshape",
        "import_graph_def",
        "load_op_library",
        "load_file_system_library",
        "py_function",
        "get_static_value",
        "register_tensor_conversion_function",
    ]
)

#: Modules whose classes create tensors as soon as they are used.
_BUILDING_MODULES = frozenset(["data", "distributions", "linalg", "lookup", "queue"])

#: Other classes that do so, or that change the default graph's state.
_BUILDING_CLASSES = frozenset(
    [
        "ConditionalAccumulator",
        "FIFOQueue",
        "FileWriter",
        "FixedLengthRecordReader",
        "IdentityReader",
        "LMDBReader",
        "PaddingFIFOQueue",
        "PriorityQueue",
        "RandomShuffleQueue",
        "SparseConditionalAccumulator",
        "SparseTensor",
        "TFRecordReader",
        "TensorArray",
        "TextLineReader",
        "Variable",
        "WholeFileReader",
        "name_scope",
        "variable_scope",
    ]
)

#: Names of `compat` that replace TensorFlow's class of the same name in `train`.
_REPLACED = [
    "CheckpointSaverHook",
    "ChiefSessionCreator",
    "FeedFnHook",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "LoggingTensorHook",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "NanTensorHook",
    "ProfilerHook",
    "Scaffold",
    "SessionManager",
    "SessionRunHook",
    "SingularMonitoredSession",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "WorkerSessionCreator",
]


def _replacements() -> dict[int, Any]:
    """Identities of TensorFlow's objects -> what stands in for them, on every path."""
    pairs = {id(v1.Session): compat.Session, id(v1.InteractiveSession): compat.InteractiveSession}
    for name in _REPLACED:
        pairs[id(getattr(v1.train, name))] = getattr(compat, name)
    pairs[id(v1.reset_default_graph)] = graph_mode.reset_default_graph
    pairs[id(v1.train.Server)] = servers.Server
    pairs[id(v1.train.replica_device_setter)] = servers.replica_device_setter
    return pairs


_table: dict[int, Any] = {}


def replaced(value: Any) -> Any:
    """What stands in for a TensorFlow object; the object itself if nothing does."""
    if not _table:
        _table.update(_replacements())
    return _table.get(id(value), value)


def builds_graph(module: str, name: str, value: Any) -> bool:
    """Whether using a name of the TF1 namespace needs a default graph.

    Args:
      module: The module's last name, such as "train"; "" for the top level.
      name: The name in it.
      value: What it stands for.
    """
    if module in _NEUTRAL_MODULES or name in _NEUTRAL_NAMES or not callable(value):
        return False
    if isinstance(value, type):
        return module in _BUILDING_MODULES or name in _BUILDING_CLASSES
    return isinstance(value, types.FunctionType) or hasattr(value, "__wrapped__")


def public(names: list[str]) -> list[str]:
    """Those of a module's names that `from … import *` takes."""
    return [name for name in names if not name.startswith("_")]


class Namespace(types.ModuleType):
    """A view of one TensorFlow module."""

    def __init__(self, name: str, module: Any):
        super().__init__(name, module.__doc__)
        self.__path__: list[str] = []
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":  # What `from … import *` brings; it doesn't call `__dir__`.
            return public(dir(self))
        if name.startswith("__"):
            return getattr(self._module, name)
        path = f"{self.__name__}.{name}"
        return seen(taken(self._module, name, path), path)

    def __dir__(self) -> list[str]:
        return dir(self._module)


def seen(value: Any, path: str) -> Any:
    """What a name of the drop-in namespace gives, a default graph put in place if needed.

    Args:
      value: What TensorFlow has under that name.
      path: The full name in this package, such as `compat.v1.nn.relu`.
    """
    if isinstance(value, types.ModuleType):
        return sys.modules.get(path) or Namespace(path, value)
    module, _, name = path.rpartition(".")
    stand_in = replaced(value)
    # A session made before the first op runs the default graph, which must be there by then.
    makes_session = stand_in is compat.Session or stand_in is compat.InteractiveSession
    builds = stand_in is value and builds_graph(module.rpartition(".")[2], name, value)
    if makes_session or builds:
        graph_mode.enter()
    return stand_in


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes `import compat.v1.nn` work for every module that `tf.compat.v1` has."""

    prefix = "compat.v1."

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """The spec of a module of `tf.compat.v1`; None for other names."""
        if not fullname.startswith(self.prefix) or not self._module(fullname):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def _module(self, fullname: str) -> types.ModuleType | None:
        value: Any = v1
        for part in fullname.removeprefix(self.prefix).split("."):
            value = getattr(value, part, None)
        return value if isinstance(value, types.ModuleType) else None

    def create_module(self, spec: Any) -> types.ModuleType:
        """A namespace over the real module."""
        return Namespace(spec.name, self._module(spec.name))

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run: a namespace looks everything up."""


if not any(isinstance(finder, Finder) for finder in sys.meta_path):
    sys.meta_path.append(Finder())
