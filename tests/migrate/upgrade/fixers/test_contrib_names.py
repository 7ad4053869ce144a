"""U104: tf.contrib names with a successor."""

import pytest

CHANGED = [
    (
        "import tensorflow as tf\ntf.contrib.rnn.LSTMCell(4)\n",
        "import compat.v1 as tf\ntf.nn.rnn_cell.LSTMCell(4)\n",
    ),
    (
        "import tensorflow as tf\nx = (tf.contrib.framework.get_or_create_global_step)()\n",
        "import compat.v1 as tf\nx = (tf.train.get_or_create_global_step)()\n",
    ),
    (
        "import tensorflow as tf\ntf.contrib.rnn.LSTMCell.zero_state\n",
        "import compat.v1 as tf\ntf.nn.rnn_cell.LSTMCell.zero_state\n",
    ),
    (
        "import tensorflow as tf\nrnn = tf.contrib.rnn\nrnn.LSTMCell(4)\n",
        "import compat.v1 as tf\nrnn = tf.contrib.rnn\ntf.nn.rnn_cell.LSTMCell(4)\n",
    ),
    (
        "from tensorflow.contrib.rnn import LSTMCell, BasicLSTMCell as B\nLSTMCell(4)\n",
        "from compat.v1.nn.rnn_cell import LSTMCell, BasicLSTMCell as B\nLSTMCell(4)\n",
    ),
    (
        "from tensorflow.contrib.data import map_and_batch\n",
        "from compat.v1.data.experimental import map_and_batch\n",
    ),
    (
        "from tensorflow.contrib import rnn\nrnn.LSTMCell(4)\n",
        "from compat.v1.contrib import rnn\nimport compat.v1 as tf\ntf.nn.rnn_cell.LSTMCell(4)\n",
    ),
    (
        "from tensorflow.contrib.framework import arg_scope, get_global_step\n",
        "from compat.v1.contrib.framework import arg_scope\n"
        "from compat.v1.train import get_global_step\n",
    ),
    (
        "import tensorflow as tf\n\n\ndef f(tf):\n    from tensorflow.contrib import rnn\n"
        "    return rnn.LSTMCell(4)\n",
        "import compat.v1 as tf\nimport compat.v1 as tf1\n\n\ndef f(tf):\n"
        "    from compat.v1.contrib import rnn\n    return tf1.nn.rnn_cell.LSTMCell(4)\n",
    ),
]


@pytest.mark.parametrize("before, after", CHANGED)
def test_changed(upgraded, before, after):
    assert upgraded(before) == after


@pytest.mark.parametrize(
    "use", ["tf.contrib.slim.conv2d", "tf.contrib.layers.batch_norm(x)", "tf.contrib.nowhere.x"]
)
def test_names_without_a_successor_stay_and_are_reported(upgraded, left, use):
    text = f"import tensorflow as tf\n{use}\n"
    assert upgraded(text) == f"import compat.v1 as tf\n{use}\n"
    assert left(text) == [(2, "C403")]


def test_the_report_names_the_replacement(left_texts):
    (text,) = left_texts("import tensorflow as tf\ntf.contrib.layers.fully_connected(x)\n")
    assert "tf.layers.dense" in text


def test_shadowed_names_stay(upgraded):
    text = "def f(tf):\n    return tf.contrib.rnn.LSTMCell(4)\n"
    assert upgraded(text) == text
