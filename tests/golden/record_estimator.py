"""Records what the estimator scripts do under TensorFlow 1.15.

    python tests/golden/record_estimator.py [CASE...]            write the recordings
    python tests/golden/record_estimator.py --check [CASE...]    run again and compare

Run it with the Python of a TensorFlow 1.15 installation that also has scikit-learn.
`--check` works with TensorFlow 2.15 too, the last one that had estimators, given
`--preload`: the scripts then run with `tensorflow.compat.v1` as `tensorflow`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile

import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import compare
from estimator_cases import CASES, golden_path, run_case

COMMAND = [sys.executable, "-W", "ignore"]
#: Runs a script whose `import tensorflow` gives TF 2's view of TF 1.
PRELOAD = """
import runpy, sys
import tensorflow
import tensorflow.compat.v1 as v1
v1.disable_v2_behavior()
sys.modules["tensorflow"] = v1
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(name, command):
    """Runs one case in a fresh directory; returns its descriptions."""
    work_dir = tempfile.mkdtemp(prefix="record_")
    try:
        results = run_case(name, command, work_dir)
    finally:
        shutil.rmtree(work_dir)
    for done, _ in results:
        if done.returncode:
            print(f"{name}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return [description for _, description in results]


def record(name, command):
    """Writes the recording of one case."""
    golden = {"tensorflow": tf.__version__, "argv": CASES[name], "runs": run(name, command)}
    with open(golden_path(name), "w") as stream:
        stream.write(readable_json(golden) + "\n")
    print(f"{name}: recorded")
    return True


def readable_json(value, indent=""):
    """JSON whose short lists and dicts take one line, to stay readable in a diff."""
    line = json.dumps(value, sort_keys=True)
    if len(line) <= 110 or not isinstance(value, (dict, list)):
        return line
    inner = indent + " "
    if isinstance(value, dict):
        opening, closing = "{", "}"
        parts = [json.dumps(key) + ": " + readable_json(value[key], inner) for key in sorted(value)]
    else:
        opening, closing = "[", "]"
        parts = [readable_json(item, inner) for item in value]
    return opening + "\n" + inner + (",\n" + inner).join(parts) + "\n" + indent + closing


def check(name, command):
    """Runs one case again; prints what differs from its recording."""
    with open(golden_path(name)) as stream:
        golden = json.load(stream)
    equal = True
    for number, (kept, got) in enumerate(zip(golden["runs"], run(name, command)), 1):  # noqa: B905
        for sentence in compare.differences(kept, got):
            print(f"{name}, run {number}: {sentence}")
            equal = False
    print(f"{name}: {'equal' if equal else 'DIFFERENT'}")
    return equal


def main(argv=None):
    """Returns 0 if all went well or was equal, 1 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="CASE")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--preload", action="store_true", help="run on TF 2's view of TF 1")
    args = parser.parse_args(argv)
    unknown = sorted(set(args.names) - set(CASES))
    if unknown:
        parser.error(f"unknown case {unknown[0]}; the cases are {', '.join(CASES)}")
    command = COMMAND + ["-c", PRELOAD] if args.preload else COMMAND
    act = check if args.check else record
    return 0 if all([act(name, command) for name in args.names or CASES]) else 1


if __name__ == "__main__":
    sys.exit(main())
