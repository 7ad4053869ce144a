"""Who is the chief, by the cluster resolver of the strategy."""

import pytest
import tensorflow as tf

from compat.sessions import distributed


class Strategy:
    """As much of a strategy as is asked for its cluster."""

    def __init__(self, cluster, task_type, task_id):
        self.num_replicas_in_sync = 1
        self.cluster_resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec(cluster), task_type=task_type, task_id=task_id
        )


TWO = {"worker": ["a:1", "b:1"]}
WITH_CHIEF = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "evaluator": ["d:1"]}


@pytest.mark.parametrize(
    ("cluster", "task", "chief", "several"),
    [
        (TWO, ("worker", 0), True, True),
        (TWO, ("worker", 1), False, True),
        (WITH_CHIEF, ("chief", 0), True, True),
        (WITH_CHIEF, ("worker", 0), False, True),
        ({"master": ["a:1"], "worker": ["b:1"]}, ("master", 0), True, True),
        ({"worker": ["a:1"]}, ("worker", 0), True, False),
        ({}, ("", 0), True, False),
    ],
)
def test_by_cluster(cluster, task, chief, several):
    strategy = Strategy(cluster, *task)
    assert distributed.is_chief(strategy) is chief
    assert bool(distributed.workers_of(strategy, chief)) is several


def test_without_a_strategy():
    assert distributed.strategy_of() is None
    assert distributed.is_chief(None)
    assert distributed.workers_of(None, True) is None


def test_of_the_scope_or_of_the_global_step():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        step = tf.Variable(0)
        assert distributed.strategy_of() is strategy
    assert distributed.strategy_of(step) is strategy
    assert distributed.is_chief(strategy)
    with tf.Graph().as_default():
        assert distributed.strategy_of(step) is None
