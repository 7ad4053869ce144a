"""What parameter-server scripts find in place of TF1's servers: an error that says what to use."""

from __future__ import annotations

from typing import Any, NoReturn

import tensorflow as tf

v1 = tf.compat.v1

_INSTEAD = (
    "Steps run in this process, so there is no server to connect to. Use tf.distribute: "
    "MirroredStrategy for the devices of one machine, MultiWorkerMirroredStrategy with TF_CONFIG "
    "for several, and run the step in a MonitoredTrainingSession made in the strategy's scope."
)


class Server:
    """Stands for `tf.compat.v1.train.Server`, which is not supported.

    Raises:
      NotImplementedError: Always.
    """

    def __init__(self, server_or_cluster_def: Any, *_: Any, **__: Any):
        raise NotImplementedError(
            f"tf.train.Server is not supported; got {server_or_cluster_def!r}. {_INSTEAD}"
        )

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> NoReturn:
        """Not supported; leave it out, and give sessions no `master`.

        Raises:
          NotImplementedError: Always.
        """
        raise NotImplementedError(
            "tf.train.Server.create_local_server is not supported. Leave it out and make the "
            "session without a master."
        )


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Any = None,
    ps_strategy: Any = None,
) -> None:
    """Stands for `tf.compat.v1.train.replica_device_setter`; without servers it places nothing.

    Args:
      ps_tasks: How many parameter servers there are; `cluster` comes before it.
      ps_device: Names the job of the parameter servers.
      worker_device: Not used.
      merge_devices: Not used.
      cluster: A `ClusterSpec`, a `ClusterDef` or a dict.
      ps_ops: Not used.
      ps_strategy: Not used.

    Returns:
      None, which `tf.device` takes for "anywhere".

    Raises:
      NotImplementedError: There are parameter servers.
    """
    if cluster is not None:
        job = tf.DeviceSpec.from_string(ps_device).job
        ps_tasks = len(v1.train.ClusterSpec(cluster).as_dict().get(job, []))
    if ps_tasks:
        raise NotImplementedError(
            f"Parameter servers are not supported; got {ps_tasks} of them. {_INSTEAD}"
        )
