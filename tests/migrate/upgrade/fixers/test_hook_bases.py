"""U301: hook classes get the package's base."""

import pytest

from compat.migrate import symbols

HEAD = "import tensorflow as tf\n"
NEW_HEAD = "import compat.v1 as tf\nimport compat\n"


@pytest.mark.parametrize(
    "before, after",
    [
        ("class H(tf.train.SessionRunHook): pass\n", "class H(compat.SessionRunHook): pass\n"),
        ("class H(tf.estimator.SessionRunHook): pass\n", "class H(compat.SessionRunHook): pass\n"),
        (
            "class H(tf.compat.v1.train.LoggingTensorHook): pass\ntf.placeholder\n",
            "class H(compat.LoggingTensorHook): pass\ntf.placeholder\n",
        ),
        (
            "class L(tf.train.CheckpointSaverListener): pass\n",
            "class L(compat.CheckpointSaverListener): pass\n",
        ),
        (
            "class H(Mixin, tf.train.SessionRunHook, metaclass=M): pass\n",
            "class H(Mixin, compat.SessionRunHook, metaclass=M): pass\n",
        ),
        (
            "def f():\n    class H(tf.train.StopAtStepHook): pass\n",
            "def f():\n    class H(compat.StopAtStepHook): pass\n",
        ),
    ],
)
def test_changed(upgraded, before, after):
    assert upgraded(HEAD + before, "keras") == NEW_HEAD + after


def test_imported_bases(upgraded):
    text = (
        "from tensorflow.python.training import session_run_hook\n"
        "from tensorflow.train import SessionRunHook as Hook\n"
        "class A(session_run_hook.SessionRunHook): pass\nclass B(Hook): pass\n"
    )
    assert upgraded(text, "keras") == (
        "from compat.v1 import train as session_run_hook\n"
        "from compat.v1.train import SessionRunHook as Hook\nimport compat\n"
        "class A(compat.SessionRunHook): pass\nclass B(compat.SessionRunHook): pass\n"
    )


@pytest.mark.parametrize(
    "text", ["class A: pass\n", "class A(tf.Module): pass\n", "class B(H): pass\n"]
)
def test_other_classes_stay(upgraded, text):
    assert upgraded(HEAD + text, "keras") == "import compat.v1 as tf\n" + text


def test_classes_in_other_modes_stay(upgraded):
    text = "class H(tf.train.SessionRunHook): pass\n"
    assert upgraded(HEAD + text) == "import compat.v1 as tf\n" + text


def test_a_taken_name_is_left_to_a_person(upgraded, left):
    text = HEAD + "compat = 1\nclass H(tf.train.SessionRunHook): pass\n"
    assert "class H(tf.train.SessionRunHook)" in upgraded(text, "keras")
    assert left(text, "keras") == [(3, "U301")]


def test_every_base_is_a_name_of_the_package():
    import compat

    names = symbols.HOOK_BASES | symbols.LISTENER_BASES
    # The evaluator hook is an Estimator's and stays under tf.estimator.experimental.
    assert names - {"InMemoryEvaluatorHook"} <= set(compat.__all__)
