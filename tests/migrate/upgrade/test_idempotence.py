"""Whatever a file is made of: an upgrade parses, changes only what it must, and settles."""

import ast
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from compat.migrate.source.reading import Source, SourceError
from compat.migrate.upgrade.engine import upgrade_source
from compat.migrate.upgrade.registry import MODES

CORPUS = Path(__file__).parents[1] / "corpus"
LEGACY = Path(__file__).parents[3] / "migration_guide" / "legacy_scripts"

IMPORTS = [
    "import tensorflow as tf",
    "import tensorflow",
    "import tensorflow.compat.v1 as tf",
    "import tensorflow.compat.v1 as tf1",
    "import compat.v1 as tf",
    "from tensorflow import train, contrib",
    "from tensorflow.train import SessionRunHook, Saver as S",
    "from tensorflow.python.training import session_run_hook",
    "from tensorflow.python.framework import ops",
    "from tensorflow.contrib import rnn, slim",
    "from tensorflow.contrib.rnn import LSTMCell, UGRNNCell",
    "import tensorflow.python.training.session_run_hook",
    "import numpy as np, tensorflow as tf",
    "from tensorflow import *",
    "import compat",
    "import tensorflow_estimator as tfe",
]
USES = [
    "tf.train.Saver()",
    "x = tf.compat.v1.Session()  # note",
    "tensorflow.train.Saver()",
    "tensorflow.python.training.session_run_hook.SessionRunHook",
    "tf1.placeholder(tf.float32)",
    "tf.placeholder(1)",
    "tf.summary.record_if(True)",
    "tf.contrib.rnn.LSTMCell(3)",
    "tf.contrib.slim.conv2d(x)",
    "session_run_hook.SessionRunHook()",
    "ops.GraphKeys, ops.no_such_name",
    "rnn.LSTMCell(3); slim.conv2d",
    "tf.mul(a, (tf.pack)([b]))",
    "class H(tf.train.SessionRunHook):\n    pass",
    "class H(SessionRunHook, object):\n    x = 1",
    "class L(tfe.estimator.CheckpointSaverListener): pass",
    "def f(tf):\n    return tf.contrib.rnn.LSTMCell",
    "def f():\n    import tensorflow as tf\n    return tf.train.Saver",
    "with tf.train.MonitoredTrainingSession() as sess:\n"
    "    while not sess.should_stop():\n        sess.run(train_op)",
    "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n    import tensorflow as tf",
    "tf = tf.compat.v1",
    "estimator.train(f, hooks=[h])",
    "",
    "# a comment",
    "'''import tensorflow'''",
]

programs = st.builds(
    lambda head, body: "\n".join([*head, *body]) + "\n",
    st.lists(st.sampled_from(IMPORTS), min_size=1, max_size=4),
    st.lists(st.sampled_from(USES), max_size=6),
)


def upgrade(text, mode):
    return upgrade_source(Source(Path("/nowhere/x.py"), text.encode()), mode).new.decode()


def settles(text, mode):
    once = upgrade(text, mode)
    ast.parse(once)
    assert upgrade(once, mode) == once
    return once


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs)
@example("import compat\nimport tensorflow as tf\nclass H(tf.train.SessionRunHook): pass\n")
def test_a_second_run_changes_nothing(mode, text):
    settles(text, mode)


@settings(max_examples=100, deadline=None)
@given(programs)
def test_comments_and_lines_without_tensorflow_stay(text):
    once = settles(text, "dropin")
    kept = ("# a comment", "'''import tensorflow'''", "estimator.train(f, hooks=[h])")
    for line in kept:
        assert once.count(line) == text.count(line)


@settings(max_examples=60, deadline=None)
@given(programs)
@example(
    "import tensorflow_estimator as tfe\nclass L(tfe.estimator.CheckpointSaverListener): pass\n"
)
def test_keras_after_dropin_is_keras_at_once(text):
    assert settles(upgrade(text, "dropin"), "keras") == settles(text, "keras")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "path",
    sorted([*CORPUS.rglob("*.py"), *LEGACY.rglob("*.py")]),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_real_files_settle(path, mode):
    try:
        Source(path)
    except SourceError:
        pytest.skip("not Python 3")
    settles(path.read_text(), mode)
