"""Hooks that use Keras or sessions while their own fit runs, and fits that fail."""

import os
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
from small_models import BATCH, ROWS, Note, calls_of, quiet, two_layers

import compat

v1 = tf.compat.v1
STEPS = ROWS // BATCH
CALLBACKS = ["begin", "after_create_session", "before_run", "after_run", "end"]


class At(compat.SessionRunHook):
    """Does something in one of its callbacks, the first time."""

    def __init__(self, callback, action):
        self.result = None

        def act(*args):
            if self.result is None:
                self.result = [action()]

        setattr(self, callback, act)


def other_session():
    with tf.Graph().as_default():
        tripled = v1.get_variable("a", initializer=2.0) * 3
        with compat.SingularMonitoredSession([compat.SessionRunHook()]) as session:
            return session.run(tripled)


def other_training(hooks=()):
    model = two_layers()
    x = np.ones([8, 3], "float32")
    quiet(model, x, x[:, :1], callbacks=list(hooks))
    return model.get_weights()


def nested_training():
    hook = Note(["loss:0", "gradients/h/kernel:0"])
    other_training([hook, compat.StopAtStepHook(last_step=1)])
    assert hook.calls == calls_of(1)


ACTIONS = {
    "evaluate": lambda m, d: m.evaluate(*d, verbose=0),
    "predict": lambda m, d: m.predict(d[0], verbose=0),
    "call": lambda m, d: m(d[0]).numpy(),
    "another session": lambda m, d: other_session(),
    "another model": lambda m, d: other_training(),
    "another model with hooks": lambda m, d: nested_training(),
}


@pytest.mark.parametrize(
    "callback, action",
    [(callback, "evaluate") for callback in CALLBACKS]
    + [("after_run", action) for action in ACTIONS if action != "evaluate"]
    + [("begin", "another session"), ("end", "another model with hooks")],
)
def test_while_fit_runs(data, callback, action):
    model, twin = two_layers(), two_layers()
    hook, note = At(callback, lambda: ACTIONS[action](model, data)), Note("loss:0")
    history = quiet(model, *data, callbacks=[hook, note])
    assert hook.result is not None
    assert note.calls == calls_of(STEPS)
    assert quiet(twin, *data).history == history.history


def test_saving_from_a_listener(data, tmp_path):
    class Listener(compat.CheckpointSaverListener):
        scores: list = []

        def after_save(self, session, step):
            model.save(str(tmp_path / f"{step}.keras"))
            self.scores.append(model.evaluate(*data, verbose=0, callbacks=[Note("loss:0")]))

    model = two_layers()
    hook = compat.CheckpointSaverHook(str(tmp_path / "c"), save_steps=4, listeners=[Listener()])
    quiet(model, *data, callbacks=[hook])
    assert len(Listener.scores) == 3
    for step, score in zip((0, 4, 8), Listener.scores, strict=True):
        loaded = keras.models.load_model(str(tmp_path / f"{step}.keras"))
        assert loaded.evaluate(*data, verbose=0) == pytest.approx(score, rel=1e-5)


def test_a_hook_that_trains_the_same_model(data):
    model = two_layers()
    hook = At("after_run", lambda: model.train_on_batch(data[0][:4], data[1][:4]))
    note = Note("global_step:0")
    quiet(model, *data, callbacks=[hook, note])
    assert int(model.optimizer.iterations) == STEPS + 1
    assert note.calls == calls_of(STEPS)


# --- failures ------------------------------------------------------------------------


@pytest.mark.parametrize("callback", CALLBACKS)
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_a_hook_leaves_the_model_usable(data, callback, error):
    def fail():
        raise error("mine")

    model = two_layers()
    note = Note("loss:0")
    with pytest.raises(error, match="mine"):
        quiet(model, *data, callbacks=[note, At(callback, fail)])
    assert ("end" in note.calls) == (callback == "end")
    twin = two_layers()
    twin.set_weights(model.get_weights())
    assert quiet(model, *data).history == quiet(twin, *data).history
    again = Note("loss:0")
    quiet(model, *data, callbacks=[again])
    assert again.calls == calls_of(STEPS)


def test_an_error_of_a_callback_or_the_data(data):
    x, y = data

    class Fails(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            raise OSError("disk")

    def broken():
        yield x[:4], y[:4]
        raise OSError("disk")

    model = two_layers()
    for source, callbacks in (((x, y), [Fails()]), ((broken(),), [])):
        note = Note("loss:0")
        with pytest.raises(Exception, match="disk"):
            quiet(model, *source, callbacks=[note, *callbacks])
        assert "end" not in note.calls
        again = Note("loss:0")
        quiet(model, *data, callbacks=[again])
        assert again.calls == calls_of(STEPS)


def test_an_interrupted_fit_keeps_its_last_checkpoint(data, tmp_path):
    class Interrupt(compat.SessionRunHook):
        def after_run(self, run_context, run_values):
            if run_context.session.run("global_step:0") == 5:
                raise KeyboardInterrupt

    model = two_layers()
    saver = compat.CheckpointSaverHook(str(tmp_path), save_steps=2)
    with pytest.raises(KeyboardInterrupt):
        quiet(model, *data, callbacks=[saver, Interrupt()])
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("-4")
    again = Note("global_step:0")
    fresh = two_layers()
    quiet(fresh, *data, callbacks=[compat.CheckpointSaverHook(str(tmp_path), save_steps=2), again])
    assert int(again.values[0]) == 5


def test_nan_stops_fit(data):
    x, y = data
    model, note = two_layers(), Note("loss:0")
    bad = y.copy()
    bad[10] = np.nan
    nan = compat.NanTensorHook("loss:0", fail_on_nan_loss=False)
    quiet(model, x, bad, callbacks=[nan, note])
    assert len(note.values) == 3
    with pytest.raises(compat.NanLossDuringTrainingError):
        quiet(two_layers(), x, bad, callbacks=[compat.NanTensorHook("loss:0")])


@pytest.mark.parametrize("backend", ["jax", "numpy", "torch"])
def test_another_backend_is_refused(backend):
    code = (
        "import types, keras, compat\n"
        f"keras.backend.backend = lambda: {backend!r}\n"  # The real ones need their libraries.
        "hook = compat.SessionRunHook()\n"
        "hook.set_model(None)\n"
        "hook.on_train_begin()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ)
    )
    assert run.returncode == 1
    assert "KERAS_BACKEND" in run.stderr and backend in run.stderr
