"""Cost of hooks in Keras `fit`, as ratios to `fit` without callbacks.

    python tests/benchmarks/bench_keras.py [--rounds 30] [--steps 400]

The models of a pair are alike and fit in turns, on the same data, in one process; a ratio
is the median over rounds. Steps take about a millisecond.

* idle: six standard hooks that have nothing to do between triggers.
* logging: a `LoggingTensorHook` of a gradient and a layer's output every 100 steps.
* retraces: how often a layer is traced more than without hooks, for two sets of values.

Exit status: 0 within the limits, 1 beyond one of them.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf

import compat

LIMITS = {"idle": 1.03, "logging": 1.05}
NEVER = 10**9
traces = 0


class Traced(keras.layers.Layer):
    """Counts how often it is traced."""

    def call(self, x):
        global traces
        traces += 1
        return x


def model():
    """Dense layers whose step takes about a millisecond on one core."""
    made = keras.Sequential(
        [
            keras.Input((256,)),
            Traced(),
            *[keras.layers.Dense(256, "relu", name=f"h{i}") for i in range(3)],
            keras.layers.Dense(10, name="top"),
        ]
    )
    made.compile(keras.optimizers.SGD(0.01), "mse")
    return made


def six_hooks(directory):
    """Hooks that trigger at the first step only."""
    return [
        compat.StopAtStepHook(last_step=NEVER),
        compat.LoggingTensorHook(["loss:0"], every_n_iter=NEVER),
        compat.CheckpointSaverHook(directory, save_steps=NEVER),
        compat.StepCounterHook(every_n_steps=NEVER, output_dir=directory),
        compat.NanTensorHook("loss:0"),
        compat.ProfilerHook(save_steps=NEVER, output_dir=directory),
    ]


class Clock(keras.callbacks.Callback):
    """Times the steps after the first, where hooks are set up and functions traced."""

    def on_train_batch_end(self, batch, logs=None):
        if batch == 1:
            self.start = time.perf_counter()
        self.seconds = time.perf_counter()

    def on_train_end(self, logs=None):
        self.seconds -= self.start


def ratio(hooks_of, rounds, steps):
    """Seconds with hooks by seconds without, the median of many rounds."""
    rng = np.random.default_rng(0)
    x, y = rng.random([64, 256], "float32"), rng.random([64, 10], "float32")
    data = tf.data.Dataset.from_tensors((x, y)).cache().repeat(steps)
    data = data.apply(tf.data.experimental.assert_cardinality(steps))
    plain, hooked = model(), model()
    ratios = []
    for turn in range(rounds + 1):
        seconds = {}
        for one in (plain, hooked)[:: 1 if turn % 2 else -1]:
            clock = Clock()
            with tempfile.TemporaryDirectory() as directory:
                hooks = hooks_of(directory) if one is hooked else []
                one.fit(data, verbose=0, callbacks=[clock, *hooks])
            seconds[one] = clock.seconds
        ratios.append(seconds[hooked] / seconds[plain])
    return statistics.median(ratios[1:])


def log_hook(directory):
    """One hook that logs a gradient and an output every 100 steps."""
    names = ["gradients/top/kernel:0", "h1/output:0"]
    return [compat.LoggingTensorHook(names, every_n_iter=100)]


def retraces():
    """(traces without hooks, traces with two sets of values)."""
    global traces
    x, y = np.zeros([64, 256], "float32"), np.zeros([64, 10], "float32")
    counts = []

    class Two(compat.SessionRunHook):
        step = 0

        def before_run(self, run_context):
            self.step += 1
            wanted = {1: "h1/output:0", 2: "gradients/top/kernel:0"}.get(self.step % 3)
            return wanted and compat.SessionRunArgs(wanted)

    for hooks in ([], [Two()]):
        one = model()
        traces = 0
        one.fit(x, y, batch_size=4, epochs=3, verbose=0, callbacks=hooks)
        counts.append(traces)
    return counts


def main():
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--steps", type=int, default=400)
    arguments = parser.parse_args()
    tf.get_logger().setLevel("ERROR")
    failed = False
    for name, hooks_of in (("idle", six_hooks), ("logging", log_hook)):
        found = ratio(hooks_of, arguments.rounds, arguments.steps)
        failed |= found > LIMITS[name]
        print(f"{name:<10} {found:6.3f} (limit {LIMITS[name]:.2f})", flush=True)
    without, with_two = retraces()
    failed |= with_two != 3 * without
    print(f"retraces   {with_two / without:6.0f} (limit 3: one, and one for each of two sets)")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
