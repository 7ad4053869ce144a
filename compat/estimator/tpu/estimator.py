"""`TPUEstimator` with `use_tpu=False`: how BERT-style scripts are run on CPU and GPU.

The batch sizes of the constructor reach the functions as `params["batch_size"]`; metrics,
host calls and scaffolds come from functions that are called while the graph is built.
"""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.estimator import calls
from compat.estimator.estimator import Estimator
from compat.estimator.mode_keys import ModeKeys
from compat.estimator.spec import EstimatorSpec
from compat.estimator.tpu.config import RunConfig, parse_iterations
from compat.estimator.tpu.examples_hook import ExamplesPerSecondHook
from compat.estimator.tpu.spec import TPUEstimatorSpec

v1 = tf.compat.v1

_RESERVED = ("batch_size", "context")


class TPUEstimator(Estimator):
    """Runs a TPU model without a TPU; stands for `tf.estimator.tpu.TPUEstimator`."""

    def __init__(
        self,
        model_fn: Callable,
        model_dir: str | os.PathLike | None = None,
        config: RunConfig | None = None,
        params: dict | None = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: Any = None,
    ):
        """Prepares; nothing is built yet.

        Args:
          model_fn: Function of `features`, `params` and any of `labels`, `mode`, `config`
            that returns a `TPUEstimatorSpec` or an `EstimatorSpec`.
          model_dir: As for `Estimator`.
          config: A `tpu.RunConfig`.
          params: Hyperparameters; `batch_size` and `context` are reserved.
          use_tpu: Must be False.
          train_batch_size: `params["batch_size"]` in training.
          eval_batch_size: `params["batch_size"]` in evaluation.
          predict_batch_size: `params["batch_size"]` in prediction.
          batch_axis: Accepted; a batch isn't split.
          eval_on_tpu: Accepted.
          export_to_tpu: Accepted; exports are for CPU and GPU.
          export_to_cpu: Accepted.
          warm_start_from: As for `Estimator`.
          embedding_config_spec: Must be None.
          export_saved_model_api_version: Accepted.

        Raises:
          NotImplementedError: A TPU is asked for.
          ValueError: The config is of a wrong type, or params have a reserved key.
        """
        if use_tpu or embedding_config_spec is not None:
            raise NotImplementedError(
                "A TPUEstimator runs on CPU or GPU here; got use_tpu=True or TPU embeddings. "
                "Pass use_tpu=False, or move to Keras and tf.distribute.TPUStrategy. See "
                "migration_guide/estimators.md, 'TPU estimators'."
            )
        if not isinstance(config, RunConfig):
            raise ValueError(f"A TPUEstimator needs a tpu.RunConfig; got {config!r}.")
        taken = [key for key in _RESERVED if key in (params or {})]
        if taken:
            raise ValueError(f"The params {taken} are set by TPUEstimator; leave them out.")
        calls.check_model_fn(model_fn, params)
        self._tpu_model_fn = model_fn
        self._batch_sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        self._input_fn_called = False
        self._speed_every = _speed_every(config)
        # A hook that knows the batch size logs the speed, and nothing logs the loss, as in TF1.
        super().__init__(
            self._model_fn_without_tpu,
            model_dir,
            config.replace(log_step_count_steps=None),
            params or {},
            warm_start_from,
        )

    def _call_input_fn(self, input_fn: Callable, mode: str) -> Any:
        if "params" not in calls.argument_names(input_fn):
            raise ValueError(
                f"An input_fn of a TPUEstimator must take `params`; got {input_fn!r}. Use "
                'params["batch_size"] as the batch size.'
            )
        self._input_fn_called = True
        params = self._with_batch_size(self.params, mode)
        return calls.call_input_fn(input_fn, mode, params, self.config, None)

    def _model_fn_without_tpu(
        self, features: Any, labels: Any, mode: str, params: Any, config: Any
    ) -> EstimatorSpec:
        if "params" not in calls.argument_names(self._tpu_model_fn):
            raise ValueError(
                "The model_fn of a TPUEstimator must take `params`, with the batch size; got "
                f"{self._tpu_model_fn!r}."
            )
        # An export calls no input function, and its batch size is open.
        if self._input_fn_called:
            params = self._with_batch_size(params, mode)
        self._input_fn_called = False
        _set(params, "use_tpu", False)
        v1.logging.info("Running %s on CPU", mode)
        spec = calls.call_model_fn(self._tpu_model_fn, features, labels, mode, params, config)
        if isinstance(spec, TPUEstimatorSpec):
            spec = spec.as_estimator_spec()
        if not isinstance(spec, EstimatorSpec):
            raise ValueError(f"model_fn must return a TPUEstimatorSpec; got {spec!r}.")
        batch_size = self._batch_sizes[mode]
        if self._speed_every is None or batch_size is None:
            return spec
        steps, secs = self._speed_every
        speed = ExamplesPerSecondHook(
            batch_size,
            every_n_steps=steps,
            every_n_secs=secs,
            output_dir=self.model_dir if config.save_summary_steps else None,
        )
        return spec._replace(training_hooks=(*spec.training_hooks, speed))

    def _with_batch_size(self, params: Any, mode: str) -> Any:
        params = copy.deepcopy(params)
        if self._batch_sizes[mode] is not None:
            _set(params, "batch_size", self._batch_sizes[mode])
        return params


def _speed_every(config: RunConfig) -> tuple[int | None, float | None] | None:
    """Steps or seconds between measures of the speed; None for none.

    TF1 counts in loops of the TPU, without one as well.
    """
    iterations, are_seconds = parse_iterations(config.tpu_config.iterations_per_loop)
    if are_seconds:
        return None, iterations
    if config.log_step_count_steps is None:
        return None
    return math.ceil(config.log_step_count_steps / iterations), None


def _set(params: Any, key: str, value: Any) -> None:
    """Sets a hyperparameter in a dict, or in an object of the HParams kind."""
    if not hasattr(params, "set_hparam"):
        params[key] = value
    elif key in params:
        params.set_hparam(key, value)
    else:
        params.add_hparam(key, value)
