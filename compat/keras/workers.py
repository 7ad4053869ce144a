"""Under a strategy of several workers, the chief alone writes files and counts steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

train = tf.compat.v1.train

_CHIEF_ONLY = (
    train.CheckpointSaverHook,
    train.SummarySaverHook,
    train.StepCounterHook,
    train.ProfilerHook,
)


def for_this_process(model: Any, hooks: Sequence[Any]) -> list[Any]:
    """The hooks that act in this process.

    Args:
      model: The model, whose strategy tells which worker this is.
      hooks: All hooks of a loop.

    Returns:
      All of them on the chief or where there is one process; elsewhere those that
      write nothing.
    """
    if is_chief(model.distribute_strategy):
        return list(hooks)
    return [hook for hook in hooks if not isinstance(hook, _CHIEF_ONLY)]


def is_chief(strategy: tf.distribute.Strategy) -> bool:
    """Whether this process is the chief of its cluster, or alone."""
    resolver = strategy.cluster_resolver
    if resolver is None:
        return True
    if resolver.task_type == "worker":
        # Without a chief in the cluster, the first worker is it.
        return resolver.task_id == 0 and not resolver.cluster_spec().as_dict().get("chief")
    return resolver.task_type in ("chief", None, "")
