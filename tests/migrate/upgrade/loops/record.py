"""Records what the session loops print under TensorFlow 1.15.5.

    python tests/migrate/upgrade/loops/record.py

Run by hand under Python 3.7; `resumed_loop.py` runs twice, to continue.
"""

import json
import os
import subprocess
import sys
import tempfile

import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = {"feed_loop": 1, "dataset_loop": 1, "resumed_loop": 2}


def main():
    recorded = {"tensorflow": tf.__version__, "printed": {}}
    for name, times in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, os.path.join(HERE, name + ".py"), folder]
            runs = [subprocess.check_output(command, text=True) for _ in range(times)]
        recorded["printed"][name] = [run.splitlines() for run in runs]
    with open(os.path.join(HERE, "recorded.json"), "w") as out:
        json.dump(recorded, out, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main()
