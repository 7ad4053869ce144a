"""Checkpoints of a fit: what is written, how it goes on, and loading TF1's own."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from small_models import BATCH, ROWS, Note, quiet, two_layers

import compat

v1 = tf.compat.v1
STEPS = ROWS // BATCH


def weights_equal(one, other):
    return all(
        np.array_equal(a, b) for a, b in zip(one.get_weights(), other.get_weights(), strict=True)
    )


def test_files_and_names(data, tmp_path):
    model = two_layers("adam")
    hook = compat.CheckpointSaverHook(str(tmp_path), save_steps=3)
    quiet(model, *data, callbacks=[hook])
    names = {path.name for path in tmp_path.iterdir()}
    for step in (0, 3, 6, 8):
        assert {f"model.ckpt-{step}.index", f"model.ckpt-{step}.meta"} <= names
    assert "checkpoint" in names and "graph.pbtxt" in names
    saved = tf.train.load_checkpoint(str(tmp_path))
    assert saved.get_tensor("global_step") == STEPS
    shapes = saved.get_variable_to_shape_map()
    assert {"h/kernel", "h/bias", "top/kernel", "top/bias", "h/kernel/momentum"} <= set(shapes)
    np.testing.assert_array_equal(
        saved.get_tensor("h/kernel"), model.get_layer("h").get_weights()[0]
    )


@pytest.mark.parametrize("way", ["hook", "wrapper", "object based", "object based hook"])
@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_fit_goes_on_from_the_checkpoint(data, tmp_path, way, optimizer):
    def callbacks(model):
        directory = str(tmp_path)
        checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
        scaffold = compat.Scaffold(saver=checkpoint)
        hook = {
            "hook": lambda: compat.CheckpointSaverHook(directory, save_steps=3),
            "wrapper": lambda: compat.HookCallback(
                v1.train.CheckpointSaverHook(directory, save_steps=3), checkpoint_dir=directory
            ),
            "object based": lambda: compat.HookCallback(
                compat.CheckpointSaverHook(directory, save_steps=3, scaffold=scaffold),
                scaffold=scaffold,
                checkpoint_dir=directory,
            ),
            "object based hook": lambda: compat.CheckpointSaverHook(
                directory, save_steps=3, scaffold=scaffold
            ),
        }[way]()
        return [hook]

    whole = two_layers(optimizer)
    quiet(whole, *data, epochs=2)
    first = two_layers(optimizer)
    quiet(first, *data, callbacks=callbacks(first))
    second = two_layers(optimizer)
    second.set_weights([w + 1 for w in second.get_weights()])
    steps = Note("global_step:0")
    quiet(second, *data, callbacks=[*callbacks(second), steps])
    assert [int(step) for step in steps.values] == list(range(STEPS + 1, 2 * STEPS + 1))
    for one, other in zip(whole.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    objects = (
        "_CHECKPOINTABLE_OBJECT_GRAPH"
        in tf.train.load_checkpoint(str(tmp_path)).get_variable_to_shape_map()
    )
    assert objects == way.startswith("object")


def test_a_model_that_is_ahead_is_not_set_back(data, tmp_path):
    model = two_layers()
    quiet(model, *data, callbacks=[compat.CheckpointSaverHook(str(tmp_path), save_steps=100)])
    quiet(model, *data)
    twin = keras.models.clone_model(model)
    twin.compile(keras.optimizers.SGD(0.05), "mse")
    twin.set_weights(model.get_weights())
    quiet(model, *data, callbacks=[compat.CheckpointSaverHook(str(tmp_path), save_steps=100)])
    quiet(twin, *data)
    assert weights_equal(model, twin)
    assert int(model.optimizer.iterations) == 3 * STEPS


def test_a_scaffold_does_not_reset_the_model(data):
    model, twin = two_layers(), two_layers()
    called = []
    scaffold = compat.Scaffold(init_fn=lambda scaffold, session: called.append(1))
    quiet(model, *data, callbacks=[compat.HookCallback(Note("loss:0"), scaffold=scaffold)])
    quiet(twin, *data)
    assert weights_equal(model, twin)
    assert called == [1]


def test_listeners_in_order(data, tmp_path):
    calls = []

    class Listener(compat.CheckpointSaverListener):
        def begin(self):
            calls.append("begin")

        def before_save(self, session, step):
            calls.append(("before", int(step)))

        def after_save(self, session, step):
            calls.append(("after", int(step)))
            return step >= 3

        def end(self, session, step):
            calls.append(("end", int(step)))

    model = two_layers()
    hook = compat.CheckpointSaverHook(str(tmp_path), save_steps=3, listeners=[Listener()])
    quiet(model, *data, epochs=3, callbacks=[hook])
    assert calls == [
        "begin",
        *[("before", 0), ("after", 0), ("before", 3), ("after", 3)],
        ("end", 3),
    ]
    assert int(model.optimizer.iterations) == 3


def tf1_checkpoint(directory, prefix=""):
    """What a TF1 script with other names might have saved."""
    rng = np.random.default_rng(0)
    shapes = {"layer1/weights": [3, 4], "layer1/biases": [4], "out/w": [4, 1], "out/b": [1]}
    with tf.Graph().as_default(), v1.Session() as session:
        variables = {
            name: v1.get_variable(
                prefix + name,
                initializer=rng.normal(size=shape).astype("float32"),
                use_resource=False,
            )
            for name, shape in shapes.items()
        }
        v1.train.get_or_create_global_step()
        v1.get_variable("layer1/weights/Momentum", [3, 4])
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, str(directory / "model.ckpt"), global_step=12)
        return path, session.run(variables)


MAP = {
    "layer1/weights": "h/kernel",
    "layer1/biases": "h/bias",
    "out/w": "top/kernel",
    "out/b": "top/bias",
}


def test_tf1_checkpoint_with_a_map(tmp_path, capsys):
    path, values = tf1_checkpoint(tmp_path)
    model = two_layers()
    before = model.get_weights()
    report = compat.load_tf1_checkpoint(model, path, name_map=MAP, dry_run=True)
    assert all(map(np.array_equal, before, model.get_weights()))
    assert report.matched == MAP | {"global_step": "global_step"}
    assert report.unmatched_in_checkpoint == ["layer1/weights/Momentum"]
    assert report.unmatched_in_model == ["learning_rate"]
    assert report.shape_mismatched == {}
    assert "layer1/weights -> h/kernel" in str(report)
    report = compat.load_tf1_checkpoint(model, path, name_map=MAP)
    expected = [values[name] for name in MAP]
    assert all(map(np.array_equal, expected, model.get_weights()))
    assert int(model.optimizer.iterations) == 0  # The checkpoint's own count, 0.


def test_tf1_checkpoint_from_a_directory_and_with_equal_names(data, tmp_path):
    source, target = two_layers("adam"), two_layers("adam")
    quiet(source, *data, callbacks=[compat.CheckpointSaverHook(str(tmp_path), save_steps=100)])
    target.optimizer.build(target.trainable_variables)
    report = compat.load_tf1_checkpoint(target, str(tmp_path))
    assert weights_equal(source, target)
    assert not report.unmatched_in_model and not report.unmatched_in_checkpoint
    quiet(source, *data)
    quiet(target, *data)
    assert weights_equal(source, target)


def test_tf1_checkpoint_of_another_shape(tmp_path):
    path, _ = tf1_checkpoint(tmp_path)
    model = two_layers()
    wrong = MAP | {"layer1/biases": "top/bias", "out/b": "h/bias"}
    report = compat.load_tf1_checkpoint(model, path, name_map=wrong, dry_run=True)
    assert report.shape_mismatched == {
        "layer1/biases": ("top/bias", (4,), (1,)),
        "out/b": ("h/bias", (1,), (4,)),
    }
    before = model.get_weights()
    with pytest.raises(ValueError, match=r"layer1/biases.*\(4,\).*top/bias.*\(1,\)"):
        compat.load_tf1_checkpoint(model, path, name_map=wrong)
    assert all(map(np.array_equal, before, model.get_weights()))


def test_a_map_that_names_nothing(tmp_path):
    path, _ = tf1_checkpoint(tmp_path)
    with pytest.raises(ValueError, match="layer1/weight'"):
        compat.load_tf1_checkpoint(two_layers(), path, name_map={"layer1/weight": "h/kernel"})
    with pytest.raises(ValueError, match="h/kernal"):
        compat.load_tf1_checkpoint(two_layers(), path, name_map={"out/w": "h/kernal"})
    with pytest.raises(ValueError, match="two"):
        compat.load_tf1_checkpoint(
            two_layers(), path, name_map={"out/w": "top/kernel", "layer1/weights": "top/kernel"}
        )
    with pytest.raises(ValueError, match="nowhere"):
        compat.load_tf1_checkpoint(two_layers(), str(tmp_path / "nowhere"))


def test_nothing_matches(tmp_path):
    path, _ = tf1_checkpoint(tmp_path, prefix="scope/")
    model = two_layers()
    with pytest.raises(ValueError, match="name_map"):
        compat.load_tf1_checkpoint(model, path)


def test_a_checkpoint_object_is_a_hooks_saver(data, tmp_path):
    model = two_layers("adam")
    objects = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    hook = compat.CheckpointSaverHook(str(tmp_path), save_steps=3, saver=objects)
    quiet(model, *data, callbacks=[hook])
    fresh = two_layers("adam")
    same = tf.train.Checkpoint(model=fresh, optimizer=fresh.optimizer)
    same.read(tf.train.latest_checkpoint(str(tmp_path))).assert_existing_objects_matched()
    assert weights_equal(model, fresh)


def test_a_hooks_own_scaffold_counts_without_a_wrapper(data, tmp_path):
    class Summary(compat.SessionRunHook):
        def begin(self):
            v1.summary.scalar("batch_loss", v1.get_default_graph().get_tensor_by_name("loss:0"))

    saver = compat.SummarySaverHook(
        save_steps=1, output_dir=str(tmp_path), scaffold=compat.Scaffold()
    )
    plain, hooked = two_layers(), two_layers()
    quiet(plain, *data)
    quiet(hooked, *data, callbacks=[Summary(), saver])
    assert weights_equal(plain, hooked)
    (path,) = tmp_path.glob("events*")
    tags = {v.tag for e in v1.train.summary_iterator(str(path)) for v in e.summary.value}
    assert tags == {"batch_loss"}
