"""Values and errors as plain data (lists, strings), exact enough to compare two runs.

Types count as much as values: a float32 scalar, a 0-d array and a Python float differ.
"""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def describe(value):
    """Returns `value` as nested lists and strings that carry every type and number."""
    kind = type(value).__name__
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        if isinstance(value, np.generic):
            return [f"np.{value.dtype.name}", repr(value.item())]
        return [kind, repr(value)]
    if isinstance(value, np.generic):
        return [f"np.{value.dtype.name}", repr(value.item())]
    if isinstance(value, np.ndarray):
        return ["array", value.dtype.name, list(value.shape), repr(value.tolist())]
    if isinstance(value, v1.ragged.RaggedTensorValue):
        return [kind, describe(value.values), describe(value.row_splits)]
    if isinstance(value, (list, tuple)):
        names = list(getattr(value, "_fields", ()))
        return [kind, *names, [describe(item) for item in value]]
    if isinstance(value, dict):
        factory = getattr(value, "default_factory", None)
        head = kind if factory is None else f"{kind}({factory.__name__})"
        return [head, [[_key(key), describe(item)] for key, item in value.items()]]
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return [kind, [[name, describe(getattr(value, name))] for name in names]]
    if hasattr(type(value), "__attrs_attrs__"):
        names = [field.name for field in type(value).__attrs_attrs__]
        return [kind, [[name, describe(getattr(value, name))] for name in names]]
    if isinstance(value, v1.RunOptions):
        return [kind, value.trace_level, value.timeout_in_ms]
    if isinstance(value, v1.RunMetadata):
        return [kind, "with step stats" if value.step_stats.dev_stats else "without step stats"]
    if isinstance(value, tf.DType):
        return [kind, value.name]
    if isinstance(value, (tf.Tensor, tf.Operation, tf.Variable)):
        return [_graph_kind(value), value.name]
    return [kind]


def _graph_kind(value):
    for kind in (tf.Operation, tf.Tensor, tf.Variable):
        if isinstance(value, kind):
            return kind.__name__
    raise AssertionError(value)


def _key(key):
    """A dict key: hooks and graph elements stand for themselves by name."""
    if isinstance(key, (tf.Tensor, tf.Operation, tf.Variable)):
        return key.name
    return repr(key) if isinstance(key, (str, int, float, bytes, tuple)) else type(key).__name__


#: Errors whose text the test program wrote itself start with this.
OWN = "own error"


def describe_error(error, names=()):
    """What is compared of an exception.

    Args:
      error: The exception.
      names: Names of graph elements; those that the message names are kept.

    Returns:
      The class, the text where this test wrote it, the failed op, and the names which the
      message mentions.
    """
    text = str(error)
    entry = {"class": type(error).__name__}
    own = re.search(OWN + r" [\w.-]+", text)
    if own:
        entry["text"] = own.group()
    if isinstance(error, tf.errors.OpError) and error.op is not None:
        # A sparse placeholder is three; which of them is missed first is open.
        entry["op"] = error.op.name.replace("/indices", "/values")
    mentioned = sorted(name for name in names if re.search(rf"\b{re.escape(name)}\b", text))
    if mentioned and not own:
        entry["mentions"] = mentioned
    return entry
