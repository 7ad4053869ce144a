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
