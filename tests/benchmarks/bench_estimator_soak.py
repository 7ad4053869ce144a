"""Memory of a training whose checkpoint listener evaluates and predicts, many times.

    python tests/benchmarks/bench_estimator_soak.py [--evaluations 200] [--warm_up 40]

Every step is saved, and after every save the listener evaluates the new checkpoint and
takes a prediction from it. Exit status: 0 if memory after the warm-up grows by less than
5 %, 1 if it grows by more.
"""

import argparse
import gc
import os
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

from compat import estimator as estimators

v1 = tf.compat.v1
LIMIT = 1.05  # Memory at the end over memory after the warm-up.
WORDS = ["ant", "bee", "cat", "dog"]


def resident():
    """Mebibytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def input_fn(mode):
    """Rows of numbers and words; without an end in training."""
    numbers = np.random.RandomState(0).randn(256, 64).astype(np.float32)
    words = np.array(WORDS)[np.arange(256) % len(WORDS)]
    labels = (numbers.sum(axis=1) > 0).astype(np.int64)
    data = tf.data.Dataset.from_tensor_slices(({"x": numbers, "word": words}, labels))
    return data.repeat(100 if mode == estimators.ModeKeys.TRAIN else 1).batch(64)


def model_fn(features, labels, mode):
    """Two layers on numbers and on embedded words."""
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(WORDS, list(range(len(WORDS)))), default_value=0
    )
    embeddings = v1.get_variable("embeddings", [len(WORDS), 8])
    word = tf.nn.embedding_lookup(embeddings, table.lookup(features["word"]))
    net = tf.concat([features["x"], word], 1)
    for number, width in enumerate([128, 2]):
        kernel = v1.get_variable(f"kernel_{number}", [net.shape[-1], width])
        net = tf.matmul(net, kernel)
        v1.summary.histogram(f"layer_{number}", net)
    predictions = {"best": tf.argmax(net, 1)}
    if mode == estimators.ModeKeys.PREDICT:
        return estimators.EstimatorSpec(mode, predictions=predictions)
    loss = v1.losses.sparse_softmax_cross_entropy(labels, net)
    step = v1.train.get_global_step()
    return estimators.EstimatorSpec(
        mode,
        predictions=predictions,
        loss=loss,
        train_op=v1.train.AdamOptimizer(1e-3).minimize(loss, step),
        eval_metric_ops={
            "accuracy": v1.metrics.accuracy(labels, predictions["best"]),
            "auc": v1.metrics.auc(labels, tf.nn.softmax(net)[:, 1]),
        },
    )


class EvaluatingListener(v1.train.CheckpointSaverListener):
    """Evaluates and predicts after every save, and notes what memory is in use then.

    Attributes:
      memory: Mebibytes after each evaluation.
    """

    def __init__(self, estimator):
        self.memory = []
        self._estimator = estimator
        self._began = time.time()

    def after_save(self, session, global_step_value):
        """Evaluates the new checkpoint."""
        result = self._estimator.evaluate(input_fn, name="nested")
        if result["global_step"] != global_step_value:
            raise AssertionError(f"evaluated step {result['global_step']}")
        next(self._estimator.predict(input_fn))
        self.memory.append(resident())
        done = len(self.memory)
        if done % 20 == 0:
            graphs = sum(isinstance(item, tf.Graph) for item in gc.get_objects())
            seconds = (time.time() - self._began) / done
            print(
                f"{done:6} evaluations {self.memory[-1]:8.0f} MiB {graphs:4} graphs "
                f"{seconds:6.2f} s each",
                flush=True,
            )


def growth(memory, warm_up):
    """Memory at the end over memory after the warm-up, each a mean of ten evaluations."""
    return np.mean(memory[-10:]) / np.mean(memory[warm_up : warm_up + 10])


def main():
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=200)
    parser.add_argument("--warm_up", type=int, default=40)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        config = estimators.RunConfig(directory, save_checkpoints_steps=1, save_summary_steps=10)
        estimator = estimators.Estimator(model_fn, config=config)
        listener = EvaluatingListener(estimator)
        # The first save is made before the first step.
        steps = arguments.evaluations - 1
        estimator.train(input_fn, steps=steps, saving_listeners=[listener])
    ratio = growth(listener.memory, arguments.warm_up)
    print(f"growth after {arguments.warm_up} evaluations: {ratio:.3f} (limit {LIMIT})")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
