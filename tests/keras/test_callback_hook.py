"""Keras callbacks in monitored sessions, on a legacy graph and on a `tf.function` step."""

import csv

import keras
import numpy as np
import pytest
import tensorflow as tf
from small_models import two_layers

import compat

v1 = tf.compat.v1


class Journal(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.calls = []

    def on_train_begin(self, logs=None):
        self.calls.append("train begin")

    def on_epoch_begin(self, epoch, logs=None):
        self.calls.append(f"epoch {epoch}")

    def on_train_batch_begin(self, batch, logs=None):
        self.calls.append(f"batch {batch}")

    def on_train_batch_end(self, batch, logs=None):
        self.calls.append(dict(logs))

    def on_epoch_end(self, epoch, logs=None):
        self.calls.append((epoch, dict(logs)))

    def on_train_end(self, logs=None):
        self.calls.append("train end")


@pytest.fixture(params=["graph", "step"])
def train(request):
    """A function that runs a session with hooks; its loss is 8, 4, 2, 1, 1, 1, …"""

    def on_graph(hooks, runs):
        with tf.Graph().as_default():
            step = v1.train.get_or_create_global_step()
            with tf.control_dependencies([v1.assign_add(step, 1)]):
                old = tf.identity(step.read_value()) - 1
            loss = tf.maximum(8.0 * 0.5 ** tf.cast(old, tf.float32), 1.0, name="loss")
            assert loss.name == "loss:0"
            train_op = loss.op
            with compat.SingularMonitoredSession(hooks) as session:
                return go(session, train_op, runs)

    def on_step(hooks, runs):
        step = tf.Variable(0, dtype=tf.int64)

        @tf.function
        def train_step():
            old = tf.cast(step, tf.float32)
            step.assign_add(1)
            return {"loss": tf.maximum(8.0 * 0.5**old, 1.0)}

        with compat.SingularMonitoredSession(hooks, global_step=step) as session:
            return go(session, train_step, runs)

    def go(session, fetches, runs):
        count = 0
        while not session.should_stop() and count < runs:
            session.run(fetches)
            count += 1
        return count

    return {"graph": on_graph, "step": on_step}[request.param]


def test_calls_and_logs(train):
    journal = Journal()
    train([compat.CallbackHook(journal, steps_per_epoch=2)], 3)
    assert journal.calls == [
        "train begin",
        *["epoch 0", "batch 0", {"loss": 8.0}, "batch 1", {"loss": 4.0}, (0, {"loss": 6.0})],
        *["epoch 1", "batch 0", {"loss": 2.0}, (1, {"loss": 2.0})],
        "train end",
    ]


def test_chosen_logs(train):
    journal = Journal()
    train([compat.CallbackHook(journal, logs={"cost": "loss:0", "at": "global_step:0"})], 1)
    assert journal.calls[3] == {"cost": 8.0, "at": 1.0}


@pytest.mark.parametrize("with_model", [True, False])
def test_early_stopping_stops_the_session(train, with_model):
    stopping = keras.callbacks.EarlyStopping(monitor="loss", patience=2)
    hook = compat.CallbackHook(stopping, two_layers() if with_model else None)
    assert train([hook], 50) == 6
    assert stopping.stopped_epoch == 5


def test_reduce_on_plateau_and_logger(train, tmp_path):
    model = two_layers()
    plateau = keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.1, patience=2)
    log = tmp_path / "log.csv"
    hooks = [
        compat.CallbackHook(plateau, model=model),
        compat.CallbackHook(keras.callbacks.CSVLogger(str(log)), model=model),
    ]
    train(hooks, 6)
    assert float(model.optimizer.learning_rate) == pytest.approx(0.005)
    with open(log) as file:
        assert [float(row["loss"]) for row in csv.DictReader(file)] == [8, 4, 2, 1, 1, 1]


def test_tensorboard(train, tmp_path):
    model = two_layers()
    train([compat.CallbackHook(keras.callbacks.TensorBoard(str(tmp_path)), model=model)], 3)
    tags = {
        value.tag
        for path in tmp_path.rglob("events*")
        for event in v1.train.summary_iterator(str(path))
        for value in event.summary.value
    }
    assert "epoch_loss" in tags


def test_what_needs_a_model_says_so(train):
    class Weights(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            self.model.get_weights()

    with pytest.raises(AttributeError, match="model="):
        train([compat.CallbackHook(Weights())], 1)


def test_best_weights_come_back():
    model = two_layers()
    losses = iter([3.0, 1.0, 2.0, 2.0, 2.0])
    stopping = keras.callbacks.EarlyStopping("loss", patience=2, restore_best_weights=True)

    def train_step():
        model.set_weights([w + 1 for w in model.get_weights()])
        return {"loss": tf.constant(next(losses))}

    before = model.get_weights()
    with compat.SingularMonitoredSession([compat.CallbackHook(stopping, model)]) as session:
        while not session.should_stop():
            session.run(train_step)
    for one, other in zip(model.get_weights(), before, strict=True):
        np.testing.assert_allclose(one, other + 2, rtol=1e-6)


def test_no_steps_in_an_epoch():
    with pytest.raises(ValueError, match="positive"):
        compat.CallbackHook(Journal(), steps_per_epoch=0)
