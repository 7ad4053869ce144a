"""Distribution: what an estimator can run, and where the rest has moved."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

_GUIDE = "See migration_guide/estimators.md, 'Several devices'."


def check_strategies(config: Any) -> None:
    """Refuses strategies with several replicas; one replica is what happens anyway.

    Args:
      config: A `RunConfig`.

    Raises:
      NotImplementedError: A strategy has more than one replica.
    """
    for name in ("train_distribute", "eval_distribute"):
        strategy = getattr(config, name)
        replicas = getattr(strategy, "num_replicas_in_sync", 1)
        if replicas > 1:
            raise NotImplementedError(
                f"An Estimator runs on one device; got {name}={type(strategy).__name__} with "
                f"{replicas} replicas. Move to Keras: build and compile the model inside "
                f"strategy.scope() and call model.fit, which takes hooks as callbacks. {_GUIDE}"
            )
        if strategy is not None:
            v1.logging.info("%s has one replica: the graph runs without it.", name)
    if config.experimental_distribute is not None:
        raise NotImplementedError(
            "An Estimator runs in one process; got experimental_distribute. Move to Keras: "
            f"use tf.distribute.MultiWorkerMirroredStrategy with model.fit. {_GUIDE}"
        )


def check_cluster(config: Any) -> None:
    """Refuses to train as a member of a cluster with several processes.

    Args:
      config: A `RunConfig`.

    Raises:
      NotImplementedError: TF_CONFIG names parameter servers or several workers.
    """
    if config.num_ps_replicas > 0 or config.num_worker_replicas > 1:
        raise NotImplementedError(
            "An Estimator trains in one process; TF_CONFIG names "
            f"{config.num_ps_replicas} parameter servers and {config.num_worker_replicas} "
            "workers. Unset TF_CONFIG to train here, or use tf.distribute."
            f"MultiWorkerMirroredStrategy with model.fit. {_GUIDE}"
        )


def input_context(strategy: Any) -> Any:
    """What a one-replica strategy tells an input function; None without a strategy."""
    return None if strategy is None else tf.distribute.InputContext()
