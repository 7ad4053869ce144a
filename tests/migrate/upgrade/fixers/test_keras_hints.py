"""U302: how training calls look in Keras."""

import pytest

HEAD = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    "text, word",
    [
        ("with tf.train.MonitoredTrainingSession(hooks=h) as sess: pass\n", "model.fit"),
        ("with tf.train.SingularMonitoredSession(hooks=h) as sess: pass\n", "model.fit"),
        ("estimator.train(input_fn, hooks=h, steps=3)\n", "callbacks=[*hooks]"),
        ("estimator.train(input_fn, saving_listeners=[x])\n", "listeners="),
        ("estimator.evaluate(input_fn, hooks=h)\n", "model.evaluate"),
        ("classifier.predict(input_fn, hooks=h)\n", "model.predict"),
        ("tf.estimator.train_and_evaluate(a, b, c)\n", "validation_data"),
    ],
)
def test_hints(left, left_texts, text, word):
    assert left(HEAD + text, "keras") == [(2, "U302")]
    assert word in left_texts(HEAD + text, "keras")[0]


@pytest.mark.parametrize(
    "text", ["estimator.train(input_fn)\n", "model.train(x)\n", "train(hooks=1)\n"]
)
def test_other_calls_get_no_hint(left, text):
    assert left(HEAD + text, "keras") == []


def test_no_hints_in_other_modes(left):
    assert left(HEAD + "estimator.train(input_fn, hooks=h)\n") == []
