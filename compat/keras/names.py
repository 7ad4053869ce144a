"""Names of a Keras model's parts, as hooks ask for them.

Works on Keras 3 and `tf_keras` models alike: `h/kernel:0` is a variable (also under its
full path), `h/output:0` a layer's output, `gradients/h/kernel:0` a gradient, `loss:0`
this batch's loss, `mae:0` a running metric, `x:0`, `y:0` and `sample_weight:0` the batch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow as tf

from compat.engine.vocabulary import GLOBAL_STEP

LEARNING_RATE = "learning_rate"
GRADIENTS = "gradients/"
OUTPUT = "/output"
LOSS = "loss:0"


@dataclasses.dataclass(frozen=True)
class NamedVariable:
    """A variable of a model or its optimizer.

    Attributes:
      name: Its name for hooks, without `":0"`.
      path: Its full path in Keras.
      source: The Keras variable.
      variable: The TensorFlow variable that holds it on this device.
      trainable: Whether the model trains it.
      of_model: Whether it is the model's own rather than the optimizer's.
    """

    name: str
    path: str
    source: Any
    variable: tf.Variable
    trainable: bool
    of_model: bool


def local_variable(variable: Any) -> tf.Variable:
    """The TensorFlow variable behind a Keras or distributed one, on this device."""
    if not isinstance(variable, tf.Variable):
        variable = variable.value
    values = getattr(variable, "values", None)
    return values[0] if isinstance(values, tuple) else variable


def named_variables(model: Any) -> list[NamedVariable]:
    """Every variable of a built model and its optimizer, under distinct names."""
    taken: set[str] = set()
    found: list[NamedVariable] = []
    seen: set[int] = set()

    def add(source: Any, name: str, trainable: bool, of_model: bool) -> None:
        if id(source) in seen or not _is_numeric(source):
            return
        seen.add(id(source))
        unique, count = name, 0
        while unique in taken:
            count += 1
            unique = f"{name}_{count}"
        taken.add(unique)
        found.append(
            NamedVariable(
                unique, _path(source), source, local_variable(source), trainable, of_model
            )
        )

    optimizer = getattr(model, "optimizer", None)
    if optimizer is not None:
        add(optimizer.iterations, GLOBAL_STEP, False, False)
        rate = getattr(innermost(optimizer), "_learning_rate", None)
        if hasattr(rate, "assign"):  # A schedule is no variable.
            add(rate, LEARNING_RATE, False, False)
    trainable = {id(variable) for variable in model.trainable_variables}
    prefix = f"{model.name}/"
    for variable in model.variables:
        name = _path(variable)
        add(variable, name.removeprefix(prefix), id(variable) in trainable, True)
    if optimizer is not None:
        variables = optimizer.variables
        owners = [(named.path, named.name) for named in found if named.of_model]
        for variable in variables() if callable(variables) else variables:
            add(variable, _slot_name(variable, owners), False, False)
    return found


def innermost(optimizer: Any) -> Any:
    """The optimizer that updates the variables, inside one that scales the loss."""
    return getattr(optimizer, "inner_optimizer", optimizer)


def _slot_name(variable: Any, owners: list[tuple[str, str]]) -> str:
    """`h/kernel/momentum` for a slot: without the counters in Keras's own names."""
    path = _path(variable)
    inner = path.partition("/")[2] or path
    for owner_path, owner in owners:
        flat = owner_path.replace("/", "_")
        if inner.startswith(flat + "_"):  # Keras 3: adam_1/sequential_1_h_kernel_momentum
            return f"{owner}/{inner.removeprefix(flat + '_')}"
        if inner == owner_path:  # Keras 2: m/h/kernel
            return f"{owner}/{path.partition('/')[0]}"
    return f"optimizer/{inner}"


def _is_numeric(variable: Any) -> bool:
    return tf.as_dtype(variable.dtype) not in (tf.resource, tf.variant, tf.string)


def _path(variable: Any) -> str:
    return getattr(variable, "path", None) or variable.name.removesuffix(":0")


def named_layers(model: Any) -> dict[str, Any]:
    """Layers of a model, nested ones included, by name and by path."""
    layers: dict[str, Any] = {}

    def walk(owner: Any, path: str) -> None:
        for layer in getattr(owner, "layers", None) or []:
            inner = f"{path}{layer.name}"
            layers.setdefault(layer.name, layer)
            layers.setdefault(inner, layer)
            walk(layer, inner + "/")

    walk(model, "")
    for layer in _all_layers(model):
        layers.setdefault(layer.name, layer)
    return layers


def _all_layers(model: Any) -> Iterator[Any]:
    """Layers inside other layers too, which Keras lists without a public name."""
    flatten = getattr(model, "_flatten_layers", None)
    return iter(flatten(include_self=False)) if flatten else iter(())


def output_names(layers: Mapping[str, Any]) -> list[tuple[Any, str]]:
    """Symbolic outputs of layers (`layer.output`), each with its name (`"h/output:0"`)."""
    named = []
    for name, layer in layers.items():
        for index, output in enumerate(_symbolic_outputs(layer)):
            named.append((output, f"{name}{OUTPUT}:{index}"))
    return named


def output_spec(layer: Any, index: int) -> tf.TensorSpec:
    """What is known of a layer's output before it is called."""
    outputs = _symbolic_outputs(layer)
    if index < len(outputs):
        return tf.TensorSpec(outputs[index].shape, tf.as_dtype(outputs[index].dtype))
    return tf.TensorSpec(None, tf.as_dtype(getattr(layer, "compute_dtype", None) or "float32"))


def _symbolic_outputs(layer: Any) -> list[Any]:
    try:
        return tf.nest.flatten(layer.output)
    except (AttributeError, ValueError, RuntimeError):
        return []  # Not called on symbolic inputs, or on several.


def batch_parts(element: Any, input_names: list[str] | None = None) -> dict[str, Any]:
    """The tensors (or specs) of a batch by name.

    Args:
      element: What the data yields: x, (x, y) or (x, y, sample_weight), each a tensor,
        a dict or a list.
      input_names: Names of the model's inputs, for a list of them.

    Returns:
      `x:0`, `y:0`, `sample_weight:0`, and names of dict keys and of several inputs.
    """
    parts = element if isinstance(element, tuple) else (element,)
    inputs = input_names or []
    named: dict[str, Any] = {}
    for kind, part in zip(("x", "y", "sample_weight"), parts, strict=False):
        if isinstance(part, Mapping):
            for key, value in part.items():
                named[f"{kind}/{key}:0"] = value
                named.setdefault(f"{key}:0", value)
        elif isinstance(part, (list, tuple)):
            for position, value in enumerate(part):
                named[f"{kind}_{position}:0"] = value
                if kind == "x" and position < len(inputs):
                    named.setdefault(f"{inputs[position]}:0", value)
        elif part is not None:
            named[f"{kind}:0"] = part
            if kind == "x" and len(inputs) == 1:
                named.setdefault(f"{inputs[0]}:0", part)
    return {name: part for name, part in named.items() if part is not None}


def batch_spec(value: Any) -> Any:
    """Shape and dtype of one part of a batch, from a value or from its spec."""
    spec = value if isinstance(value, tf.TypeSpec) else tf.type_spec_from_value(value)
    if isinstance(spec, tf.TensorSpec):
        return spec
    # One per replica, or a composite such as a sparse tensor.
    parts = tf.nest.flatten(spec, expand_composites=True)
    return parts[0] if parts and isinstance(parts[0], tf.TensorSpec) else None
