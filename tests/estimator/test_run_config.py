"""RunConfig and TF_CONFIG."""

import copy
import json

import pytest
import tensorflow as tf

from compat import estimator
from compat.estimator.estimator import Estimator

v1 = tf.compat.v1

CLUSTER = {"chief": ["h0:1"], "ps": ["h1:1", "h2:1"], "worker": ["h3:1", "h4:1", "h5:1"]}


@pytest.fixture
def tf_config(monkeypatch):
    def set_it(cluster=None, task=None, **more):
        value = {"cluster": cluster, "task": task, **more}
        value = {key: item for key, item in value.items() if item is not None}
        monkeypatch.setenv("TF_CONFIG", json.dumps(value))
        return estimator.RunConfig()

    return set_it


def test_defaults_are_those_of_tensorflow_1():
    config = estimator.RunConfig()
    assert (config.save_checkpoints_secs, config.save_checkpoints_steps) == (600, None)
    assert (config.save_summary_steps, config.log_step_count_steps) == (100, 100)
    assert (config.keep_checkpoint_max, config.keep_checkpoint_every_n_hours) == (5, 10000)
    assert (config.task_type, config.task_id, config.is_chief) == ("worker", 0, True)
    assert (config.num_ps_replicas, config.num_worker_replicas, config.master) == (0, 1, "")
    assert config.tf_random_seed is None and config.model_dir is None


def test_settings_are_replaced_not_set():
    config = estimator.RunConfig()
    with pytest.raises(AttributeError, match="replace"):
        config.keep_checkpoint_max = 3
    assert config.keep_checkpoint_max == 5


def test_one_kind_of_interval_takes_the_place_of_the_other():
    config = estimator.RunConfig(save_checkpoints_steps=10)
    assert config.save_checkpoints_secs is None
    config = config.replace(save_checkpoints_secs=30)
    assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == (None, 30)
    with pytest.raises(ValueError, match="one of"):
        estimator.RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1)


@pytest.mark.parametrize(
    "setting",
    [
        {"save_summary_steps": -1},
        {"keep_checkpoint_max": -1},
        {"log_step_count_steps": 0},
        {"tf_random_seed": 1.5},
        {"model_dir": ""},
        {"session_config": {}},
        {"device_fn": "cpu"},
        {"device_fn": lambda node: "/cpu:0"},
    ],
)
def test_wrong_settings_are_refused(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        estimator.RunConfig(**setting)


def test_replace_leaves_the_original_and_refuses_the_rest():
    config = estimator.RunConfig()
    assert config.replace(tf_random_seed=3).tf_random_seed == 3
    assert config.tf_random_seed is None
    with pytest.raises(ValueError, match="num_ps_replicas"):
        config.replace(num_ps_replicas=1)
    assert copy.deepcopy(config).keep_checkpoint_max == 5


@pytest.mark.parametrize(
    "task, global_id, master",
    [(("chief", 0), 0, "h0:1"), (("worker", 1), 2, "h4:1"), (("ps", 1), 5, "h2:1")],
)
def test_a_cluster_is_read(tf_config, task, global_id, master):
    config = tf_config(CLUSTER, {"type": task[0], "index": task[1]})
    assert (config.task_type, config.task_id) == task
    assert config.global_id_in_cluster == global_id
    assert config.master == "grpc://" + master
    assert (config.num_ps_replicas, config.num_worker_replicas) == (2, 4)
    assert config.is_chief == (task[0] == "chief")
    assert config.cluster_spec.as_dict() == CLUSTER


def test_an_evaluator_is_no_part_of_the_cluster(tf_config):
    config = tf_config(CLUSTER, {"type": "evaluator", "index": 0})
    assert (config.task_type, config.is_chief, config.num_worker_replicas) == (
        "evaluator",
        False,
        0,
    )
    assert not config.cluster_spec


def test_a_cluster_of_one_runs_here(tf_config):
    config = tf_config({"chief": ["h0:1"]}, {"type": "chief", "index": 0})
    assert (config.master, config.is_chief, config.num_worker_replicas) == ("", True, 1)


@pytest.mark.parametrize(
    "cluster, task",
    [
        ({"worker": ["a"]}, {"type": "worker", "index": 0}),
        ({"chief": ["a", "b"]}, {"type": "chief", "index": 0}),
        ({"chief": ["a"], "master": ["b"]}, {"type": "chief", "index": 0}),
        ({"chief": ["a"]}, {"type": "worker", "index": 0}),
        ({"chief": ["a"]}, {"type": "chief", "index": 1}),
        ({"chief": ["a"]}, {"type": "chief"}),
        ({"chief": ["a"]}, None),
        (None, {"type": "chief", "index": 0}),
        (None, {"type": "worker", "index": 1}),
    ],
)
def test_a_wrong_cluster_is_refused(tf_config, cluster, task):
    with pytest.raises(ValueError):
        tf_config(cluster, task)


def test_model_dir_may_come_from_the_environment(tf_config, monkeypatch):
    assert tf_config(model_dir="/a").model_dir == "/a"
    with pytest.raises(ValueError, match="/b"):
        estimator.RunConfig(model_dir="/b")


def test_training_with_parameter_servers_names_the_way(tf_config, line_model, input_fn, tmp_path):
    config = tf_config(CLUSTER, {"type": "chief", "index": 0})
    with pytest.raises(NotImplementedError, match="MultiWorkerMirroredStrategy"):
        Estimator(line_model(), tmp_path, config).train(input_fn, steps=1)


@pytest.mark.parametrize("task", ["chief", "master"])
def test_tasks_of_a_cluster_return_nothing(task, tf_config, line_model, input_fn, tmp_path):
    made = Estimator(
        line_model(), tmp_path, tf_config({task: ["h0:1"]}, {"type": task, "index": 0})
    )
    train, evaluate = estimator.TrainSpec(input_fn, max_steps=1), estimator.EvalSpec(input_fn)
    assert estimator.train_and_evaluate(made, train, evaluate) is None
    assert made.get_variable_value("global_step") == 1
    assert (tmp_path / "eval").exists() == (task == "master")


def test_an_estimator_completes_its_config(line_model, tmp_path):
    made = Estimator(line_model(), tmp_path)
    assert made.model_dir == str(tmp_path) == made.config.model_dir
    assert made.config.session_config.allow_soft_placement
    with pytest.raises(ValueError, match="model_dir"):
        Estimator(line_model(), tmp_path, estimator.RunConfig("/elsewhere"))
    assert Estimator(line_model()).model_dir
