"""Export outputs: what a served model gives back, each as one signature."""

from __future__ import annotations

import abc
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

DEFAULT_SIGNATURE = v1.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
TRAIN_METHOD = "tensorflow/supervised/training"
EVAL_METHOD = "tensorflow/supervised/eval"


class ExportOutput(abc.ABC):
    """An output of a model that can be served; stands for `tf.estimator.export.ExportOutput`."""

    @abc.abstractmethod
    def as_signature_def(self, receiver_tensors: dict) -> Any:
        """The signature from the receiver's tensors to this output.

        Args:
          receiver_tensors: Input name -> the tensor that is fed.

        Returns:
          A `SignatureDef`.

        Raises:
          ValueError: The signature's method can't take these inputs.
        """


class ClassificationOutput(ExportOutput):
    """Classes, scores, or both; stands for `tf.estimator.export.ClassificationOutput`."""

    def __init__(self, scores: Any = None, classes: Any = None):
        """Checks the tensors.

        Args:
          scores: A floating-point tensor with a score for each class.
          classes: A string tensor with labels.

        Raises:
          ValueError: Neither is given, or one is of a wrong dtype.
        """
        if scores is not None and not _is_tensor(scores, lambda dtype: dtype.is_floating):
            raise ValueError(f"Scores must be a floating-point tensor; got {scores!r}.")
        if classes is not None and not _is_tensor(classes, lambda dtype: dtype == tf.string):
            raise ValueError(f"Classes must be a string tensor; got {classes!r}.")
        if scores is None and classes is None:
            raise ValueError("A classification needs scores or classes; got neither.")
        self.scores = scores
        self.classes = classes

    def as_signature_def(self, receiver_tensors: dict) -> Any:
        """See the base class."""
        examples = _serialized_examples(receiver_tensors, "Classification")
        return v1.saved_model.classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """A predicted number; stands for `tf.estimator.export.RegressionOutput`."""

    def __init__(self, value: Any):
        """Checks the tensor.

        Args:
          value: A floating-point tensor.

        Raises:
          ValueError: It is something else.
        """
        if not _is_tensor(value, lambda dtype: dtype.is_floating):
            raise ValueError(
                f"A regression's value must be a floating-point tensor; got {value!r}."
            )
        self.value = value

    def as_signature_def(self, receiver_tensors: dict) -> Any:
        """See the base class."""
        examples = _serialized_examples(receiver_tensors, "Regression")
        return v1.saved_model.regression_signature_def(examples, self.value)


class PredictOutput(ExportOutput):
    """Any named tensors; stands for `tf.estimator.export.PredictOutput`."""

    def __init__(self, outputs: Any):
        """Checks the tensors.

        Args:
          outputs: A dict from name to tensor, or one tensor, which is called `output`.

        Raises:
          ValueError: A name isn't a string, or a value isn't a tensor.
        """
        self.outputs = named_tensors(outputs, "output")

    def as_signature_def(self, receiver_tensors: dict) -> Any:
        """See the base class."""
        return v1.saved_model.predict_signature_def(receiver_tensors, self.outputs)


class SupervisedOutput(ExportOutput):
    """Loss, predictions and metrics of a training or evaluation graph."""

    def __init__(self, method: str, loss: Any = None, predictions: Any = None, metrics: Any = None):
        """Names the tensors as TF1 does.

        Args:
          method: The signature's method name.
          loss: The loss tensor.
          predictions: A tensor or a dict of tensors.
          metrics: Metric name -> (value tensor, update op).
        """
        self.method = method
        self.loss = _prefixed(loss, "loss")
        self.predictions = _prefixed(predictions, "predictions")
        self.metrics: dict[str, tf.Tensor] = {}
        for key, (value, update) in (metrics or {}).items():
            name = _with_prefix(_key(key), "metrics")
            self.metrics[name + "/value"] = value
            self.metrics[name + "/update_op"] = _as_tensor(update)

    def as_signature_def(self, receiver_tensors: dict) -> Any:
        """See the base class."""
        info = v1.saved_model.build_tensor_info
        outputs = {**self.loss, **self.predictions, **self.metrics}
        return v1.saved_model.build_signature_def(
            {name: info(tensor) for name, tensor in receiver_tensors.items()},
            {name: info(tensor) for name, tensor in outputs.items()},
            self.method,
        )


def with_default_output(export_outputs: Any, predictions: Any) -> dict:
    """The export outputs of a prediction graph, one of which is the default signature.

    Args:
      export_outputs: Signature name -> output, or None for one with all predictions.
      predictions: A tensor or a dict of tensors.

    Returns:
      The outputs; TF1 adds the default to the dict that it was given.

    Raises:
      TypeError: It isn't a dict of `ExportOutput`.
      ValueError: There are several outputs and none is the default.
    """
    if export_outputs is None:
        return {DEFAULT_SIGNATURE: PredictOutput(predictions)}
    if not isinstance(export_outputs, dict) or not all(
        isinstance(output, ExportOutput) for output in export_outputs.values()
    ):
        raise TypeError(
            f"export_outputs must be a dict from name to ExportOutput; got {export_outputs!r}."
        )
    if len(export_outputs) == 1:
        export_outputs.setdefault(DEFAULT_SIGNATURE, next(iter(export_outputs.values())))
    elif export_outputs and DEFAULT_SIGNATURE not in export_outputs:
        raise ValueError(
            f"One of several export_outputs must be called {DEFAULT_SIGNATURE!r}, the default; "
            f"got {sorted(export_outputs)}."
        )
    return export_outputs


def named_tensors(value: Any, default: str) -> dict[str, tf.Tensor]:
    """A tensor, or a dict of them, as a dict with string keys.

    Raises:
      ValueError: A key isn't a string, or a value isn't a tensor.
    """
    named = value if isinstance(value, dict) else {default: value}
    result = {}
    for key, tensor in named.items():
        if not isinstance(tensor, tf.Tensor):
            raise ValueError(f"An output must be a tensor; got {tensor!r} for {key!r}.")
        result[_key(key)] = tensor
    return result


def _key(key: Any) -> str:
    if isinstance(key, tuple):
        key = "/".join(key)
    if not isinstance(key, str):
        raise ValueError(f"An output's name must be a string; got {key!r}.")
    return key


def _prefixed(value: Any, prefix: str) -> dict[str, tf.Tensor]:
    if value is None:
        return {}
    return {_with_prefix(key, prefix): t for key, t in named_tensors(value, prefix).items()}


def _with_prefix(key: str, prefix: str) -> str:
    return key if key.startswith(prefix) else f"{prefix}/{key}"


def _as_tensor(update: Any) -> tf.Tensor:
    """A signature holds tensors only."""
    if isinstance(update, tf.Tensor):
        return update
    with tf.control_dependencies([update]):
        return tf.constant([], name="metric_op_wrapper")


def _is_tensor(value: Any, accepts: Any) -> bool:
    return isinstance(value, tf.Tensor) and accepts(value.dtype)


def _serialized_examples(receiver_tensors: dict, what: str) -> tf.Tensor:
    if len(receiver_tensors) == 1:
        (examples,) = receiver_tensors.values()
        if isinstance(examples, tf.Tensor) and examples.dtype == tf.string:
            return examples
    raise ValueError(
        f"{what} takes one string tensor of serialized examples; got {receiver_tensors!r}."
    )
