"""U106: files that take TF2 as tf."""

import pytest

CHANGED = [
    (
        "import tensorflow as tf\n\n\nclass H(tf.compat.v1.train.SessionRunHook):\n    pass\n",
        "import tensorflow as tf\nimport compat.v1 as tf1\n\n\n"
        "class H(tf1.train.SessionRunHook):\n    pass\n",
    ),
    (
        "import tensorflow as tf\ntf.summary.record_if(1)\ntf.estimator.SessionRunHook\n",
        "import tensorflow as tf\nimport compat.v1 as tf1\n"
        "tf.summary.record_if(1)\ntf1.estimator.SessionRunHook\n",
    ),
    (
        "import tensorflow as tf\nimport tensorflow.compat.v1 as tf1\n"
        "tf.summary.record_if(1)\ntf1.Session()\ntf.compat.v1.Session()\n",
        "import tensorflow as tf\nimport compat.v1 as tf1\n"
        "tf.summary.record_if(1)\ntf1.Session()\ntf1.Session()\n",
    ),
    (
        "import tensorflow as tf\ntf1 = 3\ntf.compat.v1.Session()\n",
        "import tensorflow as tf\nimport compat.v1 as tf_v1\ntf1 = 3\ntf_v1.Session()\n",
    ),
    (
        "import tensorflow as tf\n"
        "from tensorflow.compat.v1.train import Saver\ntf.summary.record_if(1)\n",
        "import tensorflow as tf\nfrom compat.v1.train import Saver\ntf.summary.record_if(1)\n",
    ),
]

UNCHANGED = [
    "import tensorflow as tf\ntf.summary.record_if(1)\ntf.keras.layers.Dense(3)\n",
    "from tensorflow import keras\nimport tensorflow as tf\ntf.summary.record_if(1)\n",
]


@pytest.mark.parametrize("before, after", CHANGED)
def test_changed(upgraded, before, after):
    assert upgraded(before) == after


@pytest.mark.parametrize("text", UNCHANGED)
def test_unchanged(upgraded, left, text):
    assert upgraded(text) == text
    assert left(text) == []


def test_tf1_code_with_a_tf2_name_is_swapped_and_the_name_reported(upgraded, left):
    text = "import tensorflow as tf\ntf.placeholder(1)\ntf.summary.record_if(1)\n"
    assert upgraded(text) == text.replace("tensorflow", "compat.v1")
    assert left(text) == [(3, "C305")]
