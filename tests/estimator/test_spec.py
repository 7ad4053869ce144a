"""EstimatorSpec: what each mode needs and what is refused."""

import pytest
import tensorflow as tf

from compat.estimator import EstimatorSpec, export

v1 = tf.compat.v1
DEFAULT = "serving_default"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize(
    "mode, missing", [("train", "train_op"), ("eval", "loss"), ("infer", "predictions")]
)
def test_each_mode_needs_something(mode, missing):
    parts = {"loss": tf.constant(1.0), "train_op": tf.no_op(), "predictions": tf.constant([1.0])}
    EstimatorSpec(mode, **parts)
    del parts[missing]
    with pytest.raises(ValueError, match=missing):
        EstimatorSpec(mode, **parts)


def test_a_loss_of_one_element_becomes_a_scalar():
    assert EstimatorSpec("eval", loss=tf.constant([1.0])).loss.shape.rank == 0
    with pytest.raises(ValueError, match="one element"):
        EstimatorSpec("eval", loss=tf.constant([1.0, 2.0]))


@pytest.mark.parametrize(
    "part",
    [
        {"loss": 1.0},
        {"predictions": {"a": 1.0}},
        {"train_op": "op"},
        {"training_hooks": [object()]},
        {"scaffold": object()},
        {"eval_metric_ops": []},
        {"eval_metric_ops": {"a": 1}},
        {"export_outputs": {"a": 1}, "mode": "infer"},
    ],
)
def test_parts_of_wrong_types_are_refused(part):
    arguments = {
        "mode": "train",
        "loss": tf.constant(1.0),
        "train_op": tf.no_op(),
        "predictions": tf.constant([1.0]),
    }
    with pytest.raises(TypeError):
        EstimatorSpec(**{**arguments, **part})


def test_a_tensor_of_another_graph_is_refused():
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="graph"):
        EstimatorSpec("eval", loss=other)


def test_a_keras_3_metric_names_the_way():
    import keras

    with pytest.raises(TypeError, match="metrics"):
        EstimatorSpec("eval", loss=tf.constant(1.0), eval_metric_ops={"a": keras.metrics.Mean()})


def test_predictions_are_the_default_signature():
    spec = EstimatorSpec("infer", predictions={"a": tf.constant([1.0])})
    assert list(spec.export_outputs) == [DEFAULT]
    named = {"a": export.PredictOutput(tf.constant([1.0]))}
    spec = EstimatorSpec("infer", predictions=tf.constant([1.0]), export_outputs=named)
    assert set(spec.export_outputs) == {"a", DEFAULT}
    two = {"a": named["a"], "b": named["a"]}
    with pytest.raises(ValueError, match="default"):
        EstimatorSpec("infer", predictions=tf.constant([1.0]), export_outputs=two)


def test_replace_checks_and_keeps_the_mode():
    spec = EstimatorSpec("eval", loss=tf.constant(1.0))
    assert spec._replace(predictions=tf.constant([1.0])).loss is spec.loss
    with pytest.raises(ValueError, match="mode"):
        spec._replace(mode="train")
