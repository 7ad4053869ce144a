"""Speed of `SingularMonitoredSession`, as ratios to TensorFlow's own on the same graphs.

    python tests/benchmarks/bench_session.py [--rounds 40] [small wide compute]

Both sessions have four idle hooks (`StopAtStepHook`, `LoggingTensorHook`,
`CheckpointSaverHook`, `NanTensorHook`) and are stepped in turns in one process. A ratio is
the median over rounds of our time by TensorFlow's.

* small: a train step of a softmax classifier, where the session's own cost shows.
* wide: Adam on 600 variables, about 9,000 ops; also its first run, compilation included.
* compute: a residual convolutional net, where the kernels take nearly all the time.

Exit status: 0 within the limits, 1 beyond one of them.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

import compat

v1 = tf.compat.v1
LIMITS = {
    "small: step": 0.80,
    "wide: step": 1.0,
    "wide: first run": 1.5,
    "compute: step": 1.02,
}


def small():
    """A softmax classifier of digits, trained by gradient descent."""
    x = v1.placeholder(tf.float32, [None, 64], name="x")
    y = v1.placeholder(tf.int64, [None], name="y")
    kernel = v1.get_variable("kernel", [64, 10])
    bias = v1.get_variable("bias", [10], initializer=v1.zeros_initializer())
    logits = tf.matmul(x, kernel) + bias
    loss = v1.losses.sparse_softmax_cross_entropy(y, logits)
    train = v1.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=v1.train.get_or_create_global_step()
    )
    rng = np.random.default_rng(0)
    feeds = {x: rng.random([32, 64], "float32"), y: rng.integers(0, 10, 32)}
    return train, tf.identity(loss, name="loss"), feeds


def wide(layers=300):
    """A long stack of small dense layers, trained by Adam."""
    x = v1.placeholder(tf.float32, [None, 8], name="x")
    h = x
    for i in range(layers):
        with v1.variable_scope(f"layer_{i}"):
            kernel = v1.get_variable("kernel", [8, 8])
            bias = v1.get_variable("bias", [8], initializer=v1.zeros_initializer())
        h = h + 0.01 * tf.tanh(tf.matmul(h, kernel) + bias)
    loss = tf.reduce_mean(tf.square(h), name="loss")
    train = v1.train.AdamOptimizer(1e-3).minimize(
        loss, global_step=v1.train.get_or_create_global_step()
    )
    return train, loss, {x: np.ones([4, 8], "float32")}


def compute(blocks=4, channels=32):
    """Residual blocks of two 3x3 convolutions on 32x32 images, trained with momentum."""
    x = v1.placeholder(tf.float32, [None, 32, 32, channels], name="x")
    h = x
    for i in range(blocks):
        with v1.variable_scope(f"block_{i}"):
            inner = h
            for j in range(2):
                kernel = v1.get_variable(f"kernel_{j}", [3, 3, channels, channels])
                inner = tf.nn.relu(tf.nn.conv2d(inner, kernel, 1, "SAME"))
        h = h + inner
    loss = tf.reduce_mean(tf.square(h), name="loss")
    train = v1.train.MomentumOptimizer(1e-4, 0.9).minimize(
        loss, global_step=v1.train.get_or_create_global_step()
    )
    return train, loss, {x: np.ones([16, 32, 32, channels], "float32")}


#: Name -> builder, steps in one turn.
GRAPHS = {"small": (small, 100), "wide": (wide, 2), "compute": (compute, 1)}


class Loop:
    """A monitored session with idle hooks, stepped and timed."""

    def __init__(self, train, build, directory):
        self._graph = tf.Graph()
        with self._graph.as_default():
            v1.set_random_seed(1)
            self._train_op, loss, self._feeds = build()
            hooks = [
                train.StopAtStepHook(last_step=10**9),
                train.LoggingTensorHook({"loss": loss}, every_n_iter=10**9),
                train.CheckpointSaverHook(directory, save_steps=10**9),
                train.NanTensorHook(loss),
            ]
            self._session = train.SingularMonitoredSession(hooks=hooks)
        self.first = self.turn(1)

    def turn(self, steps):
        """Seconds that some steps take."""
        start = time.perf_counter()
        for _ in range(steps):
            self._session.run(self._train_op, self._feeds)
        return time.perf_counter() - start

    def close(self):
        """Ends the session."""
        with self._graph.as_default():
            self._session.close()


def measure(name, rounds):
    """The ratios of one graph: name -> ratio."""
    build, steps = GRAPHS[name]
    with tempfile.TemporaryDirectory() as directory:
        loops = []
        firsts = {compat: [], v1.train: []}
        for attempt in range(3 if name == "wide" else 1):
            for train in (compat, v1.train)[:: 1 if attempt % 2 else -1]:
                loop = Loop(train, build, os.path.join(directory, f"{attempt}{train.__name__}"))
                firsts[train].append(loop.first)
                loops.append((train, loop))
        ours, theirs = (dict(loops)[train] for train in (compat, v1.train))
        ratios = []
        for loop in (ours, theirs):
            loop.turn(3 * steps)
        for turn in range(rounds):
            pair = (ours, theirs)[:: 1 if turn % 2 else -1]
            seconds = {loop: loop.turn(steps) for loop in pair}
            ratios.append(seconds[ours] / seconds[theirs])
        for _, loop in loops:
            loop.close()
    found = {f"{name}: step": statistics.median(ratios)}
    if name == "wide":
        first = min(firsts[compat]) / min(firsts[v1.train])
        found[f"{name}: first run"] = first
    return found


def main():
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphs", nargs="*", default=list(GRAPHS), metavar="GRAPH")
    parser.add_argument("--rounds", type=int, default=40)
    arguments = parser.parse_args()
    failed = False
    for name in arguments.graphs:
        for what, ratio in measure(name, arguments.rounds).items():
            beyond = ratio > LIMITS[what]
            failed |= beyond
            mark = " beyond the limit" if beyond else ""
            print(f"{what:<18} {ratio:6.3f} (limit {LIMITS[what]:.2f}){mark}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
