"""The report of what is left to a person."""

import pytest

HEAD = "import tensorflow as tf\n"


@pytest.mark.parametrize("mode", ["dropin", "keras", "tf-function"])
@pytest.mark.parametrize(
    "use, code",
    [
        ("tf.train.Server({})", "C401"),
        ("tf.contrib.slim.x", "C403"),
        ("tf.distribute.MirroredStrategy()", "C302"),
        ("tf.estimator.BoostedTreesClassifier", "C404"),
        ("tf.no_such_name", "C304"),
    ],
)
def test_symbols_that_need_a_person_are_reported(left, mode, use, code):
    assert left(f"{HEAD}x = {use}\n", mode) == [(2, code)]


@pytest.mark.parametrize("use", ["tf.constant(1)", "tf.Session()", "tf.layers.dense", "x.contrib"])
def test_other_symbols_are_not(left, use):
    assert left(f"{HEAD}{use}\n") == []


def test_imports_are_reported_at_their_name(left):
    text = "from tensorflow.contrib import (\n    slim,\n    layers,\n)\n"
    assert left(text) == [(2, "C403"), (3, "C403")]


def test_comments_silence_the_report(left):
    assert left(f"{HEAD}tf.train.Server({{}})  # compat: ignore[C401]\n") == []
    assert left(f"{HEAD}# compat: ignore-file[C4]\ntf.train.Server({{}})\n") == []


def test_options_silence_the_report(left):
    text = f"{HEAD}tf.train.Server({{}})\n"
    assert left(text, ignore=["C4"]) == []
    assert left(text, select=["U101"]) == []
