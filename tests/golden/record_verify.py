"""Records small training runs of one model, for the tests of `verify`.

    python tests/golden/record_verify.py CASE [OUT]

Run each case with the Python of the TensorFlow it is about; the directory it goes to is
named after both:

    session     TF 1.15 and TF 2 (tf.compat.v1, a graph and a session)
    estimator   TF 1.15 and TF 2.15, the last one that has it
    keras       TF 2: model.fit with the same weights and batches
    formats     TF 1.15: V1 and V2 checkpoints, a partitioned variable, a timeline

The model is a layer of 16 units and a softmax over the digits of scikit-learn, 20 steps
of Adam. Initial weights and batches come from NumPy, so no seed of TensorFlow matters.
"""

import io
import json
import logging
import os
import re
import shutil
import sys
import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

v1 = tf.compat.v1
STEPS = 20
BATCH = 64
LEARNING_RATE = 0.01
#: Large enough that Adam doesn't make noise of the last bit into steps of its own.
EPSILON = 1e-4
#: Lines of a log that hold numbers; the others name files and versions.
_LOG_LINE = re.compile(r"(loss|accuracy)\b.*\d|^Epoch \d")
#: What the tests don't need, or what names this machine.
_DROPPED = (".meta", ".pbtxt")


def initial_weights():
    """The four arrays that every case starts from."""
    random = np.random.RandomState(7)
    return {
        "hidden/kernel": (random.randn(64, 16) * 0.1).astype(np.float32),
        "hidden/bias": np.zeros(16, np.float32),
        "softmax/kernel": (random.randn(16, 10) * 0.1).astype(np.float32),
        "softmax/bias": np.zeros(10, np.float32),
    }


def batches():
    """The images and labels of all steps: arrays of [STEPS, BATCH, …]."""
    digits = load_digits()
    chosen = np.random.RandomState(8).permutation(len(digits.target))[: STEPS * BATCH]
    images = (digits.data[chosen] / 16.0).astype(np.float32).reshape(STEPS, BATCH, 64)
    return images, digits.target[chosen].astype(np.int64).reshape(STEPS, BATCH)


def logits_of(images, partitioner=None):
    """Builds the model in the default graph."""
    weights = initial_weights()

    def variable(name):
        def initial(shape, dtype=None, partition_info=None):
            starts = partition_info.var_offset if partition_info else [0] * len(shape)
            part = [slice(start, start + int(size)) for start, size in zip(starts, shape)]  # noqa: B905
            return tf.constant(weights[name][tuple(part)])

        with v1.variable_scope(name.split("/")[0], partitioner=partitioner):
            return v1.get_variable(name.split("/")[1], weights[name].shape, initializer=initial)

    hidden = tf.nn.relu(tf.matmul(images, variable("hidden/kernel")) + variable("hidden/bias"))
    return tf.matmul(hidden, variable("softmax/kernel")) + variable("softmax/bias")


def loss_and_accuracy(logits, labels):
    """The two numbers that are recorded."""
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    hits = tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32)
    return tf.identity(loss, name="loss"), tf.reduce_mean(hits, name="accuracy")


def record_session(directory):
    """A MonitoredTrainingSession with summaries of every step and a checkpoint every 10."""
    with tf.Graph().as_default():
        global_step = v1.train.get_or_create_global_step()
        images = v1.placeholder(tf.float32, [None, 64], name="images")
        labels = v1.placeholder(tf.int64, [None], name="labels")
        logits = logits_of(images)
        loss, accuracy = loss_and_accuracy(logits, labels)
        train = v1.train.AdamOptimizer(LEARNING_RATE, epsilon=EPSILON).minimize(
            loss, global_step=global_step
        )
        v1.summary.scalar("loss", loss)
        v1.summary.scalar("accuracy", accuracy)
        curves = v1.summary.merge_all()
        pictures = v1.summary.merge(
            [
                v1.summary.histogram("logits", logits, collections=[]),
                v1.summary.image("digit", tf.reshape(images, [-1, 8, 8, 1]), 1, collections=[]),
                v1.summary.text("what", tf.constant("digits, 16 units"), collections=[]),
            ]
        )
        saver = v1.train.Saver(max_to_keep=10)
        hooks = [
            v1.train.CheckpointSaverHook(directory, save_steps=10, saver=saver),
            v1.train.SummarySaverHook(save_steps=1, output_dir=directory, summary_op=curves),
            v1.train.SummarySaverHook(save_steps=10, output_dir=directory, summary_op=pictures),
            v1.train.LoggingTensorHook(
                {"loss": loss, "accuracy": accuracy, "step": global_step}, every_n_iter=1
            ),
        ]
        xs, ys = batches()
        with v1.train.SingularMonitoredSession(hooks=hooks, checkpoint_dir=directory) as session:
            for x, y in zip(xs, ys):  # noqa: B905
                session.run(train, feed_dict={images: x, labels: y})


