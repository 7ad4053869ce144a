"""Every way to run a loop: the same training with hooks as without, and right values."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from small_models import BATCH, ROWS, Note, calls_of, quiet, two_layers

import compat

v1 = tf.compat.v1
STEPS = ROWS // BATCH
NAMES = ["loss:0", "gradients/h/kernel:0", "h/output:0", "global_step:0"]


def trained(data, hooked, compiled=None, fitted=None, make=two_layers):
    """The history, the weights and a hook, of a new model trained with or without hooks."""
    keras.utils.set_random_seed(3)
    model = make(**(compiled or {}))
    hook = Note(NAMES)
    callbacks = [hook, compat.StopAtStepHook(last_step=10**6)] if hooked else []
    given = dict(fitted or {})
    source = given.pop("source", lambda x, y: (x, y))(*data)
    history = quiet(model, *source, callbacks=callbacks, **given)
    return history.history, model.get_weights(), hook


class Batches(keras.utils.PyDataset):
    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def __len__(self):
        return STEPS

    def __getitem__(self, index):
        part = slice(index * BATCH, (index + 1) * BATCH)
        return self.x[part], self.y[part]


def generator(x, y):
    while True:
        for index in range(STEPS):
            part = slice(index * BATCH, (index + 1) * BATCH)
            yield x[part], y[part]


def dataset(x, y):
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)


class OwnStep(keras.Model):
    """A custom `train_step`."""

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        return {"loss": loss}


def own_step(**compiled):
    plain = two_layers()
    model = OwnStep(plain.inputs, plain.outputs)
    model.compile(keras.optimizers.SGD(0.05), "mse", **compiled)
    return model


MODES = {
    "numpy": {},
    "shuffled": {"fitted": {"shuffle": True, "epochs": 2}},
    "dataset": {"fitted": {"source": lambda x, y: (dataset(x, y),)}},
    "unknown length": {
        "fitted": {
            "source": lambda x, y: (dataset(x, y).filter(lambda *_: True),),
            "epochs": 2,
        }
    },
    "PyDataset": {"fitted": {"source": lambda x, y: (Batches(x, y),)}},
    "generator": {"fitted": {"source": lambda x, y: (generator(x, y),), "steps_per_epoch": STEPS}},
    "eagerly": {"compiled": {"run_eagerly": True}},
    "jit": {"compiled": {"jit_compile": True}},
    "metrics": {"compiled": {"metrics": ["mae"]}, "fitted": {"epochs": 2}},
    "class weights": {"fitted": {"class_weight": {-1: 1.0, 0: 2.0, 1: 0.5}}, "classes": True},
    "initial epoch": {"fitted": {"initial_epoch": 2, "epochs": 4}},
    "custom step": {"make": own_step},
    "odd last batch": {"fitted": {"batch_size": 5}},
    "adam": {"compiled": {"optimizer": "adam"}},
}


@pytest.mark.parametrize("mode", MODES)
def test_training_is_the_same_with_hooks(data, mode):
    settings = dict(MODES[mode])
    if settings.pop("classes", False):
        data = data[0], np.sign(data[1]).astype("int32")
    plain = trained(data, False, **settings)
    hooked = trained(data, True, **settings)
    # Taps compile another function, in which XLA may fuse, so round, otherwise.
    rtol = 1e-6 if mode == "jit" else 0
    assert plain[0].keys() == hooked[0].keys()
    for name, values in plain[0].items():
        np.testing.assert_allclose(hooked[0][name], values, rtol=rtol)
    for one, other in zip(plain[1], hooked[1], strict=True):
        np.testing.assert_allclose(other, one, rtol=rtol)
    if mode == "unknown length":  # Each end of the data ends a run, as in TF1.
        assert hooked[2].calls.count("before_run") == len(hooked[2].values) + 2
    else:
        assert hooked[2].calls == calls_of(len(hooked[2].values))
    steps = [int(values[3]) for values in hooked[2].values]
    if mode == "unknown length":  # Keras counts the run that finds no data, too.
        steps = [step - (step > STEPS) for step in steps]
    assert steps == list(range(1, len(steps) + 1))


def test_validation_is_as_without_hooks(data):
    runs = []
    for hooks in ([], [Note("loss:0")]):
        model = two_layers(metrics=["mae"])
        runs.append(quiet(model, *data, epochs=2, validation_data=data, callbacks=hooks).history)
    assert runs[0] == runs[1]
    assert "val_mae" in runs[0]


@pytest.mark.parametrize("per_execution", [2, 3])
def test_several_steps_an_execution(data, per_execution):
    model = two_layers(steps_per_execution=per_execution)
    hook = Note(["global_step:0", "h/kernel:0"])
    runs = -(-STEPS // per_execution)
    history = quiet(model, *data, callbacks=[hook])
    assert hook.calls == calls_of(runs)
    steps = [int(values[0]) for values in hook.values]
    assert steps == [min(per_execution * n, STEPS) for n in range(1, runs + 1)]
    plain = two_layers(steps_per_execution=per_execution)
    assert quiet(plain, *data).history == history.history


def test_values_of_several_steps_are_of_the_last(data):
    model, twin = two_layers(steps_per_execution=2), two_layers()
    hooks = [Note(["loss:0", "h/output:0", "gradients/h/kernel:0"]) for _ in range(2)]
    quiet(model, *data, callbacks=[hooks[0]])
    quiet(twin, *data, callbacks=[hooks[1]])
    for values, expected in zip(hooks[0].values, hooks[1].values[1::2], strict=True):
        for one, other in zip(values, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_train_on_batch_with_a_callback_list(data):
    x, y = data
    model, hook = two_layers(), Note(["loss:0", "global_step:0"])
    callbacks = keras.callbacks.CallbackList(
        [hook, compat.StopAtStepHook(last_step=5)], model=model
    )
    callbacks.on_train_begin()
    losses = []
    for step in range(STEPS):
        callbacks.on_train_batch_begin(step)
        part = slice(step * BATCH, (step + 1) * BATCH)
        losses.append(model.train_on_batch(x[part], y[part], return_dict=True)["loss"])
        callbacks.on_train_batch_end(step)
        if model.stop_training:
            break
    callbacks.on_train_end()
    assert hook.calls == calls_of(5)
    assert [int(values[1]) for values in hook.values] == [1, 2, 3, 4, 5]
    assert hook.values[0][0] == pytest.approx(losses[0], rel=1e-6)


@pytest.mark.parametrize("dynamic", [True, False])
def test_mixed_precision_gives_unscaled_gradients(data, dynamic):
    x, y = data

    def build(policy):
        inputs = keras.Input((3,))
        init = keras.initializers.GlorotUniform(seed=1)
        outputs = keras.layers.Dense(1, name="top", kernel_initializer=init, dtype=policy)(inputs)
        model = keras.Model(inputs, outputs)
        optimizer = keras.optimizers.SGD(0.01, loss_scale_factor=None if dynamic else 64.0)
        if policy != "float32" and dynamic:
            optimizer = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=256.0)
        model.compile(optimizer, "mse")
        return model

    found = []
    for policy in ("float32", "mixed_float16"):
        hook = Note(["gradients/top/kernel:0", "loss:0", "learning_rate:0"])
        quiet(build(policy), x, y, callbacks=[hook], steps_per_epoch=3)
        found.append(hook.values)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one[0], other[0], rtol=0.02, atol=0.02)
        np.testing.assert_allclose(one[1], other[1], rtol=0.02)
        assert one[2] == pytest.approx(0.01) == other[2]
