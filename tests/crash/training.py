"""A deterministic training on digits that saves often, as a graph session and as a step."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

import compat

v1 = tf.compat.v1

BATCH = 32
ROWS = 1797
SAVE_STEPS = 3
HIDDEN = 512  # Makes a checkpoint of some size, so that a kill may well meet a save.


def train(surface, directory, last_step, note=None):
    """Trains from the directory's last checkpoint to `last_step`.

    Args:
      surface: "graph" or "step".
      directory: Where to restore from and save to.
      last_step: The global step to stop at.
      note: Called after each step with the step and a fingerprint of the weights.

    Returns:
      The last step and the fingerprint of the weights after it.
    """
    return {"graph": _train_graph, "step": _train_step}[surface](directory, last_step, note)


def fingerprint(weights):
    """Numbers that tell weights apart: sums of each, exactly as computed."""
    return [float(np.sum(np.asarray(weight, np.float64))) for weight in weights]


def _batch(images, labels, step):
    """The batch of a step is a function of the step, so that a resumed run sees the same."""
    start = tf.cast(step * BATCH % (ROWS - BATCH), tf.int32)
    index = start + tf.range(BATCH)
    return tf.gather(images, index), tf.gather(labels, index)


def _data():
    digits = load_digits()
    return (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int64)


def _initial(*shape):
    return np.random.RandomState(1).uniform(-0.1, 0.1, shape).astype(np.float32)


def _loss(batch, hidden, output):
    images, labels = batch
    logits = tf.matmul(tf.nn.relu(tf.matmul(images, hidden)), output)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(losses)


def _session(directory, last_step, **arguments):
    return compat.MonitoredTrainingSession(
        checkpoint_dir=directory,
        hooks=[compat.StopAtStepHook(last_step=last_step)],
        save_checkpoint_steps=SAVE_STEPS,
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        log_step_count_steps=None,
        **arguments,
    )


def _train_graph(directory, last_step, note):
    images, labels = _data()
    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        hidden = v1.get_variable("hidden", initializer=_initial(64, HIDDEN))
        output = v1.get_variable("output", initializer=_initial(HIDDEN, 10))
        loss = _loss(_batch(tf.constant(images), tf.constant(labels), step + 0), hidden, output)
        train_op = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
        wanted = [step, hidden, output]
        with _session(directory, last_step) as session:
            while not session.should_stop():
                _, values = session.run([train_op, wanted])
                if note:
                    note(int(values[0]), fingerprint(values[1:]))
    return int(values[0]), fingerprint(values[1:])


def _train_step(directory, last_step, note):
    images, labels = map(tf.constant, _data())
    step = tf.Variable(0, dtype=tf.int64, trainable=False)
    weights = [tf.Variable(_initial(64, HIDDEN)), tf.Variable(_initial(HIDDEN, 10))]
    slots = [tf.Variable(tf.zeros_like(weight)) for weight in weights]

    @tf.function
    def train_step():
        with tf.GradientTape() as tape:
            loss = _loss(_batch(images, labels, step), *weights)
        for weight, slot, gradient in zip(
            weights, slots, tape.gradient(loss, weights), strict=True
        ):
            slot.assign(0.9 * slot + gradient)
            weight.assign_sub(0.1 * slot)
        step.assign_add(1)
        return {"loss": loss}

    saver = tf.train.Checkpoint(step=step, weights=weights, slots=slots)
    scaffold = compat.Scaffold(saver=saver)
    with _session(directory, last_step, scaffold=scaffold, global_step=step) as session:
        while not session.should_stop():
            session.run(train_step)
            if note:
                note(int(step.numpy()), fingerprint(weight.numpy() for weight in weights))
    return int(step.numpy()), fingerprint(weight.numpy() for weight in weights)


def latest_step(directory):
    """The step of the checkpoint that is the latest, read completely; 0 if there is none.

    Raises:
      tf.errors.OpError: It can't be read.
    """
    path = tf.train.latest_checkpoint(directory)
    if path is None:
        return 0
    reader = tf.train.load_checkpoint(path)
    values = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    assert len(values) > 3, sorted(values)
    return int(path.rpartition("-")[2])
