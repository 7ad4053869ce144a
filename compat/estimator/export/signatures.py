"""The signatures of an exported graph, from its receiver's inputs and its outputs."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat.estimator.export.outputs import (
    DEFAULT_SIGNATURE,
    EVAL_METHOD,
    TRAIN_METHOD,
    ExportOutput,
    SupervisedOutput,
    with_default_output,
)
from compat.estimator.mode_keys import ModeKeys

v1 = tf.compat.v1

_REPORTED = {
    "Classify": v1.saved_model.CLASSIFY_METHOD_NAME,
    "Regress": v1.saved_model.REGRESS_METHOD_NAME,
    "Predict": v1.saved_model.PREDICT_METHOD_NAME,
    "Train": TRAIN_METHOD,
    "Eval": EVAL_METHOD,
}


def signatures_for(spec: Any, receiver: Any) -> dict[str, Any]:
    """Builds the signatures of one graph.

    Args:
      spec: The `EstimatorSpec`.
      receiver: The input receiver.

    Returns:
      Signature name -> `SignatureDef`; for prediction only those that can be served.
    """
    outputs = _outputs(spec)
    signatures: dict[str, Any] = {}
    excluded: dict[str, str] = {}
    alternatives = getattr(receiver, "receiver_tensors_alternatives", None) or {}
    for prefix, tensors in [("", receiver.receiver_tensors), *alternatives.items()]:
        for key, output in outputs.items():
            name = f"{prefix}:{key}" if prefix else key
            try:
                signatures[name] = output.as_signature_def(tensors)
            except ValueError as error:
                excluded[name] = str(error)
    _report(signatures, excluded)
    if spec.mode != ModeKeys.PREDICT:
        return signatures
    valid = v1.saved_model.is_valid_signature
    return {name: signature for name, signature in signatures.items() if valid(signature)}


def _outputs(spec: Any) -> dict[str, ExportOutput]:
    if spec.mode == ModeKeys.PREDICT:
        return dict(with_default_output(spec.export_outputs, spec.predictions))
    training = spec.mode == ModeKeys.TRAIN
    output = SupervisedOutput(
        TRAIN_METHOD if training else EVAL_METHOD, spec.loss, spec.predictions, spec.eval_metric_ops
    )
    return {"train" if training else "eval": output}


def _report(signatures: dict[str, Any], excluded: dict[str, str]) -> None:
    for title, method in _REPORTED.items():
        names = [name for name, signature in signatures.items() if signature.method_name == method]
        v1.logging.info("Signatures INCLUDED in export for %s: %s", title, names or "None")
    if excluded:
        v1.logging.info("Signatures EXCLUDED from export, as they can't be served:")
        for name, reason in excluded.items():
            v1.logging.info("'%s' : %s", name, reason)
    if not signatures:
        v1.logging.warning("Export includes no signatures!")
    elif DEFAULT_SIGNATURE not in signatures:
        v1.logging.warning("Export includes no default signature!")
