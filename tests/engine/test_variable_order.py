"""When variables are read: fetched as themselves after the run, in computations before it."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import compat

v1 = tf.compat.v1
RUNS = 50


def counter(use_resource):
    return v1.get_variable(
        "step", [], tf.int64, v1.zeros_initializer(), trainable=False, use_resource=use_resource
    )


def test_variable_fetched_beside_its_update_has_the_new_value(variables):
    with tf.Graph().as_default() as graph:
        step = counter(variables)
        update = v1.assign_add(step, 1)
        looks = [step, "step:0", tf.identity(step), step.value(), step.read_value()]
        with compat.Session(graph=graph) as sess:
            sess.run(step.initializer)
            for run in range(1, RUNS):
                values = sess.run([update.op, *looks])
                assert values[1:] == [run] * len(looks)


def test_what_is_computed_from_a_variable_uses_the_old_value(variables):
    with tf.Graph().as_default() as graph:
        step = counter(variables)
        update = v1.assign_add(step, 1)
        computed = [step + 0, tf.cast(step, tf.float32), tf.stack([step, step])[1]]
        with compat.Session(graph=graph) as sess:
            sess.run(step.initializer)
            for run in range(RUNS):
                assert sess.run([update.op, *computed])[1:] == [run] * len(computed)


def test_the_read_of_a_built_in_hook_uses_the_old_value(variables):
    """It sits in a `tf.cond`, which may skip it."""
    with tf.Graph().as_default() as graph:
        v1.add_to_collection(v1.GraphKeys.GLOBAL_STEP, counter(variables))
        step = v1.train.get_global_step()
        update = v1.assign_add(step, 1)
        hook = compat.StopAtStepHook(last_step=10)
        hook.begin()
        with compat.Session(graph=graph) as sess:
            sess.run(step.initializer)
            for run in range(RUNS):
                assert sess.run([update.op, hook._global_step_tensor])[1] == run


def test_control_dependencies_put_computations_behind_an_update(variables):
    with tf.Graph().as_default() as graph:
        weight = v1.get_variable(
            "w", [2], initializer=v1.ones_initializer(), use_resource=variables
        )
        update = v1.assign_add(weight, [1.0, 2.0])
        with tf.control_dependencies([update.op]):
            after = weight.read_value() * 10 if variables else weight * 10
        with compat.Session(graph=graph) as sess:
            sess.run(weight.initializer)
            for run in range(1, RUNS):
                np.testing.assert_allclose(sess.run(after), [10 + 10 * run, 10 + 20 * run])


def test_moving_average_behind_the_train_op_averages_the_new_weights(variables, tf1_switches):
    with tf.Graph().as_default() as graph:
        weight = v1.get_variable(
            "w", [], initializer=v1.constant_initializer(1.0), use_resource=variables
        )
        train = v1.train.GradientDescentOptimizer(0.5).minimize(weight * 1.0)
        average = tf.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([train]):
            maintain = average.apply([weight])
        shadow = average.average(weight)
        with compat.Session(graph=graph) as sess:
            sess.run(v1.global_variables_initializer())
            sess.run(maintain)
            # w: 1.0 -> 0.5; the shadow starts at 1.0 and moves half way to the new weight.
            if not variables:
                assert sess.run(shadow) == pytest.approx(0.75)
            assert sess.run(weight) == pytest.approx(0.5)


def test_an_update_that_a_script_orders_behind_a_read_leaves_the_old_value():
    with tf.Graph().as_default() as graph:
        step = counter(True)
        old = step.read_value()
        with tf.control_dependencies([old]):
            update = v1.assign_add(step, 1)
        with compat.Session(graph=graph) as sess:
            sess.run(step.initializer)
            assert [sess.run([old, update.op])[0] for _ in range(3)] == [0, 1, 2]


def test_crossed_reads_and_updates_do_not_deadlock(variables):
    """Each variable's update depends on a read of the other, made behind its own update."""
    with tf.Graph().as_default() as graph:
        a, b = (
            v1.get_variable(n, [], initializer=v1.ones_initializer(), use_resource=variables)
            for n in "ab"
        )
        first, second = v1.assign_add(a, 1.0), v1.assign_add(b, 1.0)
        with tf.control_dependencies([first.op]):
            late_b = b.read_value() + 0
        with tf.control_dependencies([second.op]):
            late_a = a.read_value() + 0
        with compat.Session(graph=graph) as sess:
            sess.run([a.initializer, b.initializer])
            values = sess.run([late_a, late_b, first.op, second.op])[:2]
            assert all(value in (1.0, 2.0) for value in values)
