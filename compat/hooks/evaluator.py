"""`InMemoryEvaluatorHook`: evaluates a model during training, without a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from compat.hooks.base import SecondOrStepTimer, SessionRunHook
from compat.sessions.scaffold import Scaffold

v1 = tf.compat.v1


class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates before the first step, every N steps and at the end.

    Stands for `tf.estimator.experimental.InMemoryEvaluatorHook`. The evaluation graph is
    built once; each evaluation takes the values of the training session's variables.
    """

    def __init__(
        self,
        estimator: Any,
        input_fn: Callable,
        steps: int | None = None,
        hooks: Sequence[Any] | None = None,
        name: str | None = None,
        every_n_iter: int = 100,
    ):
        """Prepares.

        Args:
          estimator: The `Estimator`.
          input_fn: As for `Estimator.evaluate`.
          steps: As for `Estimator.evaluate`.
          hooks: As for `Estimator.evaluate`.
          name: As for `Estimator.evaluate`.
          every_n_iter: Training steps between evaluations.

        Raises:
          ValueError: `every_n_iter` is not positive, or several processes train.
          TypeError: A hook is of a wrong type.
        """
        from compat.estimator.spec import check_hooks

        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"every_n_iter must be more than 0; got {every_n_iter!r}.")
        config = estimator.config
        if config.num_ps_replicas > 0 or config.num_worker_replicas > 1:
            raise ValueError(
                "InMemoryEvaluatorHook works where one process trains; TF_CONFIG names more."
            )
        self._estimator = estimator
        self._input_fn = input_fn
        self._hooks = [*check_hooks(hooks), *estimator._convert_eval_steps_to_hooks(steps)]
        self._eval_dir = estimator.eval_dir(name)
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)
        self._iter_count = 0
        self._graph: Any = None

    def begin(self) -> None:
        """Builds the evaluation graph."""
        from compat.estimator.evaluation import Evaluation

        self._timer.reset()
        self._iter_count = 0
        self._graph = tf.Graph()
        with self._graph.as_default():
            self._evaluation = Evaluation(
                self._estimator, self._input_fn, self._hooks, checkpoint_path=None
            )
            scaffold = self._evaluation.scaffold
            if scaffold.saver is not None or scaffold.init_fn is not None:
                raise ValueError(
                    "InMemoryEvaluatorHook supports no saver and no init_fn in the model's "
                    "scaffold. Use Estimator.evaluate in a CheckpointSaverListener."
                )
            self._eval_variables = _global_variables()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Pairs the variables of both graphs and evaluates for the first time."""
        if v1.get_collection(v1.GraphKeys.SAVEABLE_OBJECTS):
            raise ValueError(
                "InMemoryEvaluatorHook carries over variables alone, and the training graph "
                "saves other objects too. Use Estimator.evaluate in a CheckpointSaverListener."
            )
        self._train_variables = {
            name: variable
            for name, variable in _global_variables().items()
            if name in self._eval_variables
        }
        with self._graph.as_default():
            self._placeholders = {
                name: v1.placeholder(self._eval_variables[name].dtype.base_dtype)
                for name in self._train_variables
            }
            self._assign = tf.group(
                *[
                    v1.assign(self._eval_variables[name], placeholder)
                    for name, placeholder in self._placeholders.items()
                ]
            )
        self._evaluate(session)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Evaluates if it is time to."""
        self._iter_count += 1
        if self._timer.should_trigger_for_step(self._iter_count):
            self._evaluate(run_context.session)

    def end(self, session: Any) -> None:
        """Evaluates the final model."""
        self._evaluate(session)

    def _evaluate(self, train_session: Any) -> None:
        values = train_session.run(self._train_variables)
        feeds = {self._placeholders[name]: value for name, value in values.items()}

        def carry_over(scaffold: Any, session: Any) -> None:
            session.run(self._assign, feeds)

        with self._graph.as_default():
            scaffold = Scaffold(init_fn=carry_over, copy_from_scaffold=self._evaluation.scaffold)
            self._evaluation.run(None, self._eval_dir, scaffold)
        self._timer.update_last_triggered_step(self._iter_count)


def _global_variables() -> dict[str, Any]:
    return {v.name: v for v in v1.get_collection(v1.GraphKeys.GLOBAL_VARIABLES)}
