"""Names of a Keras model's parts, as hooks ask for them.

Works on Keras 3 and `tf_keras` models alike: `h/kernel:0` is a variable (also under its
full path), `h/output:0` a layer's output, `gradients/h/kernel:0` a gradient, `loss:0`
this batch's loss, `mae:0` a running metric, `x:0`, `y:0` and `sample_weight:0` the batch.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow as tf

from compat.engine.vocabulary import GLOBAL_STEP
from compat.keras.reentry import package_of

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
        add(step_counter(optimizer), GLOBAL_STEP, False, False)
        inner = innermost(optimizer)
        kept = hasattr(inner, "_learning_rate")
        rate = inner._learning_rate if kept else inner.learning_rate
        if hasattr(rate, "assign"):  # A schedule is no variable.
            add(rate, LEARNING_RATE, False, False)
    trainable = {id(variable) for variable in model.trainable_variables}
    prefix = f"{model.name}/"
    for variable in model.variables:
        name = _path(variable)
        add(variable, name.removeprefix(prefix), id(variable) in trainable, True)
    owners = [(named.path, named.name) for named in found if named.of_model]
    for optimizer in optimizers(model):
        for variable in variables_of(optimizer):
            add(variable, _slot_name(variable, owners), False, False)
    return found


def short_names(variables: list[NamedVariable]) -> dict[str, str]:
    """Names of nested layers' variables without the layers around: `h/kernel`.

    Returns:
      Name -> short name, for those that only one variable can mean.
    """
    taken = {key for variable in variables for key in (variable.name, variable.path)}
    short = {v.name: "/".join(v.path.split("/")[-2:]) for v in variables if v.of_model}
    times = collections.Counter(short.values())
    return {name: key for name, key in short.items() if times[key] == 1 and key not in taken}


def optimizers(model: Any) -> list[Any]:
    """The model's optimizer, and others that it holds for a training step of its own."""
    held = [getattr(model, "optimizer", None), *_held(vars(model))]
    found = {id(item): item for item in held if hasattr(item, "apply_gradients")}
    return list(found.values())


def _held(attributes: Mapping[str, Any]) -> list[Any]:
    """Attributes, and what is in lists and dicts among them."""
    values: list[Any] = []
    for value in attributes.values():
        if isinstance(value, Mapping):
            values.extend(value.values())
        elif isinstance(value, (list, tuple)):
            values.extend(value)
        else:
            values.append(value)
    return values


def variables_of(optimizer: Any) -> list[Any]:
    """An optimizer's variables, those of one inside it included."""
    variables = optimizer.variables
    return list(variables() if callable(variables) else variables)


def step_counter(optimizer: Any) -> Any:
    """The variable that counts an optimizer's steps, for the global step.

    It is `optimizer.iterations`, but where gradients are accumulated over several batches:
    there `iterations` is computed from the number of batches, which is what counts.
    """
    iterations = optimizer.iterations
    if hasattr(iterations, "assign"):
        return iterations
    return next(v for v in variables_of(optimizer) if _path(v).endswith("/iteration"))


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
        if path.startswith(owner_path + "/"):  # Its legacy optimizers: h/kernel/m
            return owner + path.removeprefix(owner_path)
    return f"optimizer/{inner}"


def _is_numeric(variable: Any) -> bool:
    return tf.as_dtype(variable.dtype) not in (tf.resource, tf.variant, tf.string)


def _path(variable: Any) -> str:
    return getattr(variable, "path", None) or variable.name.removesuffix(":0")


def named_layers(model: Any) -> dict[str, Any]:
    """Layers of a model, nested ones included, by name and by path.

    Operations between the layers of a functional model, such as `keras.ops.relu(h)`, are
    among them. Input layers are not: a step doesn't call them.
    """
    layers: dict[str, Any] = {}
    inputs = package_of(model).layers.InputLayer

    def add(name: str, layer: Any) -> None:
        if not isinstance(layer, inputs):
            layers.setdefault(name, layer)

    def walk(owner: Any, path: str) -> None:
        for layer in getattr(owner, "layers", None) or []:
            add(layer.name, layer)
            add(path + layer.name, layer)
            walk(layer, f"{path}{layer.name}/")

    walk(model, "")
    for layer in _all_layers(model):
        add(layer.name, layer)
    for owner in (model, *layers.copy().values()):
        for operation, _ in _calls(owner):
            add(operation.name, operation)
    return layers


def _all_layers(model: Any) -> Iterator[Any]:
    """Layers inside other layers too, which Keras lists without a public name."""
    flatten = getattr(model, "_flatten_layers", None)
    return iter(flatten(include_self=False)) if flatten else iter(())


def output_names(model: Any, layers: Mapping[str, Any]) -> list[tuple[Any, str]]:
    """Symbolic outputs of layers (`layer.output`), each with its name (`"h/output:0"`)."""
    stems: dict[int, str] = {}
    named = []
    for name, layer in layers.items():
        stems.setdefault(id(layer), name + OUTPUT)
        for index, output in enumerate(_symbolic_outputs(layer)):
            named.append((output, f"{name}{OUTPUT}:{index}"))
    # Where the order of calls is known, a layer's outputs are numbered over all its calls.
    made: dict[str, int] = collections.Counter()
    for owner in (model, *layers.values()):
        for layer, outputs in _calls(owner):
            if id(layer) not in stems:
                continue
            stem = stems[id(layer)]
            for output in outputs:
                named.append((output, f"{stem}:{made[stem]}"))
                made[stem] += 1
    return named


def _calls(owner: Any) -> Iterator[tuple[Any, list[Any]]]:
    """The calls in a functional or sequential model, in order: (layer, symbolic outputs)."""
    nodes = getattr(getattr(owner, "_functional", None) or owner, "_nodes_by_depth", None) or {}
    for depth in sorted(nodes, reverse=True):
        for node in nodes[depth]:
            layer = node.operation if hasattr(node, "operation") else node.layer
            yield layer, tf.nest.flatten(node.outputs)


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

    def name_input(name: str, value: Any) -> None:
        named.setdefault(f"{name}:0", value)
        if name in inputs:
            named.setdefault(f"{name}{OUTPUT}:0", value)  # An input layer's output.

    for kind, part in zip(("x", "y", "sample_weight"), parts, strict=False):
        if isinstance(part, Mapping):
            for key, value in part.items():
                named[f"{kind}/{key}:0"] = value
                name_input(key, value)
        elif isinstance(part, (list, tuple)):
            for position, value in enumerate(part):
                named[f"{kind}_{position}:0"] = value
                if kind == "x" and position < len(inputs):
                    name_input(inputs[position], value)
        elif part is not None:
            named[f"{kind}:0"] = part
            if kind == "x" and len(inputs) == 1:
                name_input(inputs[0], part)
    return {name: part for name, part in named.items() if part is not None}


def batch_spec(value: Any) -> Any:
    """Shape and dtype of one part of a batch, from a value or from its spec."""
    spec = value if isinstance(value, tf.TypeSpec) else tf.type_spec_from_value(value)
    if isinstance(spec, tf.TensorSpec):
        return spec
    # One per replica, or a composite such as a sparse tensor.
    parts = tf.nest.flatten(spec, expand_composites=True)
    return parts[0] if parts and isinstance(parts[0], tf.TensorSpec) else None
