"""Ready-made estimators: what they refuse. What they learn is in the scripts' recordings."""

import numpy as np
import pytest
import tensorflow as tf

import compat.v1
from compat import estimator as estimators

v1 = tf.compat.v1


@pytest.fixture(scope="module")
def column():
    return compat.v1.feature_column.numeric_column("x")


@pytest.fixture
def data():
    """Makes an input function of six rows with the labels."""

    def make(labels):
        x = np.linspace(-1, 1, 6).astype(np.float32)
        return lambda: tf.data.Dataset.from_tensor_slices(({"x": x}, labels)).batch(3)

    return make


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"feature_columns": []}, ValueError, "feature_columns"),
        ({"n_classes": 1}, ValueError, "n_classes"),
        ({"label_vocabulary": "ab"}, TypeError, "list or tuple"),
        ({"label_vocabulary": ["a", "b", "c"]}, ValueError, "all 2 classes"),
        ({"weight_column": 3}, TypeError, "weight_column"),
        ({"loss_reduction": "some"}, ValueError, "loss_reduction"),
        ({"loss_reduction": v1.losses.Reduction.NONE}, ValueError, "loss_reduction"),
    ],
)
def test_wrong_settings_are_refused(column, arguments, error, match):
    with pytest.raises(error, match=match):
        estimators.LinearClassifier(**{"feature_columns": [column], **arguments})


@pytest.mark.parametrize(
    "settings, labels, error, match",
    [
        ({"n_classes": 3}, np.zeros(6, np.float32), ValueError, "integers"),
        ({"label_vocabulary": ["a", "b"]}, np.zeros(6, np.int64), TypeError, "strings"),
        ({}, np.zeros([6, 2], np.int64), ValueError, "shape"),
        ({"n_classes": 3}, np.arange(6), tf.errors.InvalidArgumentError, "n_classes - 1"),
        ({"weight_column": "w"}, np.zeros(6, np.int64), ValueError, "weight column 'w'"),
        ({"optimizer": "adam"}, np.zeros(6, np.int64), ValueError, "Adam"),
    ],
)
def test_wrong_labels_and_optimizers_are_refused(column, data, settings, labels, error, match):
    classifier = estimators.LinearClassifier([column], **settings)
    with pytest.raises(error, match=match):
        classifier.train(data(labels))


@pytest.mark.parametrize("dtype", [bool, np.float32, np.int32])
def test_labels_of_two_classes_may_be_any_numbers(column, data, dtype):
    classifier = estimators.LinearClassifier([column])
    labels = (np.arange(6) > 2).astype(dtype)
    classifier.train(data(labels))
    assert classifier.evaluate(data(labels))["label/mean"] == 0.5


def test_hidden_layers_may_have_no_activation(column, data):
    regressor = estimators.DNNRegressor([1], [column], activation_fn=None, optimizer="SGD")
    regressor.train(data(np.zeros(6, np.float32)), steps=1)
    parts = [
        regressor.get_variable_value(f"dnn/{layer}/kernel") for layer in ("hiddenlayer_0", "logits")
    ]
    bias = [
        regressor.get_variable_value(f"dnn/{layer}/bias") for layer in ("hiddenlayer_0", "logits")
    ]
    found = [p["predictions"] for p in regressor.predict(data(np.zeros(6, np.float32)))]
    x = np.linspace(-1, 1, 6).astype(np.float32)[:, None]
    np.testing.assert_allclose(found, (x @ parts[0] + bias[0]) @ parts[1] + bias[1], rtol=1e-5)


def test_a_name_that_is_gone_names_the_guide():
    with pytest.raises(AttributeError, match="Ready-made estimators"):
        _ = estimators.BoostedTreesClassifier
