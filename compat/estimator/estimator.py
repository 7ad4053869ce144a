"""`Estimator`: trains, evaluates, predicts and exports the model of a `model_fn`.

Every call builds a `tf.Graph` of its own, with TF1's behaviour inside; outside of it
TensorFlow stays eager. Calls may be nested: a hook or listener of a running `train` can
evaluate, predict or open sessions.
"""

from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from compat.estimator import calls, prediction, saving, strategies, training_loop
from compat.estimator.cluster import TaskType
from compat.estimator.evaluation import Evaluation, StopAfterNEvalsHook
from compat.estimator.graphs import legacy_graph
from compat.estimator.mode_keys import ModeKeys
from compat.estimator.run_config import RunConfig, default_session_config
from compat.estimator.spec import EstimatorSpec, check_hooks
from compat.estimator.warm_start import settings_from, warm_start
from compat.hooks.adapters import StopAtStepHook

v1 = tf.compat.v1


class Estimator:
    """Runs a `model_fn`; stands for `tf.estimator.Estimator`.

    Example:
      >>> def model_fn(features, labels, mode):
      ...     w = tf.compat.v1.get_variable("w", [], initializer=tf.compat.v1.zeros_initializer())
      ...     loss = (w - features["x"]) ** 2
      ...     step = tf.compat.v1.train.get_global_step()
      ...     train_op = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss, step)
      ...     return compat.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
      >>> estimator = compat.estimator.Estimator(model_fn)
      >>> _ = estimator.train(lambda: {"x": tf.constant(1.0)}, steps=3)
      >>> estimator.get_variable_value("w")
      np.float32(0.488)
    """

    def __init__(
        self,
        model_fn: Callable,
        model_dir: str | os.PathLike | None = None,
        config: RunConfig | None = None,
        params: Any = None,
        warm_start_from: Any = None,
    ):
        """Prepares; nothing is built yet.

        Args:
          model_fn: Function of `features` and any of `labels`, `mode`, `params`, `config`
            that builds a graph and returns an `EstimatorSpec`.
          model_dir: Directory for checkpoints and events; a temporary one if neither
            this nor the config names one.
          config: A `RunConfig`.
          params: Hyperparameters, handed on to `model_fn` and the input functions.
          warm_start_from: Path of a checkpoint or SavedModel, or `WarmStartSettings`.

        Raises:
          ValueError: The arguments contradict each other, or `model_fn` can't be called.
          NotImplementedError: The config asks for several devices or processes.
        """
        self._config = _completed(config, model_dir)
        strategies.check_strategies(self._config)
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        v1.logging.info("Using config: %s", vars(self._config))
        calls.check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = settings_from(warm_start_from)

    @property
    def model_dir(self) -> str:
        """Directory of checkpoints and events."""
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        """A copy of the configuration."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the hyperparameters."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable:
        """The model function as a function of (features, labels, mode, config)."""

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return model_fn

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the latest checkpoint, as a NumPy array.

        Raises:
          ValueError: There is no checkpoint.
        """
        return tf.train.load_variable(self._trained(), name)

    def get_variable_names(self) -> list[str]:
        """The names of all variables in the latest checkpoint.

        Raises:
          ValueError: There is no checkpoint.
        """
        return [name for name, _ in tf.train.list_variables(self._trained())]

    def latest_checkpoint(self) -> str | None:
        """Path of the latest checkpoint in `model_dir`; None if there is none."""
        return tf.train.latest_checkpoint(self._model_dir)

    def eval_dir(self, name: str | None = None) -> str:
        """Directory of the events of an evaluation, `eval` or `eval_<name>`."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    def train(
        self,
        input_fn: Callable,
        hooks: Sequence[Any] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[Any] | None = None,
    ) -> Estimator:
        """Trains from the latest checkpoint on, until the input ends or enough steps are made.

        Args:
          input_fn: Function of no argument, or of any of `mode`, `params`, `config`, that
            returns a dataset or tensors: (features, labels) or features.
          hooks: Session-run hooks.
          steps: How many more steps to make.
          max_steps: The global step to stop at.
          saving_listeners: `CheckpointSaverListener`s.

        Returns:
          The estimator.

        Raises:
          ValueError: `steps` and `max_steps` are both given, or not positive, or there
            are listeners and no checkpoints are saved.
          TypeError: A hook or listener is of a wrong type.
          NotImplementedError: TF_CONFIG names other processes that train.
        """
        if self._config.task_type in (TaskType.EVALUATOR, TaskType.PS):
            raise ValueError(
                f"A process with the task {self._config.task_type!r} doesn't train; call "
                "train_and_evaluate, which does what each task has to do."
            )
        strategies.check_cluster(self._config)
        if steps is not None and max_steps is not None:
            raise ValueError(f"Give steps or max_steps, not both; got {steps} and {max_steps}.")
        _check_positive(steps=steps, max_steps=max_steps)
        if max_steps is not None and max_steps <= saved_global_step(self._model_dir):
            v1.logging.info("Skipping training since max_steps has already saved.")
            return self
        all_hooks = list(check_hooks(hooks))
        if steps is not None or max_steps is not None:
            all_hooks.append(StopAtStepHook(steps, max_steps))
        listeners = _check_listeners(saving_listeners)
        with legacy_graph(tf.Graph()):
            loss = training_loop.train(self, input_fn, all_hooks, listeners)
        v1.logging.info("Loss for final step: %s.", loss)
        return self

    def evaluate(
        self,
        input_fn: Callable,
        steps: int | None = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict:
        """Evaluates a checkpoint and writes the metrics to the event file of `eval_dir(name)`.

        Args:
          input_fn: As for `train`.
          steps: How many batches; all of the input if None.
          hooks: Session-run hooks.
          checkpoint_path: The checkpoint; the latest in `model_dir` if None. Without any,
            variables are initialized.
          name: Tells evaluations on different data apart.

        Returns:
          The metrics by name, with `loss` (mean over batches) and `global_step`.

        Raises:
          ValueError: `steps` is not positive.
          TypeError: A hook is of a wrong type.
        """
        all_hooks = [*check_hooks(hooks), *self._convert_eval_steps_to_hooks(steps)]
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            self._log_untrained("evaluate")
        with legacy_graph(tf.Graph()):
            evaluation = Evaluation(self, input_fn, all_hooks, checkpoint_path)
            return evaluation.run(checkpoint_path, self.eval_dir(name))

    def predict(
        self,
        input_fn: Callable,
        predict_keys: Sequence[str] | None = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields predictions; two of these generators may be used in turn.

        Args:
          input_fn: As for `train`; labels are dropped.
          predict_keys: Which of a dict of predictions to compute; all if None.
          hooks: Session-run hooks.
          checkpoint_path: As for `evaluate`.
          yield_single_examples: Whether to yield examples; whole batches if not.

        Yields:
          NumPy values, in dicts where the predictions are a dict.

        Raises:
          ValueError: No key is known, or predictions of a batch differ in length.
          TypeError: A hook is of a wrong type.
        """
        all_hooks = check_hooks(hooks)
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            self._log_untrained("predict")
        yield from prediction.predict(
            self, input_fn, predict_keys, all_hooks, checkpoint_path, yield_single_examples
        )

    def export_saved_model(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable | None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Writes a SavedModel into a new directory named by the time.

        Args:
          export_dir_base: Directory to make it in.
          serving_input_receiver_fn: Function that returns a `ServingInputReceiver`.
          assets_extra: Path below `assets.extra` -> file to copy there.
          as_text: Whether to write text instead of a binary proto.
          checkpoint_path: The checkpoint; the latest in `model_dir` if None.
          experimental_mode: Which graph to export.

        Returns:
          The directory, as bytes.

        Raises:
          ValueError: There is no receiver function or no checkpoint.
        """
        if not serving_input_receiver_fn:
            raise ValueError(
                f"An export needs an input receiver function; got {serving_input_receiver_fn!r}."
            )
        return self._export_all_saved_models(
            export_dir_base,
            {experimental_mode: serving_input_receiver_fn},
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable | None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """The older name of `export_saved_model`; default attributes stay unless stripped."""
        if not serving_input_receiver_fn:
            raise ValueError(
                f"An export needs an input receiver function; got {serving_input_receiver_fn!r}."
            )
        return self._export_all_saved_models(
            export_dir_base,
            {ModeKeys.PREDICT: serving_input_receiver_fn},
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=strip_default_attrs,
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base: str,
        input_receiver_fn_map: dict[str, Callable],
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Writes one SavedModel with the graphs of several modes.

        Args:
          export_dir_base: Directory to make it in.
          input_receiver_fn_map: Mode -> function that returns an input receiver.
          assets_extra: As for `export_saved_model`.
          as_text: As for `export_saved_model`.
          checkpoint_path: As for `export_saved_model`.

        Returns:
          The directory, as bytes.
        """
        return self._export_all_saved_models(
            export_dir_base,
            input_receiver_fn_map,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )

    def _export_all_saved_models(
        self, export_dir_base: str, input_receiver_fn_map: dict[str, Callable], **settings: Any
    ) -> bytes:
        return saving.export(self, export_dir_base, input_receiver_fn_map, **settings)

    def _convert_eval_steps_to_hooks(self, steps: int | None) -> list:
        _check_positive(steps=steps)
        return [] if steps is None else [StopAfterNEvalsHook(steps)]

    def _call_input_fn(self, input_fn: Callable, mode: str) -> Any:
        strategy = (
            self._config.train_distribute
            if mode == ModeKeys.TRAIN
            else self._config.eval_distribute
        )
        context = strategies.input_context(strategy)
        return calls.call_input_fn(input_fn, mode, self.params, self.config, context)

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = calls.call_model_fn(self._model_fn, features, labels, mode, self.params, config)
        if not isinstance(spec, EstimatorSpec):
            raise ValueError(f"model_fn must return an EstimatorSpec; got {spec!r}.")
        return spec

    def _create_and_assert_global_step(self, graph: tf.Graph) -> Any:
        return v1.train.create_global_step(graph)

    def _warm_start(self) -> None:
        warm_start(self._warm_start_settings)

    def _trained(self) -> str:
        if not self.latest_checkpoint():
            raise ValueError(
                f"Could not find a trained model; got model_dir {self._model_dir!r}. Train first."
            )
        return self._model_dir

    def _log_untrained(self, what: str) -> None:
        v1.logging.info(
            "Could not find trained model in model_dir: %s, running initialization to %s.",
            self._model_dir,
            what,
        )


def saved_global_step(model_dir: str) -> int:
    """The global step of the latest checkpoint in a directory; 0 if there is none."""
    try:
        return int(tf.train.load_variable(model_dir, v1.GraphKeys.GLOBAL_STEP))
    except (ValueError, tf.errors.OpError):
        return 0


def _check_positive(**counts: int | None) -> None:
    for name, value in counts.items():
        if value is not None and value <= 0:
            raise ValueError(f"{name} must be more than 0; got {value!r}.")


def _check_listeners(listeners: Sequence[Any] | None) -> list:
    listeners = list(listeners or [])
    for listener in listeners:
        if not isinstance(listener, v1.train.CheckpointSaverListener):
            raise TypeError(f"saving_listeners must be CheckpointSaverListeners; got {listener!r}.")
    return listeners


def _completed(config: RunConfig | None, model_dir: Any) -> RunConfig:
    """The config with a directory and a session configuration."""
    if config is None:
        config = RunConfig()
        v1.logging.info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError(f"config must be a RunConfig; got {config!r}.")
    if config.session_config is None:
        config = RunConfig.replace(config, session_config=default_session_config())
    model_dir = None if model_dir is None else os.fspath(model_dir)
    if model_dir is not None and config.model_dir not in (None, model_dir):
        raise ValueError(
            f"model_dir is {model_dir!r}, but the config says {config.model_dir!r}. Leave one out."
        )
    if not (model_dir or config.model_dir):
        model_dir = tempfile.mkdtemp()
        v1.logging.warning("Using temporary folder as model directory: %s", model_dir)
    return RunConfig.replace(config, model_dir=model_dir or config.model_dir)
