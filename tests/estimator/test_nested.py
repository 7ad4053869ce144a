"""Evaluations, predictions and sessions inside of a running training."""

import gc
import threading

import pytest
import tensorflow as tf

import compat
from compat import estimator as estimators

v1 = tf.compat.v1


class Nested(v1.train.SessionRunHook):
    """Does something after every run and notes what it gave."""

    def __init__(self, action):
        self.action = action
        self.results = []

    def after_run(self, run_context, run_values):
        self.results.append(self.action(run_context.session))


def test_evaluate_and_predict_in_a_hook(make_estimator, input_fn):
    estimator = make_estimator(save_checkpoints_steps=1)
    hook = Nested(
        lambda session: (
            estimator.evaluate(input_fn, steps=1),
            next(estimator.predict(input_fn))["value"],
        )
    )
    estimator.train(input_fn, steps=3, hooks=[hook])
    losses = [metrics["loss"] for metrics, _ in hook.results]
    assert losses == sorted(losses, reverse=True)
    assert [metrics["global_step"] for metrics, _ in hook.results] == [1, 2, 3]
    assert estimator.get_variable_value("global_step") == 3


def test_evaluate_in_a_listener_sees_the_checkpoint(make_estimator, input_fn):
    estimator = make_estimator(save_checkpoints_steps=2)
    steps = []

    class Listener(v1.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            result = estimator.evaluate(input_fn, steps=1, name="nested")
            steps.append((int(global_step_value), int(result["global_step"])))

    estimator.train(input_fn, steps=5, saving_listeners=[Listener()])
    assert steps == [(0, 0), (2, 2), (4, 4), (5, 5)]


def test_a_session_of_its_own_in_a_hook(make_estimator, input_fn):
    def other_session(session):
        with tf.Graph().as_default():
            v = v1.get_variable("v", [], initializer=v1.constant_initializer(4.0))
            with compat.Session() as other:
                other.run(v1.global_variables_initializer())
                return other.run(v * 2)

    hook = Nested(other_session)
    make_estimator().train(input_fn, steps=2, hooks=[hook])
    assert hook.results == [8.0, 8.0]


def test_training_another_estimator_in_a_hook(make_estimator, input_fn):
    other = make_estimator("other")
    hook = Nested(lambda session: other.train(input_fn, steps=1))
    make_estimator().train(input_fn, steps=2, hooks=[hook])
    assert other.get_variable_value("global_step") == 2


def test_two_threads_build_the_graphs_of_tensorflow_1(input_fn, tmp_path):
    inside, ended, kinds = threading.Event(), threading.Event(), []

    def model(at_begin):
        def model_fn(features, labels, mode):
            at_begin()
            w = v1.get_variable("w", [])
            kinds.append((w.op.type, hasattr(features["x"].shape[1], "value")))
            op = v1.assign_add(v1.train.get_global_step(), 1)
            return estimators.EstimatorSpec(mode, loss=w**2, train_op=op)

        return model_fn

    def wait():
        inside.set()
        assert ended.wait(60)

    slow = threading.Thread(
        target=lambda: estimators.Estimator(model(wait), tmp_path / "a").train(input_fn, steps=1)
    )
    quick = threading.Thread(
        target=lambda: estimators.Estimator(model(inside.wait), tmp_path / "b").train(
            input_fn, steps=1
        )
    )
    quick.start()
    slow.start()
    quick.join()
    ended.set()
    slow.join()
    assert kinds == [("VariableV2", True)] * 2
    assert v1.resource_variables_enabled() and v1.control_flow_v2_enabled()


def test_an_error_in_a_nested_call_leaves_the_eager_program_intact(make_estimator, input_fn):
    estimator = make_estimator()

    def broken(features, labels, mode):
        raise KeyError("broken")

    hook = Nested(lambda session: estimators.Estimator(broken).evaluate(input_fn))
    with pytest.raises(KeyError, match="broken"):
        estimator.train(input_fn, steps=2, hooks=[hook])
    assert tf.executing_eagerly()
    assert isinstance(tf.TensorShape([2])[0], int)


def test_many_nested_evaluations_leave_nothing_behind(make_estimator, input_fn):
    estimator = make_estimator(save_checkpoints_steps=1000)
    counts = []

    def evaluate_and_count(session):
        estimator.evaluate(input_fn, steps=1)
        gc.collect()
        objects = gc.get_objects()
        graphs = sum(isinstance(item, tf.Graph) for item in objects)
        counts.append((graphs, len(objects)))

    estimator.train(input_fn, steps=12, hooks=[Nested(evaluate_and_count)])
    # The first evaluations fill caches of TensorFlow and of this package.
    (graphs, objects), (last_graphs, last_objects) = counts[3], counts[-1]
    assert last_graphs == graphs
    assert last_objects - objects < 200


def test_many_evaluations_in_a_listener_leave_nothing_behind(make_estimator, input_fn):
    # tests/benchmarks/bench_estimator_soak.py does this 200 times and measures memory.
    estimator = make_estimator(save_checkpoints_steps=1)
    counts = []

    class Listener(v1.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            estimator.evaluate(input_fn, steps=1, name="nested")
            next(estimator.predict(input_fn))
            if global_step_value in (3, 12):
                gc.collect()
                objects = gc.get_objects()
                kinds = (tf.Graph, v1.Session, compat.MonitoredSession)
                counts.append([sum(isinstance(item, kind) for item in objects) for kind in kinds])

    estimator.train(input_fn, steps=12, saving_listeners=[Listener()])
    at_first, at_last = counts
    assert at_last == at_first
