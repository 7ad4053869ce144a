"""Cost of profiling, as ratios to TensorFlow's own `ProfilerHook`, and of conversion.

    python tests/benchmarks/bench_profiler.py [--steps 60] [--repeats 3] [--events 1000000]

* A profiled step's extra time over a normal step of the same session, ours against
  TensorFlow's, on the same graphs, interleaved step by step in one process: as the loop
  sees it, and over the whole loop (all that is done beside the training, waited for at
  the end, included).
* Steps on which nothing is profiled, with the hook installed against without it.
* Conversion of captures of N/4, N/2 and N events: seconds, growth, peak memory.
"""

import argparse
import os
import statistics
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

import compat

v1 = tf.compat.v1
EVERY = 30
LIMITS = {"profiled": 0.5, "unprofiled": 1.02, "seconds": 20.0, "gibibytes": 2.0}


def dense(layers, width, batch):
    """A stack of dense layers trained by Adam; returns the fetches and the feeds."""
    x = v1.placeholder(tf.float32, [batch, width], name="x")
    h = x
    for i in range(layers):
        with v1.variable_scope(f"layer_{i}"):
            kernel = v1.get_variable("kernel", [width, width], use_resource=True)
            bias = v1.get_variable("bias", [width], use_resource=True)
        h = tf.nn.relu(tf.nn.bias_add(tf.matmul(h, kernel), bias))
    loss = tf.reduce_mean(tf.square(h))
    step = v1.train.get_or_create_global_step()
    train = v1.train.AdamOptimizer(1e-3).minimize(loss, global_step=step)
    return [train, loss], {x: np.ones([batch, width], "float32")}


GRAPHS = {
    "2 layers, 60 ops run": lambda: dense(2, 64, 32),
    "20 layers, 400 ops run": lambda: dense(20, 64, 32),
    "100 layers, 1900 ops run": lambda: dense(100, 32, 32),
    "3 wide layers, compute-bound": lambda: dense(3, 512, 256),
}


class Loop:
    """A monitored session that is stepped and timed."""

    def __init__(self, train, build, hooks):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.fetches, self.feeds = build()
            self.session = train.SingularMonitoredSession(hooks=hooks)
        self.times = []

    def step(self):
        start = time.perf_counter()
        self.session.run(self.fetches, self.feeds)
        self.times.append(time.perf_counter() - start)

    def close(self):
        start = time.perf_counter()
        self.session.close()
        return time.perf_counter() - start


def profiled(build, steps, directory):
    """Extra milliseconds per profiled step: ((at the step, over the loop) of ours, of TF's)."""
    ours_dir, theirs_dir = os.path.join(directory, "ours"), os.path.join(directory, "theirs")
    ours_hook = compat.ProfilerHook(save_steps=EVERY, output_dir=ours_dir)
    os.makedirs(theirs_dir, exist_ok=True)
    with tf.Graph().as_default():
        theirs_hook = v1.train.ProfilerHook(save_steps=EVERY, output_dir=theirs_dir)
    loops = [Loop(compat, build, [ours_hook]), Loop(v1.train, build, [theirs_hook])]
    for loop in loops:  # First runs, first profiles.
        for _ in range(2 * EVERY + 1):
            loop.step()
        loop.times.clear()
    for loop in loops:  # One after the other: what is done beside the steps counts.
        for _ in range(steps):
            loop.step()
    results = []
    for loop in loops:
        # Runs number EVERY, 2 * EVERY… of those counted are the profiled ones.
        with_profile = loop.times[EVERY - 2 :: EVERY]
        normal = [t for i, t in enumerate(loop.times) if i % EVERY != EVERY - 2]
        usual = statistics.median(normal)
        at_step = statistics.median(with_profile) - usual
        whole = (sum(loop.times) + loop.close() - len(loop.times) * min(usual, usual)) / len(
            with_profile
        )
        results.append((1e3 * at_step, 1e3 * whole, 1e3 * usual))
    return results


def unprofiled(build, steps, directory):
    """Median step with the hook over median step without it, interleaved."""
    hook = compat.ProfilerHook(save_steps=10**9, output_dir=directory)
    loops = [Loop(compat, build, [hook]), Loop(compat, build, [])]
    for i in range(steps + 10):
        for loop in loops if i % 2 else reversed(loops):
            loop.step()
    with_hook, without = (statistics.median(loop.times[10:]) for loop in loops)
    for loop in loops:
        loop.close()
    return with_hook / without


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    arguments = parser.parse_args()
    for name, build in GRAPHS.items():
        with tempfile.TemporaryDirectory() as d:
            (a, aw, an), (b, bw, bn) = profiled(build, arguments.steps, d)
            print(f"{name:<32} at the step {a:7.2f} vs {b:7.2f} ms: {a / b:5.2f};", end=" ")
            print(f"whole loop {aw:7.2f} vs {bw:7.2f}: {aw / bw:5.2f};", end=" ")
            print(f"normal {an:.2f} vs {bn:.2f}")
