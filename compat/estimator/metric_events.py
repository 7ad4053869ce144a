"""Writes what an evaluation measured to its event file and to the log."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def write_metrics(output_dir: str, metrics: dict, step: int) -> None:
    """Writes metrics as summaries.

    Args:
      output_dir: Directory of the event file.
      metrics: Values by tag: numbers, arrays or serialized summaries (bytes).
      step: The global step.
    """
    # With !s, as a NumPy number formats itself with digits that its type doesn't have.
    words = [f"{k} = {v!s}" for k, v in sorted(metrics.items()) if not isinstance(v, bytes)]
    v1.logging.info("Saving dict for global step %d: %s", step, ", ".join(words))
    summary = v1.Summary()
    for tag, value in metrics.items():
        if tag != v1.GraphKeys.GLOBAL_STEP and value is not None:
            _add(summary, tag, value)
    _write(output_dir, summary, step)


def write_checkpoint_path(output_dir: str, checkpoint_path: str, step: int) -> None:
    """Notes which checkpoint was evaluated, as a summary."""
    v1.logging.info(
        "Saving 'checkpoint_path' summary for global step %d: %s", step, checkpoint_path
    )
    summary = v1.Summary()
    summary.value.add(
        tag="checkpoint_path", tensor=tf.make_tensor_proto(checkpoint_path, dtype=tf.string)
    )
    _write(output_dir, summary, step)


def _add(summary: Any, tag: str, value: Any) -> None:
    if isinstance(value, (float, int, np.float32, np.int32, np.int64)):
        summary.value.add(tag=tag, simple_value=float(value))
    elif isinstance(value, bytes):
        _add_serialized(summary, tag, value)
    elif isinstance(value, np.ndarray):
        summary.value.add(tag=tag, node_name=tag, tensor=tf.make_tensor_proto(value))
        v1.logging.info("The array metric %s is written, but TensorBoard shows no arrays.", tag)
    else:
        v1.logging.warning(
            "The metric %s is not written: a %s is no number, array or summary.",
            tag,
            type(value).__name__,
        )


def _add_serialized(summary: Any, tag: str, value: bytes) -> None:
    try:
        inner = v1.Summary.FromString(value)
    except Exception:  # The protobuf runtime's DecodeError, whichever runtime it is.
        v1.logging.warning("The metric %s is not written: its bytes are no summary.", tag)
        return
    for number, part in enumerate(inner.value):
        part.tag = f"{tag}/{number}"
    summary.value.extend(inner.value)


def _write(output_dir: str, summary: Any, step: int) -> None:
    writer = v1.summary.FileWriterCache.get(output_dir)
    writer.add_summary(summary, step)
    writer.flush()
