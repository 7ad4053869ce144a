"""Records what the legacy scripts do under TensorFlow 1.15.

    python tests/golden/record_scripts.py [CASE...]            write the recordings
    python tests/golden/record_scripts.py --check [CASE...]    run again and compare
    python tests/golden/record_scripts.py --read-back TRAIN_DIR

Run it with the Python of a TensorFlow 1.15 installation that also has scikit-learn.
`--read-back` takes a directory in which another TensorFlow trained `digits_softmax`
with its default arguments, resumes there (in a copy) and compares the losses.
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
from script_cases import CASES, GOLDEN, SCRIPTS, golden_path, with_script_path

#: The checkpoint kept for the tests: after the first run of this case.
KEPT_CASE = "digits_softmax"
KEPT_CHECKPOINT = os.path.join(GOLDEN, "digits_softmax_checkpoint")
#: The same run as the README compares with: all checkpoints and what it printed.
WALKTHROUGH = os.path.join(os.path.dirname(SCRIPTS), "recorded", KEPT_CASE)
COMMAND = [sys.executable, "-W", "ignore"]


def run_case(name, after_first=None):
    """Runs all of a case in a fresh directory; returns the snapshots."""
    work_dir = tempfile.mkdtemp(prefix="record_")
    try:
        runs = []
        for argv in CASES[name]:
            done = compare.run_script(COMMAND, with_script_path(argv), work_dir)
            if done.returncode:
                print(f"{name}: exit code {done.returncode}\n{done.stderr[-2000:]}")
            runs.append(dict({"argv": argv}, **compare.snapshot(done, work_dir)))
            if len(runs) == 1 and after_first is not None:
                after_first(work_dir, done.stdout)
        return runs
    finally:
        shutil.rmtree(work_dir)


def keep_run(work_dir, printed):
    """Copies checkpoints of the finished first run beside the recordings and to the guide."""
    newest = tf.compat.v1.train.latest_checkpoint(os.path.join(work_dir, "out"))
    shutil.rmtree(KEPT_CHECKPOINT, ignore_errors=True)
    os.makedirs(KEPT_CHECKPOINT)
    for suffix in (".index", ".data-00000-of-00001", ".meta"):
        shutil.copy(newest + suffix, KEPT_CHECKPOINT)
    with open(os.path.join(KEPT_CHECKPOINT, "checkpoint"), "w") as stream:
        path = os.path.basename(newest)
        stream.write(f'model_checkpoint_path: "{path}"\n')
        stream.write(f'all_model_checkpoint_paths: "{path}"\n')
    shutil.rmtree(WALKTHROUGH, ignore_errors=True)
    dropped = shutil.ignore_patterns("*.meta", "*.pbtxt", "events*")
    shutil.copytree(os.path.join(work_dir, "out"), WALKTHROUGH, ignore=dropped)
    with open(os.path.join(WALKTHROUGH, "train.log"), "w") as stream:
        stream.write(printed)


def record(name):
    """Writes the recording of one case."""
    runs = run_case(name, keep_run if name == KEPT_CASE else None)
    golden = {"tensorflow": tf.__version__, "runs": runs}
    with open(golden_path(name), "w") as stream:
        stream.write(_json(golden) + "\n")
    print(f"{name}: recorded {len(runs)} run(s)")
    return True


def _json(value, indent=""):
    """JSON whose short lists and dicts take one line, to stay readable in a diff."""
    line = json.dumps(value, sort_keys=True)
    if len(line) <= 110 or not isinstance(value, (dict, list)):
        return line
    inner = indent + " "
    if isinstance(value, dict):
        parts = [json.dumps(key) + ": " + _json(value[key], inner) for key in sorted(value)]
        opening, closing = "{", "}"
    else:
        parts = [_json(item, inner) for item in value]
        opening, closing = "[", "]"
    body = (",\n" + inner).join(parts)
    return opening + "\n" + inner + body + "\n" + indent + closing


def check(name):
    """Runs one case again; prints and counts what differs from its recording."""
    with open(golden_path(name)) as stream:
        golden = json.load(stream)
    equal = True
    for number, (kept, run) in enumerate(zip(golden["runs"], run_case(name))):  # noqa: B905
        for sentence in compare.differences(kept, run, rtol=1e-7):
            print(f"{name}, run {number + 1}: {sentence}")
            equal = False
    print(f"{name}: {'equal' if equal else 'DIFFERENT'}")
    return equal


def read_back(train_dir):
    """Resumes `digits_softmax` from files that another TensorFlow wrote."""
    with open(golden_path(KEPT_CASE)) as stream:
        kept = json.load(stream)["runs"][1]
    work_dir = tempfile.mkdtemp(prefix="read_back_")
    try:
        shutil.copytree(train_dir, os.path.join(work_dir, "out"))
        done = compare.run_script(COMMAND, with_script_path(kept["argv"]), work_dir)
        got = compare.snapshot(done, work_dir)
    finally:
        shutil.rmtree(work_dir)
    found = [
        sentence for sentence in compare.differences(kept, got) if not sentence.startswith("event")
    ]
    print("\n".join(found) or f"TF {tf.__version__} read {train_dir} and went on equally")
    return not found


def main(argv=None):
    """Returns 0 if all went well or was equal, 1 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="CASE")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--read-back", metavar="TRAIN_DIR")
    args = parser.parse_args(argv)
    if args.read_back:
        return 0 if read_back(args.read_back) else 1
    unknown = sorted(set(args.names) - set(CASES))
    if unknown:
        parser.error(f"unknown case {unknown[0]}; the cases are {', '.join(CASES)}")
    act = check if args.check else record
    return 0 if all([act(name) for name in args.names or CASES]) else 1


if __name__ == "__main__":
    sys.exit(main())
