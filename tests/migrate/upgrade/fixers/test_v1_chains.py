"""U105: tf.compat.v1.X where tf becomes compat.v1."""

import pytest

CHANGED = [
    (
        "import tensorflow as tf\ntf.placeholder(1)\ntf.compat.v1.logging.info(1)\n",
        "import compat.v1 as tf\ntf.placeholder(1)\ntf.logging.info(1)\n",
    ),
    (
        "import tensorflow\ntensorflow.placeholder(1)\ntensorflow.compat.v1.Session()\n",
        "import compat.v1 as tensorflow\ntensorflow.placeholder(1)\ntensorflow.Session()\n",
    ),
    (
        "import tensorflow.compat.v1\nwith tensorflow.compat.v1.Session() as s: pass\n",
        "import compat.v1 as tensorflow\nwith tensorflow.Session() as s: pass\n",
    ),
    (
        "import tensorflow as tf\ntf.placeholder(1)\n"
        "x = (tf\n     .compat.v1\n     .train.Saver)()\n",
        "import compat.v1 as tf\ntf.placeholder(1)\nx = (tf\n     .train.Saver)()\n",
    ),
]


@pytest.mark.parametrize("before, after", CHANGED)
def test_changed(upgraded, before, after):
    assert upgraded(before) == after


def test_what_stays_unsupported_is_still_reported(left):
    text = "import tensorflow as tf\ntf.placeholder(1)\ntf.compat.v1.train.Server({})\n"
    assert left(text) == [(3, "C401")]
