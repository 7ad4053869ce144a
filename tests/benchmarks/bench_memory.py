"""Memory of a session that is asked for ever new sets of fetches.

    python tests/benchmarks/bench_memory.py [--sets 1000]

Each set of fetches is compiled once and kept until 256 others have been used since, so
memory grows up to that number and stays there. Exit status: 0 if it does, 1 if it grows on.
"""

import argparse
import itertools
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

import compat

v1 = tf.compat.v1
TENSORS = 60
LIMIT = 1.10  # Memory at the end over memory when the cache has been filled twice.


def resident():
    """Mebibytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def main():
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000)
    arguments = parser.parse_args()
    with tf.Graph().as_default():
        kernel = v1.get_variable("kernel", [64, 64])
        tensors = [tf.tanh(kernel * float(i)) for i in range(TENSORS)]
        with compat.Session() as session:
            session.run(v1.global_variables_initializer())
            sizes = {0: resident()}
            sets = itertools.islice(itertools.combinations(tensors, 2), arguments.sets)
            for number, fetches in enumerate(sets, start=1):
                session.run(fetches)
                if number % 128 == 0 or number == arguments.sets:
                    sizes[number] = resident()
                    print(f"{number:6} sets {sizes[number]:8.0f} MiB", flush=True)
    growth = sizes[arguments.sets] / sizes[min(512, max(sizes))]
    print(f"growth from 512 sets on: {growth:.3f} (limit {LIMIT})")
    return int(growth > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
