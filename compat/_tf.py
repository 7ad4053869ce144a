"""Every private TensorFlow name that the package uses, each with its reason.

All other modules use `tf.*`, `tf.compat.v1.*` and `tf.__internal__.*`. A TensorFlow
upgrade that moves a private name breaks this file and no other.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

# A run must be cancellable from another thread (session close, timeouts). The public
# call path offers no cancellation, and builds Python structures that a run throws away.
from tensorflow.python.client import session as _session
from tensorflow.python.eager import cancellation as _cancellation
from tensorflow.python.eager import context as _context
from tensorflow.python.eager import execute as _execute

# The fast conversion of a NumPy array into an eager tensor of a known dtype.
from tensorflow.python.framework import ops as _ops

# Under which key a graph keeps the read of the step that TensorFlow's own hooks share.
from tensorflow.python.training import training_util as _training_util

#: Collection of the op that TensorFlow's own hooks read the step by: as it was before a run.
GLOBAL_STEP_READ: str = _training_util.GLOBAL_STEP_READ_KEY

CancellationManager = _cancellation.CancellationManager

#: Conversions of SparseTensor, IndexedSlices, RaggedTensor and user-registered types to
#: tensors in `Session.run`; `tf.compat.v1` has the registering function's effect only here.
run_conversions: list[tuple] = _session._REGISTERED_EXPANSIONS

#: The class of eager tensors, to tell them from those of a graph.
EagerTensor = _ops.EagerTensor


def to_eager(array: Any, dtype: tf.DType) -> tf.Tensor:
    """A NumPy array as an eager tensor in host memory."""
    return _ops.EagerTensor(array, device=None, dtype=dtype.as_datatype_enum)


def ensure_context() -> None:
    """Initializes the eager runtime, which `to_eager` takes for granted."""
    _context.context().ensure_initialized()


def execution_name(function: Any) -> str:
    """The runtime name under which a ConcreteFunction can be executed."""
    return function._inference_function.name.decode()


def call_attributes(optimized: bool = True) -> tuple:
    """Attributes that every function call carries.

    Args:
      optimized: Whether the graph optimizer works on the function, which pays off from
        the second call on.
    """
    attributes: list[Any] = []
    for name, value in _context.context().function_call_options.as_attrs().items():
        if name == "config_proto" and not optimized:
            config = tf.compat.v1.ConfigProto.FromString(value)
            config.graph_options.rewrite_options.disable_meta_optimizer = True
            value = config.SerializeToString()
        attributes += [name, value]
    return tuple(attributes)


def execute(
    name: str, num_outputs: int, inputs: list, attributes: tuple, cancellation: Any
) -> list[tf.Tensor]:
    """Runs a function of the eager runtime on eager tensors, cancellably.

    Args:
      name: The function's runtime name.
      num_outputs: How many tensors it returns.
      inputs: Eager tensors, in the order of the function's arguments.
      attributes: From `call_attributes`.
      cancellation: A `CancellationManager`.

    Returns:
      The eager tensors that the function returned.

    Raises:
      tf.errors.OpError: What the function failed with.
    """
    return _execute.execute_with_cancellation(
        name, num_outputs, inputs, attributes, _context.context(), cancellation
    )


def capture(graph: Any, tensor: tf.Tensor) -> tf.Tensor:
    """Makes an eager tensor an extra input of a function graph under construction."""
    return graph.capture(tensor)


def function_definition(name: str) -> Any:
    """The FunctionDef of a function of the eager runtime, or None; traces name functions."""
    try:
        return _context.context().get_function_def(name)
    except tf.errors.NotFoundError:
        return None


def new_xspace() -> Any:
    """An empty XSpace, the proto in which the profiler hands out what it recorded."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    return xplane_pb2.XSpace()


def profiler_is_running() -> bool:
    """Whether this process has a `tf.profiler` session; starting a second one breaks both."""
    from tensorflow.python.profiler import profiler_v2

    return profiler_v2._profiler is not None
