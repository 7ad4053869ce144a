"""Loading a TF1 checkpoint, with names of its own, into a Keras model."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from compat.keras import names
from compat.keras.building import build_optimizer


@dataclasses.dataclass(frozen=True)
class LoadReport:
    """What of a checkpoint fits a model.

    Attributes:
      matched: Checkpoint names -> model names, of what is (or would be) loaded.
      unmatched_in_checkpoint: Names in the checkpoint that nothing in the model has.
      unmatched_in_model: Variables of the model and its optimizer that keep their values.
      shape_mismatched: Checkpoint name -> (model name, shape in the checkpoint, shape in
        the model).
    """

    matched: dict[str, str]
    unmatched_in_checkpoint: list[str]
    unmatched_in_model: list[str]
    shape_mismatched: dict[str, tuple[str, tuple[int, ...], tuple[int, ...]]]

    def __str__(self) -> str:
        lines = [f"matched: {len(self.matched)}"]
        lines += [f"  {old} -> {new}" for old, new in self.matched.items()]
        lines += [f"shapes differ: {len(self.shape_mismatched)}"]
        lines += [
            f"  {old} {shape} -> {new} {other}"
            for old, (new, shape, other) in self.shape_mismatched.items()
        ]
        for title, members in (
            ("only in the checkpoint", self.unmatched_in_checkpoint),
            ("only in the model", self.unmatched_in_model),
        ):
            lines += [f"{title}: {len(members)}", *(f"  {name}" for name in members)]
        return "\n".join(lines)


def load_tf1_checkpoint(
    model: Any,
    path: str,
    name_map: Mapping[str, Any] | None = None,
    dry_run: bool = False,
) -> LoadReport:
    """Loads a name-based checkpoint, as `tf.compat.v1.train.Saver` writes it, into a model.

    Variables are matched by `name_map` and, where it says nothing, by equal names
    (`dense/kernel`, `global_step`). Either all that match are loaded or none.

    Args:
      model: A built Keras model; if it is compiled, its optimizer's variables take part.
      path: A checkpoint (`dir/model.ckpt-100`) or a directory, whose latest is taken.
      name_map: Names in the checkpoint -> the model's names (as hooks use them, or full
        Keras paths) or its variables. A map the other way round is understood too.
      dry_run: Whether to report only.

    Returns:
      A `LoadReport`; `print` it to read what matched and what didn't.

    Raises:
      ValueError: There is no such checkpoint, the model isn't built, the map names what
        isn't there or one variable twice, or, unless `dry_run`, shapes differ or none of
        the model's own variables match.

    Example:
      >>> names = {"layer1/weights": "hidden/kernel", "layer1/biases": "hidden/bias"}
      >>> print(compat.load_tf1_checkpoint(model, "logs", name_map=names, dry_run=True))
    """
    reader = _reader(path)
    shapes = {
        name: tuple(shape)
        for name, shape in reader.get_variable_to_shape_map().items()
        if name != "_CHECKPOINTABLE_OBJECT_GRAPH"
    }
    variables = {variable.name: variable for variable in _variables(model)}
    wanted = _pairs(name_map or {}, shapes, variables)
    mapped = set(wanted.values())
    for name in shapes:
        if name in variables and name not in wanted and name not in mapped:
            wanted[name] = name
    mismatched = {
        old: (new, shapes[old], tuple(variables[new].variable.shape))
        for old, new in wanted.items()
        if shapes[old] != tuple(variables[new].variable.shape)
    }
    matched = {old: wanted[old] for old in shapes if old in wanted and old not in mismatched}
    report = LoadReport(
        matched=matched,
        unmatched_in_checkpoint=[name for name in shapes if name not in wanted],
        unmatched_in_model=[name for name in variables if name not in set(wanted.values())],
        shape_mismatched=mismatched,
    )
    if dry_run:
        return report
    if mismatched:
        raise ValueError(f"Shapes differ; nothing was loaded from {path}.\n{report}")
    if not any(variables[new].of_model for new in matched.values()):
        raise ValueError(
            f"No name in {path} is one of the model's; give a name_map. Nothing was loaded.\n"
            f"{report}"
        )
    values = {new: reader.get_tensor(old) for old, new in matched.items()}
    with model.distribute_strategy.scope():
        for name, value in values.items():
            variable = variables[name]
            dtype = tf.as_dtype(variable.variable.dtype).as_numpy_dtype
            variable.source.assign(np.asarray(value).astype(dtype))
    return report


def _reader(path: str) -> Any:
    try:
        return tf.train.load_checkpoint(path)
    except (ValueError, tf.errors.OpError) as error:
        raise ValueError(
            f"There is no checkpoint at {path}: give a directory with a `checkpoint` file or "
            "a path without `.index`."
        ) from error


def _variables(model: Any) -> list[names.NamedVariable]:
    if not model.built:
        raise ValueError(f"The model {model.name!r} isn't built; build it or call it once.")
    build_optimizer(model)
    return names.named_variables(model)


def _pairs(
    name_map: Mapping[str, Any],
    shapes: Mapping[str, Any],
    variables: Mapping[str, names.NamedVariable],
) -> dict[str, str]:
    """Checkpoint name -> model name, for all that the map says."""
    known = {key: name for name, v in variables.items() for key in (v.path, name)}
    by_object = {id(obj): n for n, v in variables.items() for obj in (v.source, v.variable)}

    def own_name(key: Any) -> str | None:
        if isinstance(key, str):
            return known.get(key.removesuffix(":0"))
        return by_object.get(id(key))

    pairs = [(key, value) for key, value in name_map.items()]
    if pairs and not any(old in shapes for old, _ in pairs):
        turned = [(value, key) for key, value in pairs]
        if all(isinstance(old, str) and old in shapes for old, _ in turned):
            pairs = turned
    found: dict[str, str] = {}
    for old, new in pairs:
        if old not in shapes:
            raise _unknown("checkpoint", old, shapes)
        name = own_name(new)
        if name is None:
            raise _unknown("model", new, known)
        if name in found.values():
            raise ValueError(f"The name_map gives {name!r} two values of the checkpoint.")
        found[old] = name
    return found


def _unknown(where: str, name: Any, known: Sequence[str] | Mapping[str, Any]) -> ValueError:
    near = difflib.get_close_matches(str(name), list(known), n=5, cutoff=0.3) or sorted(known)[:5]
    return ValueError(
        f"The name_map names {name!r}, which the {where} hasn't. The nearest names are: "
        f"{', '.join(near) or 'none'}."
    )
