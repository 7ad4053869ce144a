"""Time of `verify` on large checkpoints, as a ratio to reading them alone.

    python tests/benchmarks/bench_verify.py [--megabytes 800] [--repeats 7]

Compares two checkpoints that are equal bit by bit, and two whose every element differs in
its last bits (as between two versions of TensorFlow), with reading both tensor by tensor
through `tf.train.load_checkpoint`: from the file cache, on one core, in processor time, so
that others on the machine matter less. The best of the repeats counts.
"""

import argparse
import os
import tempfile
import time

import numpy as np
import tensorflow as tf

from compat.verify import compare

TENSOR_MEGABYTES = 20
LIMIT = 1.5


def write(prefix, count, noise):
    """Writes `count` tensors; the same seed gives the same ones, apart from the noise."""
    random, noises = np.random.default_rng(0), np.random.default_rng(1)
    tensors = []
    for _ in range(count):
        tensor = random.standard_normal((TENSOR_MEGABYTES * 250, 1000), dtype=np.float32)
        if noise:
            tensor *= 1 + noise * noises.standard_normal(1000, dtype=np.float32)
        tensors.append(tensor)
    names = [f"layer_{i}/kernel" for i in range(count)]
    tf.raw_ops.SaveV2(
        prefix=prefix, tensor_names=names, shape_and_slices=[""] * count, tensors=tensors
    )


def read(*prefixes):
    """Reads checkpoints tensor by tensor."""
    for prefix in prefixes:
        reader = tf.train.load_checkpoint(prefix)
        for name in reader.get_variable_to_shape_map():
            reader.get_tensor(name)


def best(function, repeats):
    """The shortest of several runs, in seconds of processor time."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def measure(megabytes, repeats):
    """Prints the ratios; returns the largest."""
    count = max(1, megabytes // TENSOR_MEGABYTES)
    size = count * TENSOR_MEGABYTES * 2
    ratios = []
    with tempfile.TemporaryDirectory() as directory:
        old, same, near = (os.path.join(directory, name) for name in ("old", "same", "near"))
        write(old, count, 0)
        write(same, count, 0)
        write(near, count, 1e-7)
        for label, new in (("equal bits", same), ("last bits differ", near)):
            assert compare(old, new).equal  # Also warms the file cache.
            reading = best(lambda new=new: read(old, new), repeats)
            comparing = best(lambda new=new: compare(old, new), repeats)
            ratios.append(comparing / reading)
            print(
                f"{label:<17} read {size / reading:6.0f} MB/s, verify {size / comparing:6.0f} "
                f"MB/s, ratio {ratios[-1]:.2f} (limit {LIMIT})"
            )
    return max(ratios)


def main():
    """Measures and says whether the limit is kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=800, help="size of one checkpoint")
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return 0 if measure(args.megabytes, args.repeats) <= LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
