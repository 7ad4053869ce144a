"""What a hook can build in `begin` on a model's names, and what it can feed."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from small_models import BATCH, ROWS, Note, quiet, two_layers

import compat

v1 = tf.compat.v1
STEPS = ROWS // BATCH


class Builds(Note):
    """Builds its fetches in `begin`."""

    def __init__(self, build, feeds=None):
        super().__init__(feeds=feeds)
        self.build = build

    def begin(self):
        super().begin()
        self.fetches = self.build(v1.get_default_graph())


def test_ops_on_all_kinds_of_names(data):
    def build(graph):
        kernel = next(v for v in v1.trainable_variables() if v.op.name == "h/kernel")
        gradient = graph.get_tensor_by_name("gradients/h/kernel:0")
        return {
            "norm": tf.norm(gradient),
            "kernel": tf.reduce_sum(kernel),
            "by_name": tf.reduce_sum(graph.get_tensor_by_name("h/kernel:0")),
            "itself": graph.get_tensor_by_name("h/kernel:0"),
            "next_step": graph.get_tensor_by_name("global_step:0") + 1,
            "rate": graph.get_tensor_by_name("learning_rate:0") * 1,
            "mean": tf.reduce_mean(graph.get_tensor_by_name("h/output:0")),
            "doubled": graph.get_tensor_by_name("loss:0") * 2,
            "rows": tf.shape(graph.get_tensor_by_name("x:0"))[0],
        }

    names = ["gradients/h/kernel:0", "h/output:0", "loss:0", "h/kernel:0"]
    hook, plain = Builds(build), Note({name: name for name in names})
    model = two_layers()
    before = model.get_layer("h").get_weights()[0]
    quiet(model, *data, callbacks=[hook, plain])
    for built, values in zip(hook.values, plain.values, strict=True):
        np.testing.assert_allclose(
            built["norm"], np.linalg.norm(values["gradients/h/kernel:0"]), rtol=1e-5
        )
        np.testing.assert_allclose(built["mean"], values["h/output:0"].mean(), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(built["doubled"], values["loss:0"] * 2, rtol=1e-6)
        np.testing.assert_allclose(built["kernel"], before.sum(), rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(built["by_name"], built["kernel"])
        np.testing.assert_array_equal(built["itself"], values["h/kernel:0"])
        assert built["rows"] == BATCH and built["rate"] == np.float32(0.05)
        before = values["h/kernel:0"]
    assert [int(built["next_step"]) for built in hook.values] == [*range(1, STEPS + 1)]


def test_trainable_variables_are_the_models():
    seen = {}

    class Look(compat.SessionRunHook):
        def begin(self):
            seen["trainable"] = [v.op.name for v in v1.trainable_variables()]
            seen["global"] = [v.op.name for v in v1.global_variables()]
            seen["shapes"] = [v.shape.as_list() for v in v1.trainable_variables()]
            seen["step"] = v1.train.get_global_step().op.name
            v1.add_to_collection("mine", 3)

        def after_create_session(self, session, coord):
            assert v1.get_collection("mine") == [3]

    x = np.zeros([4, 3], "float32")
    quiet(two_layers("adam"), x, x[:, :1], callbacks=[Look()])
    assert seen["trainable"] == ["h/kernel", "h/bias", "top/kernel", "top/bias"]
    assert seen["shapes"] == [[3, 4], [4], [4, 1], [1]]
    assert seen["step"] == "global_step"
    assert {"global_step", "learning_rate", "h/kernel/momentum"} <= set(seen["global"])


def test_summaries_reach_the_event_file(data, tmp_path):
    class Summaries(compat.SessionRunHook):
        def begin(self):
            graph = v1.get_default_graph()
            norm = tf.norm(graph.get_tensor_by_name("gradients/h/kernel:0"))
            v1.summary.scalar("gradient", norm)
            v1.summary.scalar("batch_loss", graph.get_tensor_by_name("loss:0"))

    class Merge(compat.SessionRunHook):
        def begin(self):
            self.op = v1.summary.merge_all()
            self.inner = compat.SummarySaverHook(
                save_steps=2, output_dir=str(tmp_path), summary_op=self.op
            )
            self.inner.begin()

        def after_create_session(self, session, coord):
            self.inner.after_create_session(session, coord)

        def before_run(self, run_context):
            return self.inner.before_run(run_context)

        def after_run(self, run_context, run_values):
            self.inner.after_run(run_context, run_values)

        def end(self, session):
            self.inner.end(session)

    quiet(two_layers(), *data, callbacks=[Summaries(), Merge()])
    found = {}
    for path in tmp_path.glob("events*"):
        for event in v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                found.setdefault(value.tag, []).append(event.step)
    assert found == {"gradient": [1, 3, 5, 7], "batch_loss": [1, 3, 5, 7]}


def test_own_variables_and_updates(data):
    class Count(compat.SessionRunHook):
        def begin(self):
            self.total = v1.get_variable("total", [], initializer=v1.zeros_initializer())
            loss = v1.get_default_graph().get_tensor_by_name("loss:0")
            self.add = v1.assign_add(self.total, loss)

        def before_run(self, run_context):
            return compat.SessionRunArgs([self.add, "loss:0"])

        losses: list = []

        def after_run(self, run_context, run_values):
            self.losses.append(run_values.results[1])
            np.testing.assert_allclose(run_values.results[0], sum(self.losses), rtol=1e-5)

    hook = Count()
    quiet(two_layers(), *data, callbacks=[hook])
    assert len(hook.losses) == STEPS


def test_a_saver_made_in_begin(data, tmp_path):
    class Saves(compat.SessionRunHook):
        def begin(self):
            self.saver = v1.train.Saver(v1.trainable_variables())

        def end(self, session):
            self.path = self.saver.save(session, str(tmp_path / "mine"), global_step=7)

    model, hook = two_layers(), Saves()
    quiet(model, *data, callbacks=[hook])
    saved = tf.train.load_checkpoint(hook.path)
    assert hook.path.endswith("mine-7")
    np.testing.assert_array_equal(
        saved.get_tensor("h/kernel"), model.get_layer("h").get_weights()[0]
    )


# --- feeds ---------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{}, {"run_eagerly": True}, {"jit_compile": True}], ids=str)
def test_a_fed_batch_is_trained_on(data, how):
    x, y = data
    fed = np.ones([BATCH, 3], "float32"), np.full([BATCH, 1], 2.0, "float32")
    hook = Note("loss:0", lambda: {"x:0": fed[0], "y:0": fed[1]})
    model, twin = two_layers(**how), two_layers(**how)
    quiet(model, x, y, callbacks=[hook])
    quiet(twin, *(np.tile(part, [STEPS, 1]) for part in fed))
    for one, other in zip(model.get_weights(), twin.get_weights(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_fed_learning_rate_holds_for_the_run(data):
    rates = iter([0.0, 0.0, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05])
    hook = Note("h/kernel:0", lambda: {"learning_rate:0": next(rates)})
    model = two_layers()
    start = model.get_layer("h").get_weights()[0]
    quiet(model, *data, callbacks=[hook])
    np.testing.assert_array_equal(hook.values[1], start)
    assert np.abs(hook.values[2] - start).max() > 0


def test_a_fed_variable(data):
    zeros = np.zeros([3, 4], "float32")
    hook = Note(["h/output:0"], lambda: {"h/kernel:0": zeros, "h/bias:0": np.zeros(4, "float32")})
    quiet(two_layers(), *data, callbacks=[hook])
    assert not np.any(hook.values)


def test_a_placeholder_of_the_hook(data):
    class Feeds(Note):
        def begin(self):
            self.scale = v1.placeholder(tf.float32, [], name="scale")
            self.fetches = v1.get_default_graph().get_tensor_by_name("loss:0") * self.scale
            self.feeds = lambda: {self.scale: 3.0}

    hook, plain = Feeds(), Note("loss:0")
    quiet(two_layers(), *data, callbacks=[hook, plain])
    np.testing.assert_allclose(hook.values, np.multiply(plain.values, 3.0), rtol=1e-6)


def test_two_hooks_that_feed_the_same(data):
    hooks = [Note(feeds=lambda: {"x:0": np.ones([BATCH, 3], "float32")}) for _ in range(2)]
    with pytest.raises(RuntimeError, match="Same tensor is fed by two hooks"):
        quiet(two_layers(), *data, callbacks=hooks)


def test_feed_of_an_unknown_name(data):
    with pytest.raises((TypeError, ValueError), match="nothing_like_it"):
        quiet(two_layers(), *data, callbacks=[Note(feeds=lambda: {"nothing_like_it:0": 1.0})])


def test_a_hook_that_builds_too_late(data):
    class Late(compat.SessionRunHook):
        def before_run(self, run_context):
            return compat.SessionRunArgs(tf.constant(1.0))

    with pytest.raises(RuntimeError, match="finalized"):
        quiet(two_layers(), *data, callbacks=[Late()])


def test_values_of_a_keras_variable_in_an_op(data):
    model = two_layers()
    hook = Builds(lambda graph: tf.reduce_sum(tf.square(model.get_layer("top").kernel)))
    before = model.get_layer("top").get_weights()[0]
    quiet(model, *data, callbacks=[hook], steps_per_epoch=1)
    np.testing.assert_allclose(hook.values[0], np.square(before).sum(), rtol=1e-5)
    assert keras.backend.backend() == "tensorflow"


def test_values_given_by_the_hook(data, tmp_path):
    """`tf.train.init_from_checkpoint` in `begin` and `Variable.load` reach the model."""
    path = str(tmp_path / "pretrained")
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("bert/kernel", initializer=np.full([3, 4], 7, "float32"))
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, path)

    class Pretrained(compat.SessionRunHook):
        def begin(self):
            self.kernel, self.bias, *_ = v1.trainable_variables()
            v1.train.init_from_checkpoint(path, {"bert/kernel": self.kernel})

        def after_create_session(self, session, coord):
            self.bias.load(np.arange(4), session)
            self.found = session.run([self.kernel, self.bias])

    hook = Pretrained()
    model = two_layers(keras.optimizers.SGD(0.0))
    top = model.get_layer("top").kernel.numpy()
    quiet(model, *data, callbacks=[hook])
    for kernel, bias in (hook.found, model.get_layer("h").get_weights()):
        np.testing.assert_array_equal(kernel, np.full([3, 4], 7, "float32"))
        np.testing.assert_array_equal(bias, np.arange(4))
    np.testing.assert_array_equal(model.get_layer("top").kernel, top)


def test_a_checkpoint_to_go_on_from_counts_more_than_initial_values(data, tmp_path):
    quiet(two_layers(), *data, callbacks=[compat.CheckpointSaverHook(str(tmp_path), save_steps=8)])
    latest = tf.train.latest_checkpoint(str(tmp_path))
    older = tf.train.load_checkpoint(str(tmp_path / "model.ckpt-0"))

    class Initial(compat.SessionRunHook):
        def begin(self):
            v1.train.init_from_checkpoint(str(tmp_path / "model.ckpt-0"), {"h/": "h/"})

        def after_create_session(self, session, coord):
            self.found = session.run("h/kernel:0")

    alone, going_on = Initial(), Initial()
    quiet(two_layers(), *data, callbacks=[alone])
    np.testing.assert_array_equal(alone.found, older.get_tensor("h/kernel"))
    with_directory = compat.HookCallback(going_on, checkpoint_dir=str(tmp_path))
    quiet(two_layers(), *data, callbacks=[with_directory])
    newer = tf.train.load_checkpoint(latest)
    np.testing.assert_array_equal(going_on.found, newer.get_tensor("h/kernel"))
