"""Ops that wait for a placeholder by a control dependency, while its value is fed."""

import numpy as np
import pytest
import tensorflow as tf

import compat

v1 = tf.compat.v1


@pytest.mark.parametrize("session_class", [v1.Session, compat.Session])
def test_in_a_session(session_class):
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [], name="x")
        count = v1.get_variable("count", [], initializer=v1.zeros_initializer())
        with tf.control_dependencies([x]):
            add = v1.assign_add(count, 1.0)
        with session_class() as session:
            session.run(v1.global_variables_initializer())
            assert session.run([add, tf.group(x)], {x: 2.0}) == [1.0, None]
            with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
                session.run(add)
            assert session.run(count) == 1.0


def test_metric_of_what_a_step_returns():
    class Mean(compat.SessionRunHook):
        def begin(self):
            loss = v1.get_default_graph().get_tensor_by_name("loss:0")
            _, self.update = v1.metrics.mean(loss)
            self.nothing = tf.group(loss)

        def before_run(self, run_context):
            return compat.SessionRunArgs([self.update, self.nothing])

        def after_run(self, run_context, run_values):
            self.mean = run_values.results[0]

    step, hook = tf.Variable(0, dtype=tf.int64), Mean()

    @tf.function
    def train(x):
        step.assign_add(1)
        return {"loss": x}

    with compat.SingularMonitoredSession([hook], global_step=step) as session:
        for value in (1.0, 2.0, 6.0):
            session.run(train, {"x": tf.constant(value)})
    np.testing.assert_allclose(hook.mean, 3.0)
