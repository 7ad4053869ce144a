"""Which estimator scripts have golden recordings, and how a run of one is described.

Used by the recording script (under TF 1.15 on Python 3.7) and by the tests, so it speaks
no newer Python. A case is a list of runs made one after the other in one directory.
"""

from __future__ import annotations

import os
import re

import compare
from script_cases import with_script_path

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "estimator")

CASES = {
    "canned": [["estimator_canned.py"]],
    "digits_cnn": [["estimator_digits_cnn.py"]],
    "in_memory_eval": [["estimator_in_memory_eval.py"]],
    "seq2seq_tables": [["estimator_seq2seq_tables.py"]],
    "tiny_bert": [
        ["estimator_tiny_bert.py", "--do_train", "--do_eval"],
        [
            "estimator_tiny_bert.py",
            "--output_dir=fine_tuned",
            "--init_checkpoint=tiny_bert/model.ckpt-40",
            "--num_train_steps=10",
            "--do_train",
            "--do_eval",
            "--do_predict",
        ],
    ],
    "train_and_evaluate": [
        ["estimator_train_and_evaluate.py", "--max_steps=60"],
        ["estimator_train_and_evaluate.py"],
    ],
    "warm_start": [["estimator_warm_start.py"]],
}

#: Exports are in directories named by the time in seconds.
_EXPORT = re.compile(r"(?<=/)(?:temp-)?\d{10}(?=/)")
#: TF 2's SavedModel builder adds a fingerprint of what it wrote.
_TF2_ONLY = "fingerprint.pb"
#: TF 1.15 saves resource and reference variables in different shards; TF 2, and this
#: package with it, saves them in one. Readers don't care.
_SHARDS = re.compile(r"(?<=\.data-)\d{5}-of-\d{5}$")
_ONE_SHARD = "00000-of-00001"
#: Tags whose value depends on the clock: speed, and how full an input queue is.
_CLOCK_TAGS = re.compile(r"examples/sec$|enqueue_input/.*_full$")


def golden_path(name):
    """Returns where the recording of a case is kept."""
    return os.path.join(GOLDEN, name + ".json")


def run_case(name, command, work_dir):
    """Runs all of a case in `work_dir`; returns (finished process, description) pairs."""
    results = []
    for argv in CASES[name]:
        done = compare.run_script(command, with_script_path(argv), work_dir)
        results.append((done, _described(compare.snapshot(done, work_dir))))
    return results


def _described(snapshot):
    """The snapshot with export directories numbered and the clock masked."""
    exports = sorted({match for path in snapshot["files"] for match in _EXPORT.findall(path)})
    numbers = {}
    for path in snapshot["files"]:
        for export in _EXPORT.findall(path):
            numbers.setdefault(path[: path.index(export)], set()).add(export)

    def masked(path):
        for export in exports:
            if "/" + export + "/" in path:
                parent = path[: path.index(export)]
                number = sorted(numbers[parent]).index(export) + 1
                return path.replace(export, f"export-{number}")
        return path

    files = [masked(path) for path in snapshot["files"]]
    kept = {_SHARDS.sub(_ONE_SHARD, path) for path in files if not path.endswith(_TF2_ONLY)}
    snapshot["files"] = sorted(kept)
    snapshot["texts"] = {masked(path): text for path, text in snapshot["texts"].items()}
    for entries in snapshot["events"].values():
        for entry in entries:
            if _CLOCK_TAGS.match(entry[2]):
                entry[3] = None
    return snapshot
