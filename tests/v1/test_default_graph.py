"""When `compat.v1` puts TF1's default graph in place."""

import pytest
import tensorflow as tf

from compat import v1


@pytest.mark.parametrize("name", ["Session", "InteractiveSession"])
def test_a_session_made_before_the_first_op_runs_that_op(name):
    session = getattr(v1, name)()
    assert session.run(v1.constant(21.0) * 2) == 42.0
    session.close()


def test_names_that_build_nothing_leave_tensorflow_eager():
    _ = v1.train.StopAtStepHook, v1.ConfigProto, v1.gfile.Exists, v1.float32, v1.errors
    assert tf.executing_eagerly()


def test_an_op_puts_the_graph_in_place_and_the_switch_takes_it_away():
    assert v1.constant(1.0).graph is v1.get_default_graph()
    v1.enable_eager_execution()
    assert tf.executing_eagerly()


@pytest.mark.parametrize("scope", ["name_scope", "variable_scope"])
def test_a_scope_opened_before_the_first_op_holds_that_op(scope):
    with getattr(v1, scope)("first"):
        assert v1.placeholder(tf.float32, name="x").op.name == "first/x"


@pytest.mark.parametrize(
    "build",
    [
        lambda: v1.FIFOQueue(3, [tf.float32]).queue_ref,
        lambda: v1.queue.PaddingFIFOQueue(3, [tf.float32], [[None]]).queue_ref,
        lambda: v1.SparseTensor([[0]], [1.0], [3]).values,
        lambda: v1.TensorArray(tf.float32, size=1).write(0, 1.0).stack(),
        lambda: v1.TextLineReader().reader_ref,
        lambda: v1.distributions.Normal(0.0, 1.0).loc,
        lambda: v1.linalg.LinearOperatorDiag([1.0]).diag,
        lambda: v1.lookup.KeyValueTensorInitializer(["a"], [1])._keys,
        lambda: v1.ConditionalAccumulator(tf.float32).accumulator_ref,
    ],
)
def test_classes_that_build_ops_put_the_graph_in_place(build):
    assert build().graph is v1.get_default_graph()


def test_an_event_file_may_be_the_first_thing_that_is_made(tmp_path):
    writer = v1.summary.FileWriter(str(tmp_path))
    writer.add_summary(v1.Summary(), 1)
    writer.close()
    assert list(tmp_path.iterdir())
