"""Input receivers: where a served model is fed, and the features made of that."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.estimator.input_results import features_and_labels

v1 = tf.compat.v1

FEATURE, LABEL, RECEIVER = "feature", "label", "input"


class ServingInputReceiver(
    collections.namedtuple(
        "ServingInputReceiver", ["features", "receiver_tensors", "receiver_tensors_alternatives"]
    )
):
    """Fed tensors and a dict of features; `tf.estimator.export.ServingInputReceiver`."""

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ):
        """Checks the tensors.

        Args:
          features: A dict of tensors, or one tensor, which is called `feature`.
          receiver_tensors: A dict of the tensors that are fed, or one, called `input`.
          receiver_tensors_alternatives: Signature name -> other tensors that may be fed.

        Returns:
          The receiver.

        Raises:
          ValueError: Something is missing, no tensor, or has no string as its name.
        """
        if not isinstance(receiver_tensors_alternatives, (dict, type(None))):
            raise ValueError(
                "receiver_tensors_alternatives must be a dict; got "
                f"{receiver_tensors_alternatives!r}."
            )
        alternatives = receiver_tensors_alternatives
        if alternatives is not None:
            alternatives = {name: _named(t, RECEIVER) for name, t in alternatives.items()}
        return super().__new__(
            cls, _named(features, FEATURE, True), _named(receiver_tensors, RECEIVER), alternatives
        )


class TensorServingInputReceiver(
    collections.namedtuple(
        "TensorServingInputReceiver",
        ["features", "receiver_tensors", "receiver_tensors_alternatives"],
    )
):
    """Fed tensors and one feature that the model gets as it is, not in a dict."""

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ):
        """As `ServingInputReceiver`; `features` is one tensor."""
        _check_tensor(features, FEATURE)
        checked = ServingInputReceiver(features, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(
            cls, features, checked.receiver_tensors, checked.receiver_tensors_alternatives
        )


class UnsupervisedInputReceiver(ServingInputReceiver):
    """Fed tensors and features, for training and evaluation graphs without labels."""

    __slots__ = ()

    def __new__(cls, features: Any, receiver_tensors: Any):
        """As `ServingInputReceiver`, without alternatives."""
        return super().__new__(cls, features, receiver_tensors)


class SupervisedInputReceiver(
    collections.namedtuple("SupervisedInputReceiver", ["features", "labels", "receiver_tensors"])
):
    """Fed tensors, features and labels, for training and evaluation graphs."""

    __slots__ = ()

    def __new__(cls, features: Any, labels: Any, receiver_tensors: Any):
        """Checks the tensors; features and labels stay as they are.

        Raises:
          ValueError: Something is missing, no tensor, or has no string as its name.
        """
        _named(features, FEATURE, True)
        _named(labels, LABEL, True)
        return super().__new__(cls, features, labels, _named(receiver_tensors, RECEIVER))


def build_parsing_serving_input_receiver_fn(
    feature_spec: dict, default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A receiver function that is fed serialized `tf.train.Example`s.

    Args:
      feature_spec: Feature name -> `tf.io.FixedLenFeature` or the like.
      default_batch_size: The batch size, if it is fixed.

    Returns:
      The function.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        examples = v1.placeholder(tf.string, [default_batch_size], name="input_example_tensor")
        features = v1.io.parse_example(examples, feature_spec)
        return ServingInputReceiver(features, {"examples": examples})

    return serving_input_receiver_fn


def build_raw_serving_input_receiver_fn(
    features: dict[str, tf.Tensor], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A receiver function that is fed the features themselves.

    Args:
      features: Feature name -> a tensor of its dtype and shape.
      default_batch_size: The batch size, if it is fixed.

    Returns:
      The function.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        fed = {name: _placeholder(t, default_batch_size) for name, t in features.items()}
        return ServingInputReceiver(fed, fed)

    return serving_input_receiver_fn


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """A receiver function that is fed features and labels themselves.

    Args:
      features: A tensor, or a dict of tensors, of the features' dtypes and shapes.
      labels: The same for the labels.
      default_batch_size: The batch size, if it is fixed.

    Returns:
      The function.

    Raises:
      ValueError: A feature and a label have the same name.
    """
    named = [_as_dict(features, RECEIVER), _as_dict(labels, LABEL)]
    shared = sorted(named[0].keys() & named[1].keys())
    if shared:
        raise ValueError(f"Features and labels must have different names; both have {shared}.")

    def supervised_input_receiver_fn() -> SupervisedInputReceiver:
        fed = [{k: _placeholder(t, default_batch_size) for k, t in part.items()} for part in named]
        results = [
            part if isinstance(given, dict) else next(iter(part.values()))
            for given, part in zip((features, labels), fed, strict=True)
        ]
        return SupervisedInputReceiver(results[0], results[1], {**fed[0], **fed[1]})

    return supervised_input_receiver_fn


def build_supervised_input_receiver_fn_from_input_fn(
    input_fn: Callable, **arguments: Any
) -> Callable[[], SupervisedInputReceiver]:
    """A receiver function that is fed what an input function gives.

    Args:
      input_fn: The input function; called once, in a graph of its own.
      **arguments: Its arguments.

    Returns:
      The function.
    """
    with tf.Graph().as_default():
        features, labels, _ = features_and_labels(input_fn(**arguments))
    return build_raw_supervised_input_receiver_fn(features, labels)


def _placeholder(tensor: Any, batch_size: int | None) -> tf.Tensor:
    try:
        name = tensor.op.name
    except AttributeError:  # An eager tensor.
        name = None
    shape = tf.TensorShape([batch_size]).concatenate(tensor.shape[1:])
    return v1.placeholder(tensor.dtype, shape, name=name)


def _as_dict(tensors: Any, default: str) -> dict:
    return tensors if isinstance(tensors, dict) else {default: tensors}


def _named(tensors: Any, default: str, numbers_too: bool = False) -> dict:
    """A dict from name to tensor, checked."""
    if tensors is None:
        raise ValueError(f"A receiver needs {default}s; got None.")
    named = _as_dict(tensors, default)
    for name, tensor in named.items():
        if not isinstance(name, (str, int) if numbers_too else str):
            raise ValueError(f"The name of a {default} must be a string; got {name!r}.")
        _check_tensor(tensor, default)
    return named


def _check_tensor(tensor: Any, what: str) -> None:
    if not isinstance(tensor, (tf.Tensor, tf.SparseTensor, tf.RaggedTensor, tf.Variable)):
        raise ValueError(f"A {what} must be a Tensor or SparseTensor; got {tensor!r}.")
