"""Starts a script with all generators seeded.

    python seeded.py SEED legacy SCRIPT [ARGS]    as the main program of a TensorFlow 1
    python seeded.py SEED compat SCRIPT [ARGS]    under `compat run`

Runs under the Python of a TensorFlow 1 as well, so it speaks what Python 3.5 knows.
"""

import os
import random
import runpy
import sys


def main():
    """Seeds, then runs the script; returns its exit status."""
    seed, surface, script = int(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    arguments = sys.argv[4:]
    # The script is in front of the path, as if it had been started itself; this file isn't.
    del sys.path[0]
    _seed_graphs(seed)
    _seed_generators(seed)
    if surface == "compat":
        from compat.__main__ import main as compat_main

        return compat_main(["run", script] + arguments)
    sys.argv = [script] + arguments
    sys.path.insert(0, os.path.dirname(script))
    runpy.run_path(script, run_name="__main__")
    return 0


def _seed_generators(seed):
    random.seed(seed)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(seed)


def _seed_graphs(seed):
    """Gives every new graph the seed, not just the first default one."""
    import tensorflow as tf

    create = tf.Graph.__init__

    def create_seeded(graph, *args, **kwargs):
        create(graph, *args, **kwargs)
        graph.seed = seed

    tf.Graph.__init__ = create_seeded


if __name__ == "__main__":
    sys.exit(main())
