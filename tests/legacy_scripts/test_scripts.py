"""Unmodified legacy scripts under `compat run` do what they did under TensorFlow 1.15."""

import json

import pytest
from compare import differences
from script_cases import CASES, golden_path


@pytest.mark.parametrize("case", CASES)
def test_run_equals_tensorflow_1(case, finished_cases):
    with open(golden_path(case)) as stream:
        golden = json.load(stream)["runs"]
    runs = finished_cases[case].result()
    assert [run["argv"] for run in golden] == CASES[case], "record the case again"
    for number, (kept, (done, snapshot)) in enumerate(zip(golden, runs, strict=True), 1):
        found = differences(kept, snapshot)
        if done.returncode != kept["exit_code"]:
            found.append(done.stderr[-3000:])
        assert not found, f"{case}, run {number}:\n" + "\n".join(found[:40])