def record_estimator(directory):
    """The same by an Estimator, with an evaluation at the end."""

    def inputs():
        # A generator: a tensor of the data would be stored in every graph.
        return tf.data.Dataset.from_generator(
            lambda: zip(*batches()),  # noqa: B905
            (tf.float32, tf.int64),
            ((BATCH, 64), (BATCH,)),
        )

    def model(features, labels, mode):
        loss, accuracy = loss_and_accuracy(logits_of(features), labels)
        v1.summary.scalar("accuracy", accuracy)
        train = v1.train.AdamOptimizer(LEARNING_RATE, epsilon=EPSILON).minimize(
            loss, global_step=v1.train.get_global_step()
        )
        mean = v1.metrics.mean(accuracy)
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=train, eval_metric_ops={"accuracy": mean}
        )

    config = tf.estimator.RunConfig(
        save_checkpoints_steps=10, save_summary_steps=5, log_step_count_steps=5
    )
    estimator = tf.estimator.Estimator(model, directory, config)
    estimator.train(inputs)
    estimator.evaluate(inputs, steps=5)


def record_keras(directory):
    """model.fit, one epoch a batch, so that Keras's means over an epoch are single losses."""
    import keras

    weights = initial_weights()
    model = keras.Sequential(
        [
            keras.layers.Input((64,)),
            keras.layers.Dense(16, activation="relu", name="hidden"),
            keras.layers.Dense(10, name="softmax"),
        ]
    )
    model.set_weights(list(weights.values()))
    model.compile(
        keras.optimizers.Adam(LEARNING_RATE, epsilon=EPSILON),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.optimizer.build(model.trainable_variables)
    path = os.path.join(directory, "epoch_{epoch:02d}.weights.h5")
    model.save_weights(path.format(epoch=0))
    callbacks = [
        keras.callbacks.ModelCheckpoint(path, save_weights_only=True, save_freq=10),
        keras.callbacks.TensorBoard(directory, update_freq="epoch"),
    ]
    data = tf.data.Dataset.from_tensor_slices(batches())
    model.fit(data, epochs=STEPS, steps_per_epoch=1, verbose=2, callbacks=callbacks)


def record_formats(directory):
    """The same values as V1, as V2 and from a partitioned variable; and a timeline."""
    for name, version, parts in (
        ("v1", v1.train.SaverDef.V1, None),
        ("v2", v1.train.SaverDef.V2, None),
        ("partitioned", v1.train.SaverDef.V2, v1.fixed_size_partitioner(3)),
    ):
        with tf.Graph().as_default(), v1.Session() as session:
            v1.train.get_or_create_global_step()
            # Partitions lie along the first axis, which every variable has.
            logits_of(v1.placeholder(tf.float32, [None, 64]), parts)
            session.run(v1.global_variables_initializer())
            os.makedirs(os.path.join(directory, name))
            path = os.path.join(directory, name, "model.ckpt")
            v1.train.Saver(write_version=version).save(session, path, global_step=0)
    with tf.Graph().as_default():
        images = v1.placeholder(tf.float32, [None, 64], name="images")
        labels = v1.placeholder(tf.int64, [None], name="labels")
        v1.train.get_or_create_global_step()
        loss, _ = loss_and_accuracy(logits_of(images), labels)
        hook = v1.train.ProfilerHook(save_steps=1, output_dir=directory)
        x, y = batches()
        with v1.train.SingularMonitoredSession(hooks=[hook]) as session:
            for _ in range(2):
                session.run(loss, feed_dict={images: x[0], labels: y[0]})


CASES = {
    "session": record_session,
    "estimator": record_estimator,
    "keras": record_keras,
    "formats": record_formats,
}


def main():
    """Records one case in a scratch directory and keeps what the tests read."""
    case = sys.argv[1]
    version = "_".join(tf.__version__.split(".")[:2])
    here = os.path.dirname(os.path.abspath(__file__))
    out = sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "verify")
    kept = os.path.join(out, case + "_" + version)
    work = tempfile.mkdtemp()
    os.chdir(work)  # Relative paths only: files that name directories name none of this machine.
    os.mkdir("run")
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger("tensorflow").addHandler(handler)
    v1.logging.set_verbosity(v1.logging.INFO)
    if case != "keras":
        # TF1's variables: a step fetched along with the update is the one after it.
        v1.disable_resource_variables()
    stdout, sys.stdout = sys.stdout, log if sys.version_info[0] > 2 else sys.stdout
    try:
        CASES[case]("run")
    finally:
        sys.stdout = stdout
    v1.summary.FileWriterCache.clear()  # Hooks leave their writers open.
    shutil.rmtree(kept, ignore_errors=True)
    _keep("run", kept)
    lines = [line for line in log.getvalue().splitlines() if _LOG_LINE.search(line)]
    if lines:
        with open(os.path.join(kept, "train.log"), "w") as stream:
            stream.write("\n".join(lines) + "\n")
    with open(os.path.join(kept, "recorded.json"), "w") as stream:
        json.dump({"case": case, "tensorflow": tf.__version__}, stream)
        stream.write("\n")
    shutil.rmtree(work)


def _keep(source, target):
    """Copies a run; event files lose the time, machine and process in their names."""
    events = 0
    for directory, _, names in sorted(os.walk(source)):
        place = os.path.join(target, os.path.relpath(directory, source))
        for name in sorted(names):
            if name.endswith(_DROPPED):
                continue
            if not os.path.isdir(place):
                os.makedirs(place)
            kept = name
            if "tfevents" in name:
                events += 1
                kept = f"events.out.tfevents.{events}"
            shutil.copy(os.path.join(directory, name), os.path.join(place, kept))


if __name__ == "__main__":
    main()
