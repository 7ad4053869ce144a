"""Training: steps, hooks in TF1's order, files, and the eager program around it."""

import os

import pytest
import tensorflow as tf

from compat import estimator as estimators

v1 = tf.compat.v1


def test_steps_add_up_and_max_steps_does_not(make_estimator, input_fn):
    estimator = make_estimator()
    assert estimator.train(input_fn, steps=3) is estimator
    estimator.train(input_fn, steps=3)
    assert estimator.get_variable_value("global_step") == 6
    estimator.train(input_fn, max_steps=7)
    estimator.train(input_fn, max_steps=7)
    assert estimator.get_variable_value("global_step") == 7


def test_hooks_are_called_in_the_order_of_tensorflow_1(make_estimator, input_fn, recorder):
    calls = []
    names = ["chief", "training"]
    hooks = {
        f"training_{'chief_' if name == 'chief' else ''}hooks": [recorder(name, calls)]
        for name in names
    }
    make_estimator(spec=hooks).train(input_fn, hooks=[recorder("user", calls)], steps=1)
    order = ["chief", "user", "training"]
    assert calls == [
        f"{name}.{call}" for call in ("begin", "create", "before", "after", "end") for name in order
    ]


def test_an_input_that_ends_ends_training(make_estimator, rows):
    def once():
        return tf.data.Dataset.from_tensor_slices(({"x": rows[0]}, rows[1])).batch(8)

    estimator = make_estimator()
    estimator.train(once)
    assert estimator.get_variable_value("global_step") == 6


def test_tensors_may_be_returned_instead_of_a_dataset(make_estimator, rows):
    estimator = make_estimator()
    estimator.train(lambda: ({"x": tf.constant(rows[0])}, tf.constant(rows[1])), steps=2)
    assert estimator.get_variable_value("global_step") == 2


def test_files_are_those_of_tensorflow_1(make_estimator, input_fn):
    estimator = make_estimator(keep_checkpoint_max=2)
    estimator.train(input_fn, steps=12)
    names = {name.split(".vm")[0] for name in os.listdir(estimator.model_dir)}
    events = {name for name in names if name.startswith("events.out.tfevents")}
    parts = (".index", ".meta", ".data-00000-of-00001")
    checkpoints = {f"model.ckpt-{step}{part}" for step in (10, 12) for part in parts}
    assert names - events == {"checkpoint", "graph.pbtxt", *checkpoints}
    assert len(events) == 1
    state = tf.train.get_checkpoint_state(estimator.model_dir)
    with open(os.path.join(estimator.model_dir, "checkpoint")) as stream:
        assert os.sep not in stream.read()
    assert os.path.basename(state.model_checkpoint_path) == "model.ckpt-12"


def test_listeners_go_to_the_saver_hook_that_is_there(make_estimator, input_fn):
    class Listener(v1.train.CheckpointSaverListener):
        steps = []

        def after_save(self, session, global_step_value):
            self.steps.append(int(global_step_value))

    estimator = make_estimator()
    saver = v1.train.CheckpointSaverHook(estimator.model_dir, save_steps=2)
    estimator.train(input_fn, hooks=[saver], steps=4, saving_listeners=[Listener()])
    assert Listener.steps == [0, 2, 4]
    with pytest.raises(ValueError, match="need checkpoints"):
        make_estimator("other", save_checkpoints_steps=None).train(
            input_fn, steps=1, saving_listeners=[Listener()]
        )


def test_the_program_around_stays_eager_and_tf2(make_estimator, input_fn):
    estimator = make_estimator()
    before = v1.resource_variables_enabled(), v1.control_flow_v2_enabled()
    estimator.train(input_fn, steps=1)
    assert tf.executing_eagerly()
    assert (v1.resource_variables_enabled(), v1.control_flow_v2_enabled()) == before
    assert isinstance(tf.TensorShape([2])[0], int)
    assert not isinstance(tf.constant(1) == tf.constant(1), bool)


def test_the_graph_inside_is_that_of_tensorflow_1(make_estimator, input_fn):
    seen = {}

    class Look(v1.train.SessionRunHook):
        def begin(self):
            seen["eager"] = tf.executing_eagerly()
            seen["variable"] = v1.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES)[0].op.type
            seen["dimension"] = tf.TensorShape([2])[0]

    make_estimator().train(input_fn, hooks=[Look()], steps=1)
    assert not seen["eager"]
    assert seen["variable"] == "VariableV2"
    assert seen["dimension"].value == 2


def test_a_nan_loss_is_an_error(make_estimator, input_fn):
    def nan_model(features, labels, mode):
        w = v1.get_variable("w", [])
        loss = w * float("nan")
        op = v1.assign_add(v1.train.get_global_step(), 1)
        return estimators.EstimatorSpec(mode, loss=loss, train_op=op)

    estimator = estimators.Estimator(nan_model)
    with pytest.raises(v1.train.NanLossDuringTrainingError):
        estimator.train(input_fn, steps=1)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"steps": 1, "max_steps": 2}, ValueError),
        ({"steps": 0}, ValueError),
        ({"max_steps": -1}, ValueError),
        ({"hooks": [object()]}, TypeError),
        ({"saving_listeners": [object()]}, TypeError),
    ],
)
def test_wrong_arguments_are_refused(make_estimator, input_fn, arguments, error):
    with pytest.raises(error):
        make_estimator().train(input_fn, **arguments)


def test_a_model_fn_takes_any_of_the_known_arguments(input_fn):
    seen = []

    def model_fn(features, mode, params, config, labels=None):
        seen.append((mode, params, config.model_dir is not None, labels is not None))
        w = v1.get_variable("w", [])
        op = v1.assign_add(v1.train.get_global_step(), 1)
        return estimators.EstimatorSpec(mode, loss=w**2, train_op=op)

    estimators.Estimator(model_fn, params={"a": 1}).train(input_fn, steps=1)
    assert seen == [("train", {"a": 1}, True, True)]


@pytest.mark.parametrize(
    "model_fn, params, match",
    [
        (lambda labels: None, None, "features"),
        (lambda features, speed: None, None, "speed"),
        (lambda features: None, {"a": 1}, "params"),
        (None, None, "model_fn"),
    ],
)
def test_a_model_fn_with_other_arguments_is_refused(model_fn, params, match):
    with pytest.raises(ValueError, match=match):
        estimators.Estimator(model_fn, params=params)


def test_a_strategy_with_one_replica_changes_nothing(make_estimator, input_fn):
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    contexts = []

    def with_context(input_context, mode):
        contexts.append(input_context.num_replicas_in_sync)
        return input_fn(mode)

    make_estimator(train_distribute=strategy).train(with_context, steps=1)
    assert contexts == [1]


def test_a_strategy_with_more_replicas_names_the_way_to_keras(make_estimator):
    class Two:
        num_replicas_in_sync = 2

    with pytest.raises(NotImplementedError, match=r"strategy\.scope"):
        make_estimator(train_distribute=Two())
