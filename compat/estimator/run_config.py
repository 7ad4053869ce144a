"""`RunConfig`: how an estimator's runs save, log and find their place in a cluster."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.estimator import cluster
from compat.estimator.calls import argument_names

v1 = tf.compat.v1

_UNSET = object()


def _is_int(value: Any) -> bool:
    return isinstance(value, int)


def _is_device_function(value: Any) -> bool:
    return callable(value) and argument_names(value) == {"op"}


#: What `replace` may change -> a check of values other than None, and what it asks for.
_REPLACEABLE: dict[str, tuple[Callable[[Any], bool], str]] = {
    "model_dir": (bool, "a path that isn't empty"),
    "tf_random_seed": (_is_int, "an integer"),
    "save_summary_steps": (lambda steps: steps >= 0, "0 or more"),
    "save_checkpoints_steps": (lambda steps: steps >= 0, "0 or more"),
    "save_checkpoints_secs": (lambda secs: secs >= 0, "0 or more"),
    "session_config": (lambda value: isinstance(value, v1.ConfigProto), "a ConfigProto"),
    "keep_checkpoint_max": (lambda count: count >= 0, "0 or more"),
    "keep_checkpoint_every_n_hours": (lambda hours: hours > 0, "more than 0"),
    "log_step_count_steps": (lambda steps: steps > 0, "more than 0"),
    "train_distribute": (lambda _: True, "a strategy"),
    "device_fn": (_is_device_function, "a function of one argument `op`"),
    "protocol": (lambda name: name in ("grpc", "grpc+verbs"), "'grpc' or 'grpc+verbs'"),
    "eval_distribute": (lambda _: True, "a strategy"),
    "experimental_distribute": (lambda _: True, "a DistributeConfig"),
    "experimental_max_worker_delay_secs": (_is_int, "an integer"),
    "session_creation_timeout_secs": (lambda secs: secs > 0, "more than 0"),
}


class _Setting:
    """A read-only attribute kept under its name with an underscore, where TF1 keeps it."""

    def __init__(self, description: str):
        self.__doc__ = description

    def __set_name__(self, owner: type, name: str) -> None:
        self._attribute = "_" + name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else getattr(instance, self._attribute)

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(
            f"RunConfig.{self._attribute[1:]} can't be set; use replace, which gives a new config."
        )


class RunConfig:
    """Settings of an estimator's runs; stands for `tf.estimator.RunConfig`.

    The place in a cluster comes from the environment variable `TF_CONFIG`, as in TF1.

    Example:
      >>> config = compat.estimator.RunConfig(save_checkpoints_steps=100)
      >>> config.replace(keep_checkpoint_max=3).keep_checkpoint_max
      3
    """

    model_dir = _Setting("Where checkpoints and events go.")
    tf_random_seed = _Setting("The graph-level seed, or None.")
    save_summary_steps = _Setting("Steps between summaries.")
    save_checkpoints_steps = _Setting("Steps between checkpoints, or None.")
    save_checkpoints_secs = _Setting("Seconds between checkpoints, or None.")
    session_config = _Setting("The sessions' ConfigProto.")
    keep_checkpoint_max = _Setting("How many checkpoints are kept; 0 for all.")
    keep_checkpoint_every_n_hours = _Setting("Hours after which a checkpoint is kept for good.")
    log_step_count_steps = _Setting("Steps between log lines with the loss and the speed.")
    train_distribute = _Setting("The strategy of training, or None.")
    eval_distribute = _Setting("The strategy of evaluation, or None.")
    experimental_distribute = _Setting("Kept for scripts that pass it.")
    device_fn = _Setting("Places ops on devices, or None.")
    protocol = _Setting("Kept for scripts that pass it.")
    experimental_max_worker_delay_secs = _Setting("Kept for scripts that pass it.")
    session_creation_timeout_secs = _Setting("Seconds that a worker waits for a session.")
    cluster_spec = _Setting("The cluster that trains; empty for one process.")
    task_type = _Setting("The role of this process.")
    task_id = _Setting("The number of this process among those of its role.")
    global_id_in_cluster = _Setting("The number of this process among all that train.")
    master = _Setting("The address of the session's server; empty for this process.")
    evaluation_master = _Setting("The address of the evaluation's server.")
    num_ps_replicas = _Setting("How many parameter servers there are.")
    num_worker_replicas = _Setting("How many processes train.")
    is_chief = _Setting("Whether this process saves checkpoints.")
    service = _Setting("TF_CONFIG's `service`.")

    def __init__(
        self,
        model_dir: str | os.PathLike | None = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: Any = _UNSET,
        save_checkpoints_secs: Any = _UNSET,
        session_config: Any = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Callable | None = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: float = 7200,
    ):
        """Checks the settings and reads `TF_CONFIG`.

        Args:
          model_dir: Directory for checkpoints and events; may come from TF_CONFIG too.
          tf_random_seed: Graph-level seed of every graph.
          save_summary_steps: Steps between summaries.
          save_checkpoints_steps: Steps between checkpoints.
          save_checkpoints_secs: Seconds between checkpoints; 600 if neither is given.
          session_config: A `tf.compat.v1.ConfigProto`.
          keep_checkpoint_max: How many checkpoints are kept; 0 or None for all.
          keep_checkpoint_every_n_hours: Hours after which one is kept for good.
          log_step_count_steps: Steps between log lines; None for none.
          train_distribute: A strategy with one replica, or None.
          device_fn: Function from an op to its device.
          protocol: Accepted; there is no server.
          eval_distribute: A strategy with one replica, or None.
          experimental_distribute: Accepted.
          experimental_max_worker_delay_secs: Accepted; there are no workers.
          session_creation_timeout_secs: Seconds that a worker waits for a session.

        Raises:
          ValueError: A setting is out of its range, or both kinds of time between
            checkpoints are given.
        """
        if save_checkpoints_steps is _UNSET and save_checkpoints_secs is _UNSET:
            save_checkpoints_secs = 600
        tf_config = cluster.read_tf_config()
        self._assign(
            model_dir=_model_dir(tf_config, model_dir),
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=_given(save_checkpoints_steps),
            save_checkpoints_secs=_given(save_checkpoints_secs),
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=train_distribute,
            device_fn=device_fn,
            protocol=protocol,
            eval_distribute=eval_distribute,
            experimental_distribute=experimental_distribute,
            experimental_max_worker_delay_secs=experimental_max_worker_delay_secs,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        self._set_cluster(cluster.parse(tf_config))

    def replace(self, **changes: Any) -> RunConfig:
        """A copy with other settings.

        Args:
          **changes: Settings by name. A time between checkpoints takes the place of
            the other kind.

        Returns:
          The copy.

        Raises:
          ValueError: A name can't be replaced, or a value is out of its range.
        """
        result = copy.copy(self)
        result._assign(**changes)
        return result

    def __deepcopy__(self, memo: dict) -> RunConfig:
        # Strategies, device functions and the like are shared, as they can't be copied.
        result = copy.copy(self)
        if self.session_config is not None:
            result._assign(session_config=copy.deepcopy(self.session_config, memo))
        return result

    def _assign(self, **settings: Any) -> None:
        for name, value in settings.items():
            if name not in _REPLACEABLE:
                raise ValueError(
                    f"RunConfig can't replace {name!r}. It can replace {sorted(_REPLACEABLE)}."
                )
            valid, wanted = _REPLACEABLE[name]
            if value is not None and not valid(value):
                raise ValueError(f"{name} must be {wanted}; got {value!r}.")
            setattr(self, "_" + name, value)
        self._keep_one_kind_of_interval(settings)

    def _keep_one_kind_of_interval(self, settings: dict) -> None:
        steps = settings.get("save_checkpoints_steps")
        secs = settings.get("save_checkpoints_secs")
        if steps is not None and secs is not None:
            raise ValueError(
                "Give one of save_checkpoints_steps and save_checkpoints_secs; got "
                f"{steps!r} and {secs!r}."
            )
        if steps is not None:
            self._save_checkpoints_secs = None
        if secs is not None:
            self._save_checkpoints_steps = None

    def _set_cluster(self, place: cluster.Cluster) -> None:
        for name, value in vars(place).items():
            setattr(self, "_" + name, value)


def _given(value: Any) -> Any:
    return None if value is _UNSET else value


def _model_dir(tf_config: dict, model_dir: Any) -> str | None:
    """The directory, which may also be told by TF_CONFIG."""
    model_dir = None if model_dir is None else os.fspath(model_dir)
    told = tf_config.get("model_dir")
    if "" in (model_dir, told):
        raise ValueError("model_dir must be a path that isn't empty; got ''.")
    if told:
        if model_dir and model_dir != told:
            raise ValueError(
                f"model_dir is {model_dir!r}, but TF_CONFIG says {told!r}. Leave one of them out."
            )
        v1.logging.info("Using model_dir in TF_CONFIG: %s", told)
    return model_dir or told


def default_session_config() -> Any:
    """What TF1's estimators give their sessions if nothing is asked for."""
    config = v1.ConfigProto(allow_soft_placement=True)
    rewriting = config.graph_options.rewrite_options
    rewriting.meta_optimizer_iterations = type(rewriting).ONE
    return config
