"""Models that say by themselves what a step of training is, with optimizers of their own."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from small_models import BATCH, COLUMNS, ROWS, Note, quiet, two_layers

import compat

STEPS = ROWS // BATCH


class Adversaries(keras.Model):
    """Two nets and two optimizers; the one that Keras gives to every model is not used.

    It is never called itself: `call` does not fit its data.
    """

    def __init__(self):
        super().__init__(name="pair")
        self.maker = keras.layers.Dense(COLUMNS, name="maker")
        self.judge = keras.layers.Dense(1, name="judge")

    def compile(self, maker_optimizer, judge_optimizer):
        super().compile()
        self.maker_optimizer = maker_optimizer
        self.others = {"judge": judge_optimizer}

    def call(self, noise):
        return self.judge(self.maker(noise))

    def train_step(self, data):
        noise = tf.ones([tf.shape(data)[0], 2])
        with tf.GradientTape(persistent=True) as tape:
            made = self.maker(noise)
            judge_loss = tf.reduce_mean(self.judge(made)) + tf.reduce_mean(self.judge(data) ** 2)
            maker_loss = tf.reduce_mean(self.judge(made) ** 2)
        for layer, loss, optimizer in (
            (self.judge, judge_loss, self.others["judge"]),
            (self.maker, maker_loss, self.maker_optimizer),
        ):
            gradients = tape.gradient(loss, layer.trainable_variables)
            optimizer.apply_gradients(zip(gradients, layer.trainable_variables, strict=True))
        return {"judge_loss": judge_loss, "maker_loss": maker_loss}


def adversaries():
    keras.utils.set_random_seed(5)
    model = Adversaries()
    model.compile(keras.optimizers.SGD(0.01, momentum=0.9), keras.optimizers.Adam(0.01))
    return model


def test_two_optimizers(data):
    x, _ = data
    plain, hooked = adversaries(), adversaries()
    names = {
        "judged": "judge/output:0",
        "judged_data": "judge/output:1",
        "kernel": "judge/kernel:0",
        "of_judge": "gradients/judge/kernel:0",
        "of_maker": "gradients/maker/bias:0",
        "loss": "judge_loss:0",
        "step": "global_step:0",
    }
    hook = Note(names)
    history = quiet(hooked, x, batch_size=BATCH, callbacks=[hook]).history
    assert history == quiet(plain, x, batch_size=BATCH).history
    for one, other in zip(hooked.get_weights(), plain.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert [int(values["step"]) for values in hook.values] == [*range(1, STEPS + 1)]
    first, second = hook.values[:2]
    assert first["judged"].shape == first["judged_data"].shape == (BATCH, 1)
    judged = second["judged_data"]
    expected = x[BATCH : 2 * BATCH] @ first["kernel"]
    np.testing.assert_allclose(judged - judged[0], expected - expected[0], atol=1e-5)
    assert first["of_judge"].shape == (COLUMNS, 1) and first["of_maker"].shape == (COLUMNS,)


def test_hooks_count_steps_that_the_model_does_not(data):
    x, _ = data
    model = adversaries()
    hook = Note("global_step:0")
    for last in (3, 5):
        stop = compat.StopAtStepHook(last_step=last)
        quiet(model, x, batch_size=BATCH, epochs=9, callbacks=[stop, hook])
    assert [*map(int, hook.values)] == [1, 2, 3, 4, 5]


def test_a_step_that_needs_no_optimizer(data):
    class Counts(keras.Model):
        def train_step(self, data):
            return {"loss": tf.reduce_mean(data)}

    model = Counts()
    model.compile(optimizer=None)
    hook = Note("global_step:0")
    stop = compat.StopAtStepHook(last_step=3)
    quiet(model, data[0], batch_size=BATCH, callbacks=[stop, hook])
    assert [*map(int, hook.values)] == [1, 2, 3]


def test_state_of_every_optimizer_is_saved(data, tmp_path):
    x, _ = data

    def trained(steps):
        model = adversaries()
        saver = compat.CheckpointSaverHook(str(tmp_path), save_steps=3)
        stop = compat.StopAtStepHook(last_step=steps)
        batches = tf.data.Dataset.from_tensors(x[:BATCH]).repeat()
        quiet(model, batches, steps_per_epoch=20, callbacks=[saver, stop])
        return model

    trained(4)
    went_on = trained(8).get_weights()
    for path in tmp_path.iterdir():
        path.unlink()
    for one, other in zip(went_on, trained(8).get_weights(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("run_eagerly", [False, True])
def test_accumulated_gradients(data, run_eagerly):
    model = two_layers(
        keras.optimizers.SGD(0.05, gradient_accumulation_steps=2), run_eagerly=run_eagerly
    )
    twin = two_layers(
        keras.optimizers.SGD(0.05, gradient_accumulation_steps=2), run_eagerly=run_eagerly
    )
    hook = Note({"step": "global_step:0", "g": "gradients/h/kernel:0", "k": "h/kernel:0"})
    history = quiet(model, *data, callbacks=[hook, compat.StopAtStepHook(last_step=6)]).history
    assert [int(values["step"]) for values in hook.values] == [1, 2, 3, 4, 5, 6]
    moved = [not np.array_equal(a["k"], b["k"]) for a, b in zip(hook.values, hook.values[1:])]  # noqa: B905
    assert moved == [True, False, True, False, True]
    part = (data[0][: 6 * BATCH], data[1][: 6 * BATCH])
    np.testing.assert_allclose(history["loss"], quiet(twin, *part).history["loss"], rtol=1e-6)
