"""Reference variables: every op that updates one does the same on the engine."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import compat
from compat.engine import references

v1 = tf.compat.v1
train = v1.train

OPTIMIZERS = {
    "sgd": lambda: train.GradientDescentOptimizer(0.1),
    "momentum": lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: train.AdamOptimizer(0.1),
    "adagrad": lambda: train.AdagradOptimizer(0.1),
    "adagrad_da": lambda: train.AdagradDAOptimizer(0.1, train.get_or_create_global_step()),
    "adadelta": lambda: train.AdadeltaOptimizer(0.5),
    "rmsprop": lambda: train.RMSPropOptimizer(0.1, momentum=0.5),
    "centered_rmsprop": lambda: train.RMSPropOptimizer(0.1, centered=True),
    "ftrl": lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "proximal_sgd": lambda: train.ProximalGradientDescentOptimizer(0.1, 0.01),
    "proximal_adagrad": lambda: train.ProximalAdagradOptimizer(0.1),
}


def run_both(build):
    """Values of `build`'s fetches after its ops ran five times, by engine and by TensorFlow."""
    with tf.Graph().as_default() as graph:
        ops, fetches = build()
        init = v1.global_variables_initializer()
    results = []
    for make in (compat.Session, v1.Session):
        with make(graph=graph) as sess:
            sess.run(init)
            for _ in range(5):
                sess.run(ops)
            results.append(sess.run(fetches))
    return results


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name, variables):
    def build():
        dense = v1.get_variable(
            "w", [4, 3], initializer=v1.random_normal_initializer(seed=1), use_resource=variables
        )
        table = v1.get_variable(
            "e", [6, 2], initializer=v1.random_normal_initializer(seed=2), use_resource=variables
        )
        rows = tf.nn.embedding_lookup(table, [1, 3, 3])
        loss = tf.reduce_sum(tf.matmul(tf.ones([2, 4]), dense) ** 2) + tf.reduce_sum(rows**2)
        step = train.get_or_create_global_step()
        # TensorFlow's own reads race with the updates; the loss comes first.
        with tf.control_dependencies([loss]):
            op = OPTIMIZERS[name]().minimize(loss, global_step=step)
        return op, v1.global_variables()

    for ours, theirs in zip(*run_both(build), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("op", ["update", "add", "sub", "mul", "div", "min", "max"])
def test_scatter(op, variables):
    def build():
        table = v1.get_variable(
            "t", initializer=np.arange(1, 9, dtype="f").reshape(4, 2), use_resource=variables
        )
        return getattr(v1, f"scatter_{op}")(table, [0, 2], [[2.0, 3.0], [4.0, 5.0]]), [table]

    ours, theirs = run_both(build)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("op", ["update", "add", "sub"])
def test_scatter_nd(op, variables):
    def build():
        table = v1.get_variable("t", initializer=np.arange(8, dtype="f"), use_resource=variables)
        return getattr(v1, f"scatter_nd_{op}")(table, [[1], [5]], [7.0, 9.0]), [table]

    ours, theirs = run_both(build)
    np.testing.assert_array_equal(ours, theirs)


def test_chained_references(tf1_switches):
    def build():
        value = v1.get_variable("v", [], initializer=v1.ones_initializer(), use_resource=False)
        chained = v1.assign_add(v1.assign(value, value + 1.0), 10.0)
        return chained, [value]

    ours, theirs = run_both(build)
    np.testing.assert_array_equal(ours, theirs)


def test_updates_in_conditions_and_loops(tf1_switches):
    def build():
        value = v1.get_variable("v", [], initializer=v1.ones_initializer(), use_resource=False)
        flag = v1.get_variable("f", [], tf.bool, v1.zeros_initializer(), use_resource=False)
        bump = tf.cond(flag, lambda: v1.assign_add(value, 1.0), lambda: v1.assign_sub(value, 3.0))

        def body(i):
            with tf.control_dependencies([v1.assign_add(value, 0.5)]):
                return i + 1

        with tf.control_dependencies([bump]):
            (loop,) = tf.while_loop(lambda i: i < 3, body, [0])
        with tf.control_dependencies([loop]):
            flip = v1.assign(flag, tf.logical_not(flag))
        return flip, [value, flag]

    ours, theirs = run_both(build)
    assert ours == theirs


def test_count_up_to_and_shape_changes(tf1_switches):
    def build():
        limit = v1.get_variable("n", [], tf.int32, v1.zeros_initializer(), use_resource=False)
        grown = v1.get_variable("g", initializer=np.zeros(2, "f"), use_resource=False)
        grow = v1.assign(grown, tf.concat([grown, [1.0]], 0), validate_shape=False)
        return [v1.count_up_to(limit, 100), grow], [limit, grown]

    ours, theirs = run_both(build)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


def test_identities_of_references_are_fetched_as_values(tf1_switches):
    def build():
        v = v1.get_variable("v", [], initializer=v1.zeros_initializer(), use_resource=False)
        first, two = v1.tuple([v1.assign_add(v, 1.0), tf.constant(2.0)])
        assert first.op.type == "RefIdentity"
        return [first, v1.assign_add(first, 0.5)], [first, first.name, two, first + 1, v]

    ours, theirs = run_both(build)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("first", [True, False])
def test_conditions_on_references_are_fetched_as_values(first, tf1_switches):
    def build():
        v = v1.get_variable("v", [], initializer=v1.zeros_initializer(), use_resource=False)
        w = v1.get_variable("w", [], initializer=v1.ones_initializer(), use_resource=False)
        which = tf.constant(first)
        one = v1.cond(which, lambda: v1.assign_add(v, 1.0), lambda: v1.assign_add(v, 2.0))
        other = v1.cond(which, lambda: v1.assign_add(v, 4.0), lambda: v1.assign_add(w, 8.0))
        assert {one.op.type, other.op.type} == {"RefMerge"}
        return [one], [other, other + 1]

    ours, theirs = run_both(build)
    np.testing.assert_array_equal(ours, theirs)


def test_a_value_of_another_shape_is_refused():
    with tf.Graph().as_default():
        v = v1.get_variable("v", [2], initializer=v1.zeros_initializer(), use_resource=False)
        value = v1.placeholder(tf.float32, None)
        computed = tf.tile(value, [1])
        with compat.Session() as sess:
            for part in (value, computed):
                with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
                    sess.run(v1.assign(v, part), {value: [1.0, 2.0, 3.0]})
                assert not sess.run(v1.is_variable_initialized(v))
            assert sess.run(v1.assign(v, computed), {value: [1.0, 2.0]}).tolist() == [1, 2]
            free = v1.assign(v, value, validate_shape=False)
            assert sess.run(free, {value: [1.0, 2.0, 3.0]}).tolist() == [1, 2, 3]


def test_a_checkpoint_of_another_shape_is_refused(tmp_path):
    def graph(rows):
        with tf.Graph().as_default() as graph:
            v1.get_variable("v", [rows, 2], initializer=v1.ones_initializer(), use_resource=False)
            return graph, v1.train.Saver(), v1.global_variables_initializer()

    old, saver, init = graph(3)
    with compat.Session(graph=old) as sess:
        sess.run(init)
        path = saver.save(sess, str(tmp_path / "model"))
    new, saver, _ = graph(5)
    with compat.Session(graph=new) as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="mismatch between the current"):
            saver.restore(sess, path)


def test_reference_counts_match_tensorflow():
    """How many leading inputs are references is TensorFlow's own, for every updating op."""
    from tensorflow.python.framework import op_def_registry

    for name in dir(tf.raw_ops):
        definition = op_def_registry.get(name)
        if definition is None or not any(arg.is_ref for arg in definition.input_arg):
            continue
        if references._twin(name) is None or not name.startswith(("Apply", "SparseApply")):
            continue
        expected = {i for i, arg in enumerate(definition.input_arg) if arg.is_ref}
        assert references._reference_arguments(name) == expected, name
