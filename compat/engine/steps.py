"""Steps: functions run in place of a train op, and the names of what they compute.

`session.run(train_step)` calls the step once, eagerly. Its outputs are in the session's
vocabulary: the entry `loss` of a returned dict is `"loss:0"`, a bare tensor is
`"output:0"`, and tensors inside a traced step keep the names they have in its graph.
"""

from __future__ import annotations

import abc
import difflib
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from compat import _tf


def is_step(leaf: Any) -> bool:
    """Whether a fetch is a function to call rather than a graph element."""
    return callable(leaf) and not isinstance(leaf, (type, tf.Tensor, tf.Operation, tf.Variable))


def step_key(function: Callable) -> Any:
    """What two mentions of the same step share; bound methods are made anew each time."""
    if isinstance(function, types.MethodType):
        return (id(function.__self__), id(function.__func__))
    return id(function)


#: What a step that `reads_global_step` supplies: the global step before and after it.
STEP_BEFORE, STEP_AFTER = "global step before", "global step after"
_NO_NAMES = (STEP_BEFORE, STEP_AFTER)


def read(variable: tf.Variable) -> tf.Tensor:
    """An eager variable's value, without the bookkeeping for gradients."""
    return tf.raw_ops.ReadVariableOp(resource=variable.handle, dtype=variable.dtype)


