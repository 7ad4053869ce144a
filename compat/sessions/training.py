"""`MonitoredTrainingSession`: a monitored session with the hooks that training wants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat.hooks.adapters import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from compat.sessions import distributed
from compat.sessions.creators import ChiefSessionCreator, WorkerSessionCreator
from compat.sessions.monitored import MonitoredSession
from compat.sessions.scaffold import Scaffold

_UNSET = object()


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool | None = None,
    checkpoint_dir: str | None = None,
    scaffold: Any = None,
    hooks: Sequence[Any] | None = None,
    chief_only_hooks: Sequence[Any] | None = None,
    save_checkpoint_secs: Any = _UNSET,
    save_summaries_steps: Any = _UNSET,
    save_summaries_secs: Any = _UNSET,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _UNSET,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
    *,
    global_step: tf.Variable | None = None,
) -> MonitoredSession:
    """Creates a session for training; stands for `tf.compat.v1.train.MonitoredTrainingSession`.

    A chief also gets, before `hooks`: `chief_only_hooks`, a step counter, a summary saver
    (both if there is a directory for them) and a checkpoint saver.

    Args:
      master: Must be empty.
      is_chief: Whether this process initializes, restores and saves. By default what
        the cluster resolver of the strategy says in whose scope this is called, and True
        without a strategy.
      checkpoint_dir: Directory to restore from and save to.
      scaffold: A `Scaffold`; a default one if None.
      hooks: Hooks of every process.
      chief_only_hooks: Hooks of the chief alone, called before the others.
      save_checkpoint_secs: Seconds between saves; 600 if neither this nor
        `save_checkpoint_steps` is given. None or 0 for no saving by time.
      save_summaries_steps: Steps between summaries; 100 if neither this nor
        `save_summaries_secs` is given.
      save_summaries_secs: Seconds between summaries.
      config: A `tf.compat.v1.ConfigProto`.
      stop_grace_period_secs: Seconds that threads get to stop when it closes.
      log_step_count_steps: Steps between measures of `global_step/sec`; None or 0 for none.
      max_wait_secs: Seconds that a worker waits for the chief.
      save_checkpoint_steps: Steps between saves.
      summary_dir: Directory for summaries; `checkpoint_dir` if None.
      save_graph_def: Whether to save the graph along with checkpoints.
      global_step: Where no legacy graph is used: the integer variable that steps count.

    Returns:
      The session.
    """
    if save_summaries_steps is _UNSET and save_summaries_secs is _UNSET:
        save_summaries_steps, save_summaries_secs = 100, None
    if save_checkpoint_secs is _UNSET and save_checkpoint_steps is _UNSET:
        save_checkpoint_steps, save_checkpoint_secs = None, 600
    save_summaries_steps, save_summaries_secs, save_checkpoint_steps, save_checkpoint_secs = (
        None if value is _UNSET else value
        for value in (
            save_summaries_steps,
            save_summaries_secs,
            save_checkpoint_steps,
            save_checkpoint_secs,
        )
    )
    strategy = distributed.strategy_of(global_step)
    if is_chief is None:
        is_chief = distributed.is_chief(strategy)
    workers = distributed.workers_of(strategy, is_chief)
    scaffold = scaffold or Scaffold()
    if strategy:
        distributed.give_saver(scaffold, global_step, is_chief)
    if not is_chief and not workers:
        worker = WorkerSessionCreator(
            scaffold=scaffold, master=master, config=config, max_wait_secs=max_wait_secs
        )
        return MonitoredSession(
            worker, hooks or [], stop_grace_period_secs, global_step=global_step
        )

    all_hooks = list(chief_only_hooks or []) if is_chief else []
    summary_dir = summary_dir or checkpoint_dir
    if is_chief and summary_dir and _positive(log_step_count_steps):
        all_hooks.append(
            StepCounterHook(every_n_steps=log_step_count_steps, output_dir=summary_dir)
        )
    if (
        is_chief
        and summary_dir
        and (_positive(save_summaries_steps) or _positive(save_summaries_secs))
    ):
        all_hooks.append(
            SummarySaverHook(
                scaffold=scaffold,
                save_steps=save_summaries_steps,
                save_secs=save_summaries_secs,
                output_dir=summary_dir,
            )
        )
    if checkpoint_dir and (_positive(save_checkpoint_secs) or _positive(save_checkpoint_steps)):
        saving: dict[str, Any] = {
            "save_steps": save_checkpoint_steps,
            "save_secs": save_checkpoint_secs,
            "scaffold": scaffold,
            "save_graph_def": save_graph_def,
        }
        all_hooks.append(
            distributed.saver_hook(workers, checkpoint_dir, **saving)
            if workers
            else CheckpointSaverHook(checkpoint_dir, **saving)
        )
    all_hooks.extend(hooks or [])
    chief = ChiefSessionCreator(
        scaffold=scaffold, master=master, config=config, checkpoint_dir=checkpoint_dir
    )
    if workers:
        return distributed.WorkersSession(
            workers, chief, all_hooks, stop_grace_period_secs, global_step
        )
    return MonitoredSession(chief, all_hooks, stop_grace_period_secs, global_step=global_step)


def _positive(value: float | None) -> bool:
    return value is not None and value > 0
