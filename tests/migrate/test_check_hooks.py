"""Hook classes are found and judged by what their methods do."""

import textwrap

import pytest

from compat.migrate import surfaces
from compat.migrate.check import check
from compat.migrate.surfaces import CHANGES, FIT, FUNCTION, NO, SESSION, YES


def hooks_of(tmp_path, text):
    path = tmp_path / "hooks.py"
    path.write_text("import tensorflow as tf\n" + textwrap.dedent(text))
    return check([str(path)]).hooks


def answers(hook):
    return {surface.name: surface.answer for surface in hook.surfaces}


IN_MEMORY = "tf.estimator.experimental.InMemoryEvaluatorHook"


@pytest.mark.parametrize(
    "base, code, name",
    [
        ("tf.train.SessionRunHook", "C501", "tf.train.SessionRunHook"),
        ("tf.estimator.SessionRunHook", "C501", "tf.train.SessionRunHook"),
        ("tf.compat.v1.train.LoggingTensorHook", "C501", "tf.train.LoggingTensorHook"),
        ("tf.train.CheckpointSaverListener", "C502", "tf.train.CheckpointSaverListener"),
        (
            "tf.estimator.experimental.InMemoryEvaluatorHook",
            "C501",
            IN_MEMORY,
        ),
        ("tf.contrib.estimator.InMemoryEvaluatorHook", "C501", IN_MEMORY),
        ("Mixin, tf.train.SessionRunHook", "C501", "tf.train.SessionRunHook"),
        ("alias", "C501", "tf.train.SessionRunHook"),
        ("getattr(tf.train, 'SessionRunHook')", "C501", "tf.train.SessionRunHook"),
    ],
)
def test_hook_classes_are_known_by_their_base(tmp_path, base, code, name):
    (hook,) = hooks_of(tmp_path, f"alias = tf.train.SessionRunHook\nclass H({base}): pass\n")
    assert (hook.name, hook.code, hook.base) == ("H", code, name)


@pytest.mark.parametrize("base", ["object", "tf.Module", "tf.train.Saver", "dict"])
def test_other_classes_are_not_hooks(tmp_path, base):
    assert hooks_of(tmp_path, f"class H({base}):\n    def end(self): pass\n") == []


def test_classes_of_this_package_are_hooks(tmp_path):
    text = "import compat\nimport compat.v1 as tf1\n"
    text += "class A(compat.SessionRunHook): pass\nclass B(tf1.train.SessionRunHook): pass\n"
    assert [hook.name for hook in hooks_of(tmp_path, text)] == ["A", "B"]


def test_a_class_with_the_methods_of_a_hook_is_listed(tmp_path):
    (hook,) = hooks_of(
        tmp_path,
        """
        class Duck:
            def before_run(self, run_context): pass
            def after_run(self, run_context, run_values): pass
        """,
    )
    assert (hook.code, hook.base, hook.methods) == ("C503", "", ("before_run", "after_run"))


def test_inherited_hooks_nested_classes_and_cycles(tmp_path):
    hooks = hooks_of(
        tmp_path,
        """
        class A(tf.train.SessionRunHook): pass
        class B(A): pass
        def make():
            class C(B): pass
            return C
        class X(Y): pass
        class Y(X): pass
        """,
    )
    assert [hook.name for hook in hooks] == ["A", "B", "make.C"]


BODIES = {
    "counts": ("self.n = 0", YES, YES),
    "asks for the loss": ("return tf.train.SessionRunArgs('loss:0')", YES, YES),
    "asks for the step": ("return tf.train.SessionRunArgs([tf.train.get_global_step()])", YES, YES),
    "asks for its own op": ("return tf.train.SessionRunArgs(self.mine)", YES, YES),
    "asks for a given tensor": ("return tf.train.SessionRunArgs(self.given)", CHANGES, CHANGES),
    "asks for it in a dict": (
        "return tf.train.SessionRunArgs(fetches={'a': self.given})",
        CHANGES,
        CHANGES,
    ),
    "asks for a named tensor": (
        "return tf.train.SessionRunArgs('tower_0/acc:0')",
        CHANGES,
        CHANGES,
    ),
    "looks a tensor up": (
        "tf.get_default_graph().get_tensor_by_name('tower_0/acc:0')",
        CHANGES,
        CHANGES,
    ),
    "looks the loss up": ("tf.get_default_graph().get_tensor_by_name('loss:0')", YES, YES),
    "runs a named op": ("c.session.run(c.session.graph.get_operation_by_name('train'))", NO, NO),
    "restarts an iterator": ("c.session.run(self.iterator.initializer)", NO, NO),
    "starts queues": ("tf.train.start_queue_runners(c.session)", NO, NO),
    "goes inside": ("c.session._tf_sess()", NO, NO),
    "unfinalizes": ("c.session.graph._unsafe_unfinalize()", NO, NO),
    "evaluates": ("self.estimator.evaluate(self.input_fn)", CHANGES, CHANGES),
    "feeds a given tensor": (
        "return tf.train.SessionRunArgs(None, feed_dict={self.given: 1.0})",
        CHANGES,
        CHANGES,
    ),
    "feeds by name": ("return tf.train.SessionRunArgs(None, feed_dict={'x:0': 1.0})", YES, YES),
}


@pytest.mark.parametrize("body, function, fit", BODIES.values(), ids=BODIES)
def test_surfaces_follow_from_what_a_hook_does(tmp_path, body, function, fit):
    (hook,) = hooks_of(
        tmp_path,
        f"""
        class H(tf.train.SessionRunHook):
            def __init__(self, given, estimator):
                self.given = given
                self.estimator = estimator
            def begin(self):
                self.mine = tf.constant(1)
            def before_run(self, c):
                {body}
        """,
    )
    assert answers(hook) == {SESSION: YES, FUNCTION: function, FIT: fit}
    for surface in hook.surfaces:
        assert bool(surface.reasons) == (surface.answer != YES)


def test_ops_made_in_the_constructor_have_to_move(tmp_path):
    (hook,) = hooks_of(
        tmp_path,
        """
        class H(tf.train.SessionRunHook):
            def __init__(self):
                self.timer = tf.train.SecondOrStepTimer(every_steps=3)
                self.double = tf.multiply(2, 3)
        """,
    )
    assert answers(hook)[FIT] == CHANGES
    assert hook.surfaces[2].reasons == (
        "builds graph ops with tf.multiply in __init__: move them to begin()",
    )


def test_every_effect_has_a_test():
    keys = {key for key in surfaces.EFFECTS}
    tested = {
        "constructor-tensor",
        "named-tensor",
        "named-operation",
        "built-in-constructor",
        "initializer",
        "queues",
        "session-insides",
        "estimator",
        "fed-tensor",
        "unfinalize",
    }
    assert keys == tested


def test_a_comment_silences_a_hook_class(tmp_path):
    assert (
        hooks_of(tmp_path, "class H(tf.train.SessionRunHook): pass  # compat: ignore[C501]\n") == []
    )
