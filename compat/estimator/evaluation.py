"""`Estimator.evaluate`: metrics over batches, then their values into the event file.

An `Evaluation` is built once in a graph and can run many times there: each run has its
own session, so metrics, iterators and the step count start anew.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat.estimator.input_results import features_and_labels
from compat.estimator.metric_events import write_checkpoint_path, write_metrics
from compat.estimator.mode_keys import ModeKeys
from compat.hooks.adapters import FinalOpsHook
from compat.hooks.base import SessionRunHook
from compat.sessions.creators import ChiefSessionCreator
from compat.sessions.monitored import MonitoredSession
from compat.sessions.scaffold import Scaffold

v1 = tf.compat.v1

GLOBAL_STEP = v1.GraphKeys.GLOBAL_STEP
LOSS = "loss"


class StopAfterNEvalsHook(SessionRunHook):
    """Stops an evaluation after `num_evals` batches and logs how far it is."""

    def __init__(self, num_evals: int):
        self._num_evals = num_evals
        self._log_every = 1 if num_evals < 20 else num_evals // 10
        self._evals_completed: Any = None

    def _set_evals_completed_tensor(self, updated_eval_step: tf.Tensor) -> None:
        """Takes the count of batches; TF1's hooks of this kind have the same method."""
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: Any) -> Any:
        """Asks for the count of batches."""
        return v1.train.SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Logs and stops."""
        done = run_values.results["evals_completed"]
        if done % self._log_every == 0 or done == self._num_evals:
            v1.logging.info("Evaluation [%d/%d]", done, self._num_evals)
        if done >= self._num_evals:
            run_context.request_stop()


class Evaluation:
    """An evaluation graph and its hooks, ready to run.

    Attributes:
      scaffold: The model's scaffold.
    """

    def __init__(
        self,
        estimator: Any,
        input_fn: Any,
        hooks: Sequence[Any],
        checkpoint_path: str | None,
    ):
        """Builds in the default graph.

        Args:
          estimator: The `Estimator`.
          input_fn: The input function.
          hooks: The caller's hooks; the spec's `evaluation_hooks` come after them.
          checkpoint_path: What will be restored; None if the model is warm-started.

        Raises:
          ValueError: The model has a metric of a reserved name.
        """
        config = estimator._config
        v1.set_random_seed(config.tf_random_seed)
        estimator._create_and_assert_global_step(v1.get_default_graph())
        features, labels, input_hooks = features_and_labels(
            estimator._call_input_fn(input_fn, ModeKeys.EVAL)
        )
        spec = estimator._call_model_fn(features, labels, ModeKeys.EVAL, estimator.config)
        metrics = spec.eval_metric_ops
        for reserved in (LOSS, GLOBAL_STEP):
            if reserved in metrics:
                raise ValueError(
                    f"A metric can't be called {reserved!r}, as Estimator adds one of that "
                    "name. Call it otherwise."
                )
        metrics[LOSS] = v1.metrics.mean(spec.loss)
        names = sorted(metrics)
        self._values = {name: metrics[name][0] for name in names}
        update = tf.group(*[metrics[name][1] for name in names])
        if not checkpoint_path:
            estimator._warm_start()
        self._values[GLOBAL_STEP] = v1.train.get_global_step()
        self._hooks = [*input_hooks, *hooks, *spec.evaluation_hooks]
        self._master = config.evaluation_master
        self._session_config = estimator._session_config
        self._add_step_count(update)
        self.scaffold = _with_local_init_op(spec.scaffold)

    def _add_step_count(self, update: tf.Operation) -> None:
        step = _eval_step()
        self._batch = [update, v1.assign_add(step, 1, use_locking=True)]
        with tf.control_dependencies(self._batch):
            done = tf.identity(step.read_value())
        for hook in self._hooks:
            if hasattr(hook, "_set_evals_completed_tensor"):
                hook._set_evals_completed_tensor(done)

    def run(self, checkpoint_path: str | None, output_dir: str, scaffold: Any = None) -> dict:
        """Evaluates once and writes the metrics to an event file.

        Args:
          checkpoint_path: A checkpoint to restore; None to initialize.
          output_dir: Directory of the event file.
          scaffold: In place of the model's own.

        Returns:
          The metrics by name, `loss` and `global_step` among them.
        """
        v1.logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ"))
        final = FinalOpsHook(self._values)
        creator = ChiefSessionCreator(
            scaffold=scaffold or self.scaffold,
            checkpoint_filename_with_path=checkpoint_path,
            master=self._master,
            config=self._session_config,
        )
        with MonitoredSession(creator, [*self._hooks, final]) as session:
            while not session.should_stop():
                session.run(self._batch)
        v1.logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S"))
        results = final.final_ops_values
        step = results[GLOBAL_STEP]
        write_metrics(output_dir, results, step)
        if checkpoint_path:
            write_checkpoint_path(output_dir, checkpoint_path, step)
        return results


def _eval_step() -> Any:
    """The local variable that counts batches, by TF1's name."""
    known = v1.get_collection(v1.GraphKeys.EVAL_STEP)
    if len(known) > 1:
        raise ValueError(f"A graph has one evaluation step; got {known!r}.")
    if known:
        return known[0]
    return v1.get_variable(
        "eval_step",
        shape=[],
        dtype=tf.int64,
        initializer=v1.zeros_initializer(),
        trainable=False,
        collections=[v1.GraphKeys.LOCAL_VARIABLES, v1.GraphKeys.EVAL_STEP],
    )


def _with_local_init_op(scaffold: Any) -> Any:
    """A model's own local init op knows nothing of the variables that evaluation adds."""
    if not scaffold.local_init_op:
        return scaffold
    return Scaffold(
        local_init_op=tf.group(scaffold.local_init_op, Scaffold.default_local_init_op()),
        copy_from_scaffold=scaffold,
    )