class Step(abc.ABC):
    """Something that a run calls once in place of a train op.

    Attributes:
      reads_global_step: Whether it supplies `STEP_BEFORE` and `STEP_AFTER` by itself.
    """

    reads_global_step = False

    @abc.abstractmethod
    def accepts(self, name: str) -> bool:
        """Whether a feed called `name` (without `":0"`) goes to the step."""

    @abc.abstractmethod
    def call(
        self, arguments: Mapping[str, Any], wanted: frozenset[str]
    ) -> tuple[Any, dict[str, Any]]:
        """Runs the step once.

        Args:
          arguments: Fed values by name.
          wanted: Tensor names that hooks or the caller ask for.

        Returns:
          What the step returned, and values by name: all of `wanted`, perhaps more.

        Raises:
          ValueError: Nothing has a wanted name.
        """

    def variables(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Variables that the step uses and the graph doesn't know, by name (`"w:0"`)."""
        return {}


class FunctionStep(Step):
    """A `tf.function` or a plain callable as one step.

    Attributes:
      function: The callable itself.
    """

    def __init__(self, function: Callable):
        self.function = function
        self._parameters = _parameters(function)
        self._tapped: dict[Any, Any] = {}

    def accepts(self, name: str) -> bool:
        """Whether the step takes an argument called `name`."""
        return self._parameters is None or name in self._parameters

    def call(
        self, arguments: Mapping[str, Any], wanted: frozenset[str]
    ) -> tuple[Any, dict[str, Any]]:
        """Runs the step once.

        Args:
          arguments: Values by argument name.
          wanted: Tensor names that hooks or the caller ask for.

        Returns:
          What the step returned, and the values of `wanted` by name.

        Raises:
          ValueError: A name is neither an output nor a tensor of the traced step.
        """
        inside = self._names_inside(arguments, wanted)
        if not inside:
            result = self.function(**arguments)
            values: dict[str, Any] = {}
        else:
            result, values = self._call_tapped(arguments, tuple(sorted(inside)))
        outputs = outputs_by_name(result)
        variables = self.variables(arguments) if wanted - set(outputs) - set(values) else {}
        for name in wanted - set(values):
            if name in outputs:
                values[name] = outputs[name]
            elif name in variables:
                values[name] = variables[name]
            else:
                raise unknown_name(name, [*outputs, *variables])
        # Everything the step returned can be looked up until the next one runs.
        return result, {**outputs, **values}

    def _names_inside(self, arguments: Mapping[str, Any], wanted: frozenset[str]) -> set[str]:
        """Which of `wanted` are tensors inside the traced step and not among its outputs."""
        if not wanted or not hasattr(self.function, "get_concrete_function"):
            return set()
        traced = self._traced(arguments)
        outputs = outputs_by_name(traced.structured_outputs)
        names = set()
        for name in wanted - set(outputs):
            try:
                traced.graph.get_tensor_by_name(name)
            except (KeyError, ValueError):
                continue
            names.add(name)
        return names

    def variables(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The variables of the step's trace for these arguments."""
        if not hasattr(self.function, "get_concrete_function"):
            return {}
        return {variable.name: variable for variable in self._traced(arguments).graph.variables}

    def _traced(self, arguments: Mapping[str, Any]) -> Any:
        return self.function.get_concrete_function(**arguments)  # type: ignore[attr-defined]

    def _call_tapped(self, arguments: Mapping[str, Any], names: tuple[str, ...]):
        traced = self._traced(arguments)
        key = (id(traced), names)
        if key not in self._tapped:
            self._tapped[key] = (traced, _tapped(traced, names))
        _, function = self._tapped[key]
        flat = function(*_tensors(traced, arguments, self._parameters))
        values = dict(zip(names, flat[len(flat) - len(names) :], strict=True))
        result = tf.nest.pack_sequence_as(
            traced.structured_outputs, flat[: len(flat) - len(names)], expand_composites=True
        )
        return result, values


def outputs_by_name(result: Any) -> dict[str, Any]:
    """Names of what a step returned: keys of a dict, fields, positions, or `output`."""
    named: dict[str, Any] = {}

    def walk(value: Any, path: str) -> None:
        if isinstance(value, Mapping):
            for key, item in value.items():
                walk(item, f"{path}/{key}" if path else str(key))
        elif hasattr(value, "_asdict"):
            walk(value._asdict(), path)
        elif isinstance(value, (list, tuple)):
            for position, item in enumerate(value):
                walk(item, f"{path}/{position}" if path else f"output_{position}")
        elif value is not None:
            named[f"{path or 'output'}:0"] = value

    walk(result, "")
    return named


def unknown_name(name: str, known: list[str]) -> ValueError:
    """The error for a name that is not in the vocabulary, with the nearest that are."""
    reason = "nothing in this run has that name"
    if name in known:
        reason = "the step that supplies it has not run yet, or did not make it this time"
    others = [other for other in dict.fromkeys(known) if other not in (name, *_NO_NAMES)]
    nearest = difflib.get_close_matches(name, others, n=5, cutoff=0.4) or sorted(others)[:5]
    return ValueError(
        f"Fetch argument {name!r} cannot be interpreted as a Tensor: {reason}. "
        f"The nearest names are: {', '.join(nearest) or 'none'}."
    )


def as_value(value: Any) -> Any:
    """What a session returns for an eager value: NumPy arrays and scalars in place of tensors."""
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return value.numpy()
    for kind, expand, _, _ in _tf.run_conversions:
        if kind is not object and isinstance(value, kind):
            components, contract = expand(value)
            return contract([as_value(component) for component in components])
    if hasattr(value, "numpy") and not isinstance(value, np.ndarray):
        return value.numpy()
    return value


def as_values(structure: Any) -> Any:
    """A step's result with every tensor turned into NumPy, in its own structure."""
    if isinstance(structure, Mapping):
        kind: Any = type(structure)
        return kind({key: as_values(value) for key, value in structure.items()})
    if hasattr(structure, "_fields"):
        return type(structure)(*[as_values(value) for value in structure])
    if isinstance(structure, (list, tuple)):
        return type(structure)([as_values(value) for value in structure])
    return None if structure is None else as_value(structure)


def _parameters(function: Callable) -> list[str] | None:
    """Argument names, or None if any is taken."""
    target = getattr(function, "python_function", function)
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters]


def _tensors(traced: Any, arguments: Mapping[str, Any], parameters: list[str] | None) -> list:
    """The traced function's flat inputs, in order, from the arguments by name."""
    order = [name for name in parameters or arguments if name in arguments]
    flat = tf.nest.flatten([arguments[name] for name in order], expand_composites=True)
    specs = traced.inputs[: len(traced.inputs) - len(traced.captured_inputs)]
    tensors = [value for value in flat if isinstance(value, (tf.Tensor, np.ndarray, np.generic))]
    return [
        tf.convert_to_tensor(value, spec.dtype) for value, spec in zip(tensors, specs, strict=True)
    ]


def _tapped(traced: Any, names: tuple[str, ...]) -> Any:
    """A function that does what `traced` does and also returns tensors inside it."""
    graph_def = traced.graph.as_graph_def()
    inputs = traced.inputs[: len(traced.inputs) - len(traced.captured_inputs)]
    captures = traced.inputs[len(inputs) :]
    outputs = [tensor.name for tensor in traced.outputs]
    effects = [operation.name for operation in traced.graph.control_outputs]

    def run(*tensors):
        function_graph = tf.compat.v1.get_default_graph()
        mapped = {placeholder.name: t for placeholder, t in zip(inputs, tensors, strict=True)}
        for placeholder, value in zip(captures, traced.captured_inputs, strict=True):
            mapped[placeholder.name] = _tf.capture(function_graph, value)
        elements = tf.graph_util.import_graph_def(
            graph_def,
            input_map=mapped,
            return_elements=[*outputs, *names, *effects],
            name="",
        )
        tensors_out = elements[: len(outputs) + len(names)]
        with tf.control_dependencies(elements[len(tensors_out) :]):
            return [tf.identity(tensor) for tensor in tensors_out]

    specs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in inputs]
    return tf.compat.v1.wrap_function(run, specs)
