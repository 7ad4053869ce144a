"""Starts a script with all generators seeded: `python seeded.py SEED SCRIPT [ARGS]`.

Runs under the Python of a TensorFlow 1 as well, so it speaks what Python 3.5 knows.
"""

import os
import random
import runpy
import sys


def main():
    """Seeds, then runs the script as the main program."""
    seed, script = int(sys.argv[1]), os.path.abspath(sys.argv[2])
    random.seed(seed)
    try:
        import numpy

        numpy.random.seed(seed)
    except ImportError:
        pass
    import tensorflow as tf

    # TF1's name; a script for TF2 alone has the other.
    (tf.set_random_seed if hasattr(tf, "set_random_seed") else tf.random.set_seed)(seed)
    sys.argv = [script] + sys.argv[3:]
    sys.path[0] = os.path.dirname(script)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
