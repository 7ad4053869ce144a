"""Unmodified estimator scripts under `compat run` do what they did under TensorFlow 1.15."""

import json

import pytest
from compare import differences
from estimator_cases import CASES, golden_path


@pytest.mark.parametrize("estimator_case", CASES)
def test_run_equals_tensorflow_1(estimator_case, finished_estimator_cases):
    with open(golden_path(estimator_case)) as stream:
        golden = json.load(stream)
    assert golden["argv"] == CASES[estimator_case], "record the case again"
    assert golden["tensorflow"].startswith("1.15")
    runs = finished_estimator_cases[estimator_case].result()
    for number, (kept, (done, got)) in enumerate(zip(golden["runs"], runs, strict=True), 1):
        found = differences(kept, got)
        if done.returncode != kept["exit_code"]:
            found.append(done.stderr[-3000:])
        assert not found, f"{estimator_case}, run {number}:\n" + "\n".join(found[:40])
