"""Parameter-server scripts are told what to use."""

import pytest
import tensorflow as tf

import compat
import compat.v1

CLUSTER = {"ps": ["a:1"], "worker": ["b:1", "c:1"]}


def test_server():
    with pytest.raises(NotImplementedError, match=r"tf\.distribute.*MultiWorkerMirroredStrategy"):
        compat.v1.train.Server(CLUSTER, job_name="worker", task_index=0)
    with pytest.raises(NotImplementedError, match="without a master"):
        compat.v1.train.Server.create_local_server()


def test_device_setter():
    setter = compat.v1.train.replica_device_setter
    for arguments in ({"cluster": CLUSTER}, {"ps_tasks": 1}):
        with pytest.raises(NotImplementedError, match=r"1 of them.*tf\.distribute"):
            setter(**arguments)
    with tf.Graph().as_default(), tf.device(setter(cluster={"worker": ["b:1"]})):
        assert tf.constant(1).device == ""


@pytest.mark.parametrize("kind", ["SingularMonitoredSession", "MonitoredTrainingSession"])
def test_session_with_a_master(kind):
    with tf.Graph().as_default():
        with pytest.raises(NotImplementedError, match=r"tf\.distribute"):
            getattr(compat, kind)(master="grpc://127.0.0.1:2222")


def test_parameter_server_strategy():
    """A strategy that takes no steps in this process is refused by its name."""
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec({"chief": ["a:1"], **CLUSTER}), task_type="chief", task_id=0
    )
    kind = tf.distribute.ParameterServerStrategy
    strategy = kind.__new__(kind)  # Its constructor connects to the servers.
    strategy._cluster_resolver = resolver
    step = type("Step", (), {"distribute_strategy": strategy})()
    from compat.sessions.distributed import strategy_of

    with pytest.raises(NotImplementedError, match=r"ParameterServerStrategy.*MultiWorkerMirrored"):
        strategy_of(step)
