"""What `TF_CONFIG` says about this process: its task, and the cluster around it."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


class TaskType:
    """The roles that a process can have."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


@dataclasses.dataclass(frozen=True)
class Cluster:
    """A process's place in its cluster, by the names that `RunConfig` has for it."""

    cluster_spec: Any
    task_type: str = TaskType.WORKER
    task_id: int = 0
    global_id_in_cluster: int | None = 0
    master: str = ""
    evaluation_master: str = ""
    num_ps_replicas: int = 0
    num_worker_replicas: int = 1
    is_chief: bool = True
    service: dict | None = None


def read_tf_config() -> dict:
    """The environment variable `TF_CONFIG` as a dict; empty if it isn't set."""
    tf_config = json.loads(os.environ.get("TF_CONFIG") or "{}")
    if tf_config:
        v1.logging.info("TF_CONFIG environment variable: %s", tf_config)
    return tf_config


def parse(tf_config: dict) -> Cluster:
    """Reads a `TF_CONFIG`.

    Args:
      tf_config: From `read_tf_config`.

    Returns:
      The place of this process.

    Raises:
      ValueError: The task is missing, or is not one of the cluster's.
      TypeError: `service` is not a dict.
    """
    service = tf_config.get("service")
    if service is not None and not isinstance(service, dict):
        raise TypeError(f"`service` in TF_CONFIG must be a dict; got {service!r}.")
    spec = tf.train.ClusterSpec(tf_config.get("cluster", {}))
    task = tf_config.get("task", {})
    if not spec:
        return _alone(spec, task, tf_config, service)
    chief = TaskType.MASTER if TaskType.MASTER in spec.jobs else TaskType.CHIEF
    task_type, task_id = _task(spec, task, chief)
    if task_type == TaskType.EVALUATOR:
        # It watches the checkpoints and is no part of the cluster that trains.
        return Cluster(
            cluster_spec=tf.train.ClusterSpec({}),
            task_type=task_type,
            task_id=task_id,
            global_id_in_cluster=None,
            evaluation_master=tf_config.get("eval_session_master", ""),
            num_worker_replicas=0,
            is_chief=False,
            service=service,
        )
    tasks = {job: len(spec.job_tasks(job)) for job in spec.jobs}
    return Cluster(
        cluster_spec=spec,
        task_type=task_type,
        task_id=task_id,
        global_id_in_cluster=_global_id(tasks, chief, task_type, task_id),
        master=_master(spec, tasks, task_type, task_id, tf_config),
        num_ps_replicas=tasks.get(TaskType.PS, 0),
        num_worker_replicas=tasks.get(TaskType.WORKER, 0) + tasks.get(chief, 0),
        is_chief=task_type == chief,
        service=service,
    )


def _alone(spec: Any, task: dict, tf_config: dict, service: dict | None) -> Cluster:
    task_type, task_id = task.get("type", TaskType.WORKER), int(task.get("index", 0))
    if task_type != TaskType.WORKER or task_id != 0:
        raise ValueError(
            "Without a cluster, the task in TF_CONFIG must be worker 0; got "
            f"{task_type!r} {task_id}. Add the `cluster`, or leave the `task` out."
        )
    return Cluster(
        cluster_spec=spec,
        master=tf_config.get("session_master", ""),
        evaluation_master=tf_config.get("eval_session_master", ""),
        service=service,
    )


def _task(spec: Any, task: dict, chief: str) -> tuple[str, int]:
    """The process's task type and number, checked against the cluster."""
    if TaskType.MASTER in spec.jobs and TaskType.CHIEF in spec.jobs:
        raise ValueError(f"A cluster has a chief or a master, not both; got {spec.as_dict()}.")
    if chief not in spec.jobs or len(spec.job_tasks(chief)) != 1:
        raise ValueError(
            f"The cluster in TF_CONFIG must have exactly one {chief!r}; got {spec.as_dict()}."
        )
    task_type, task_id = task.get("type"), task.get("index")
    if not task_type or task_id is None or int(task_id) < 0:
        raise ValueError(
            "Beside a cluster, TF_CONFIG must have a `task` with its `type` and `index` "
            f"(0 or more); got {task!r}."
        )
    if task_type == TaskType.EVALUATOR:
        if chief == TaskType.MASTER:
            raise ValueError("A cluster with a master has no evaluator: the master evaluates.")
        return task_type, int(task_id)
    if task_type not in spec.jobs or int(task_id) >= len(spec.job_tasks(task_type)):
        raise ValueError(
            f"The task in TF_CONFIG must be one of the cluster {spec.as_dict()}; got "
            f"{task_type!r} {task_id}."
        )
    return task_type, int(task_id)


def _global_id(tasks: dict[str, int], chief: str, task_type: str, task_id: int) -> int:
    """The chief counts first, parameter servers last, the rest by name."""
    others = sorted(job for job in tasks if job not in (chief, TaskType.PS))
    before = 0
    for job in [chief, *others, TaskType.PS]:
        if job == task_type:
            break
        before += tasks[job]
    return before + task_id


def _master(spec: Any, tasks: dict[str, int], task_type: str, task_id: int, tf_config: dict) -> str:
    if "session_master" in tf_config:
        return tf_config["session_master"]
    if sum(tasks.values()) == 1:
        return ""
    return "grpc://" + spec.job_tasks(task_type)[task_id]
