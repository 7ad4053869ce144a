"""`Estimator.train`: a graph, TF1's list of hooks around it, and the loop.

Order of the hooks: the spec's `training_chief_hooks` after the checkpoint saver, step
counter and summaries; then those of the input, of the caller, for NaN and logging; then
the spec's `training_hooks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat.estimator.input_results import features_and_labels
from compat.estimator.mode_keys import ModeKeys
from compat.hooks.adapters import CheckpointSaverHook, LoggingTensorHook, NanTensorHook
from compat.sessions.training import MonitoredTrainingSession

v1 = tf.compat.v1


def train(estimator: Any, input_fn: Any, hooks: Sequence[Any], listeners: Sequence[Any]) -> Any:
    """Builds the training graph in the default graph and trains.

    Args:
      estimator: The `Estimator`.
      input_fn: The input function.
      hooks: The caller's hooks.
      listeners: Checkpoint saver listeners.

    Returns:
      The loss of the last step; None if there was none.

    Raises:
      ValueError: There are listeners and nothing saves checkpoints.
    """
    config = estimator._config
    graph = v1.get_default_graph()
    with v1.device(config.device_fn):
        v1.set_random_seed(config.tf_random_seed)
        estimator._create_and_assert_global_step(graph)
        features, labels, input_hooks = features_and_labels(
            estimator._call_input_fn(input_fn, ModeKeys.TRAIN)
        )
        spec = estimator._call_model_fn(features, labels, ModeKeys.TRAIN, estimator.config)
        estimator._warm_start()
        _add_loss_summary(spec.loss)
        worker_hooks = [*input_hooks, *hooks, NanTensorHook(spec.loss)]
        if config.log_step_count_steps is not None:
            logged = {"loss": spec.loss, "step": v1.train.get_global_step()}
            worker_hooks.append(LoggingTensorHook(logged, config.log_step_count_steps))
        worker_hooks.extend(spec.training_hooks)
        _add_saver(spec, config)
        chief_hooks = _saver_hooks(estimator, spec, worker_hooks, listeners)
        return _run(estimator, spec, worker_hooks, [*chief_hooks, *spec.training_chief_hooks])


def _add_loss_summary(loss: tf.Tensor) -> None:
    if not any(s.op.name == "loss" for s in v1.get_collection(v1.GraphKeys.SUMMARIES)):
        v1.summary.scalar("loss", loss)
    v1.add_to_collection(v1.GraphKeys.LOSSES, loss)


def _add_saver(spec: Any, config: Any) -> None:
    """Adds the saver that the scaffold will find, unless the model has its own."""
    if spec.scaffold.saver or v1.get_collection(v1.GraphKeys.SAVERS):
        return
    saver = v1.train.Saver(
        sharded=True,
        max_to_keep=config.keep_checkpoint_max,
        keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
        defer_build=True,
        save_relative_paths=True,
    )
    v1.add_to_collection(v1.GraphKeys.SAVERS, saver)


def _saver_hooks(
    estimator: Any, spec: Any, worker_hooks: Sequence[Any], listeners: Sequence[Any]
) -> list:
    """The estimator's own checkpoint saver, unless there is one; gives listeners to the first."""
    config = estimator._config
    everybody = [*worker_hooks, *spec.training_chief_hooks]
    savers = [hook for hook in everybody if isinstance(hook, v1.train.CheckpointSaverHook)]
    own: list = []
    if not savers and (config.save_checkpoints_secs or config.save_checkpoints_steps):
        own = [
            CheckpointSaverHook(
                estimator.model_dir,
                save_secs=config.save_checkpoints_secs,
                save_steps=config.save_checkpoints_steps,
                scaffold=spec.scaffold,
            )
        ]
        savers = own
    if listeners and not savers:
        raise ValueError(
            "saving_listeners need checkpoints, and nothing saves any. Set "
            "save_checkpoints_steps or save_checkpoints_secs in RunConfig."
        )
    for listener in listeners:
        if listener not in savers[0]._listeners:
            savers[0]._listeners.append(listener)
    return own


def _run(estimator: Any, spec: Any, hooks: Sequence[Any], chief_hooks: Sequence[Any]) -> Any:
    config = estimator._config
    loss, stepped = None, False
    with MonitoredTrainingSession(
        master=config.master,
        is_chief=config.is_chief,
        checkpoint_dir=estimator.model_dir,
        scaffold=spec.scaffold,
        hooks=hooks,
        chief_only_hooks=chief_hooks,
        save_checkpoint_secs=0,  # A hook does it.
        save_summaries_steps=config.save_summary_steps,
        config=estimator._session_config,
        max_wait_secs=config.session_creation_timeout_secs,
        log_step_count_steps=config.log_step_count_steps,
    ) as session:
        while not session.should_stop():
            _, loss = session.run([spec.train_op, spec.loss])
            stepped = True
    if not stepped:
        v1.logging.warning("Training made no steps; the input may be empty.")
    return loss
