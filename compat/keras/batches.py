"""The batches that Keras hands to a step function: their specs, and fed parts in them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import keras
import tensorflow as tf

from compat.keras import names


def peeked(data: Any) -> tuple[Any, Any]:
    """The specs of a batch, without taking one.

    Args:
      data: What Keras passes to a step function: an iterator, a Python generator of one
        batch (`train_on_batch`), or a list of batches (`predict`).

    Returns:
      The specs (None if there is no data), and what to use in place of `data`.
    """
    if hasattr(data, "element_spec"):
        return data.element_spec, data
    if isinstance(data, list):
        return (_specs(data[0]) if data else None), data
    if data is None:
        return None, None
    first = next(data)
    return _specs(first), itertools.chain([first], data)


def _specs(batch: Any) -> Any:
    def spec(value: Any) -> Any:
        return None if value is None else tf.type_spec_from_value(value)

    return tf.nest.map_structure(spec, batch)


def with_fed_parts(
    model: Any, mode: str, data: Any, arguments: Mapping[str, Any], input_names: list[str]
) -> Any:
    """The batches of the next step with fed parts in the place of their own.

    Args:
      model: The model.
      mode: "train", "test" or "predict".
      data: As in `peeked`.
      arguments: Fed values by name without `":0"`.
      input_names: Names of the model's inputs.

    Returns:
      What the step function takes in place of `data`.

    Raises:
      NotImplementedError: The batches are spread over several replicas.
    """
    if model.distribute_strategy.num_replicas_in_sync > 1:
        raise NotImplementedError(
            f"A batch that is spread over {model.distribute_strategy.num_replicas_in_sync} "
            f"replicas can't be fed; got {sorted(arguments)}. Change the data in the dataset."
        )

    def replaced(batch: Any) -> Any:
        return _replaced(batch, arguments, input_names)

    if mode == "predict" and isinstance(data, list):
        return [replaced(batch) for batch in data]
    first = replaced(next(data))  # The end of the data surfaces here, as without feeds.
    if isinstance(model, keras.Model):
        return itertools.chain([first], map(replaced, data))
    return _dataset_iterator(first, map(replaced, data), model)


def _dataset_iterator(first: Any, others: Iterator[Any], model: Any) -> Any:
    """Keras 2 compiles the `next` on the iterator."""
    steps = getattr(model, "_steps_per_execution", None)
    count = 1 if steps is None else int(steps)
    batches = [first, *itertools.islice(others, count - 1)]
    dataset = tf.data.Dataset.from_tensors(batches[0])
    for batch in batches[1:]:
        dataset = dataset.concatenate(tf.data.Dataset.from_tensors(batch))
    return iter(dataset)


def _replaced(batch: Any, arguments: Mapping[str, Any], input_names: list[str]) -> Any:
    """A batch with some of its tensors replaced by fed values."""
    named = names.batch_parts(batch, input_names)
    fed = {id(named[f"{name}:0"]): value for name, value in arguments.items()}

    def replace(tensor: Any) -> Any:
        if id(tensor) not in fed:
            return tensor
        return tf.cast(tf.convert_to_tensor(fed[id(tensor)]), tf.as_dtype(tensor.dtype))

    return tf.nest.map_structure(replace, batch)
