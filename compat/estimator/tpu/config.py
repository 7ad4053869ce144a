"""Configuration of TPU estimators: what of it matters without a TPU, and the rest kept."""

from __future__ import annotations

import collections
import re
from collections.abc import Callable
from typing import Any

from compat.estimator import run_config
from compat.estimator.cluster import TaskType

_ITERATIONS = re.compile(r"([1-9]\d*)([smh]?)")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600}


class InputPipelineConfig:
    """How a TPU host feeds its cores; without a TPU there is one input pipeline."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


_CORES = (1, 2, 4, 8, 16, 32, 64, 128)
_EVAL_INPUTS = (InputPipelineConfig.PER_HOST_V1, InputPipelineConfig.SLICED)

#: Setting -> a check of values other than None, and what it asks for.
_CHECKED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "num_shards": (lambda count: count > 0, "more than 0"),
    "num_cores_per_replica": (lambda count: count in _CORES, f"one of {_CORES}"),
    "initial_infeed_sleep_secs": (lambda secs: secs > 0, "more than 0"),
    "input_partition_dims": (lambda dims: len(dims) in (1, 2), "of length 1 or 2"),
    "eval_training_input_configuration": (
        lambda kind: kind in _EVAL_INPUTS,
        "InputPipelineConfig.PER_HOST_V1 or SLICED",
    ),
}


class TPUConfig(
    collections.namedtuple(
        "TPUConfig",
        [
            "iterations_per_loop",
            "num_shards",
            "num_cores_per_replica",
            "per_host_input_for_training",
            "tpu_job_name",
            "initial_infeed_sleep_secs",
            "input_partition_dims",
            "eval_training_input_configuration",
            "experimental_host_call_every_n_steps",
        ],
    )
):
    """Settings of a TPU; stands for `tf.estimator.tpu.TPUConfig`.

    Without a TPU only `iterations_per_loop` has an effect: speed is logged every
    `log_step_count_steps / iterations_per_loop` steps.
    """

    __slots__ = ()

    def __new__(
        cls,
        iterations_per_loop: int | str = 2,
        num_shards: int | None = None,
        num_cores_per_replica: int | None = None,
        per_host_input_for_training: Any = True,
        tpu_job_name: str | None = None,
        initial_infeed_sleep_secs: int | None = None,
        input_partition_dims: Any = None,
        eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1,
        experimental_host_call_every_n_steps: int = 1,
    ):
        """Takes the settings.

        Raises:
          ValueError: `iterations_per_loop` is no positive number and no time such as "60s",
            or another setting is out of its range.
        """
        parse_iterations(iterations_per_loop)
        if isinstance(per_host_input_for_training, bool):
            per_host_input_for_training = (
                InputPipelineConfig.PER_HOST_V1
                if per_host_input_for_training
                else InputPipelineConfig.PER_SHARD_V1
            )
        result = super().__new__(
            cls,
            iterations_per_loop,
            num_shards,
            num_cores_per_replica,
            per_host_input_for_training,
            tpu_job_name,
            initial_infeed_sleep_secs,
            input_partition_dims,
            eval_training_input_configuration,
            experimental_host_call_every_n_steps,
        )
        for name, (is_valid, wanted) in _CHECKED.items():
            value = getattr(result, name)
            if value is not None and not is_valid(value):
                raise ValueError(f"TPUConfig's {name} must be {wanted}; got {value!r}.")
        if input_partition_dims and per_host_input_for_training != InputPipelineConfig.PER_HOST_V2:
            raise ValueError(
                "input_partition_dims need per_host_input_for_training=PER_HOST_V2; got "
                f"{per_host_input_for_training!r}."
            )
        return result


def parse_iterations(iterations_per_loop: int | str) -> tuple[int, bool]:
    """A number of iterations, or of seconds, and whether it is seconds.

    Raises:
      ValueError: It is neither.
    """
    match = _ITERATIONS.fullmatch(str(iterations_per_loop))
    if match is None:
        raise ValueError(
            "iterations_per_loop must be a positive integer, or a time such as '60s', '5m' or "
            f"'1h'; got {iterations_per_loop!r}."
        )
    unit = match.group(2)
    return int(match.group(1)) * _UNIT_SECONDS.get(unit, 1), bool(unit)


class RunConfig(run_config.RunConfig):
    """`RunConfig` with TPU settings; stands for `tf.estimator.tpu.RunConfig`."""

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: Any = None,
        **kwargs: Any,
    ):
        """Takes the settings.

        Args:
          tpu_config: A `TPUConfig`.
          evaluation_master: The server's address in evaluation; empty for this process.
          master: The server's address; empty for this process.
          cluster: A cluster resolver, or None.
          **kwargs: Settings of `compat.estimator.RunConfig`.

        Raises:
          ValueError: Both `master` and `cluster` are given.
        """
        super().__init__(**kwargs)
        if master is not None and cluster is not None:
            raise ValueError(f"Give master or cluster, not both; got {master!r} and {cluster!r}.")
        self._tpu_config = tpu_config or TPUConfig()
        self._cluster = cluster
        if master is not None:
            self._master = master
        elif cluster is not None:
            self._master = cluster.master()
        if evaluation_master is not None:
            self._evaluation_master = evaluation_master
        elif not self.evaluation_master and self.task_type != TaskType.EVALUATOR:
            self._evaluation_master = self.master

    @property
    def tpu_config(self) -> TPUConfig:
        """The TPU settings."""
        return self._tpu_config

    @property
    def cluster(self) -> Any:
        """The cluster resolver, or None."""
        return self._cluster

    def replace(self, **changes: Any) -> RunConfig:
        """A copy with other settings, `tpu_config` among them; see the base class."""
        tpu_config = changes.pop("tpu_config", self._tpu_config)
        result: Any = super().replace(**changes)
        result._tpu_config = tpu_config
        return result
