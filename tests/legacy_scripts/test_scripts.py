"""Legacy scripts do what they did under TensorFlow 1.15: as they are, and upgraded."""

import json
import os

import pytest
from compare import differences
from script_cases import CASES, golden_path

#: Upgraded scripts that run each time; COMPAT_TEST_ALL_SCRIPTS=1 runs all.
SAMPLE = ["digits_project", "rnn_while_loop", "scaffold_ema", "text_tables"]


@pytest.mark.parametrize("case", CASES)
def test_run_equals_tensorflow_1(case, finished_cases):
    assert_equal(case, finished_cases[case].result())


@pytest.mark.parametrize(
    "upgraded_case", CASES if os.environ.get("COMPAT_TEST_ALL_SCRIPTS") else SAMPLE
)
def test_upgraded_script_equals_tensorflow_1(upgraded_case, finished_upgraded_cases):
    assert_equal(upgraded_case, finished_upgraded_cases[upgraded_case].result())


def assert_equal(case, runs):
    with open(golden_path(case)) as stream:
        golden = json.load(stream)["runs"]
    assert [run["argv"] for run in golden] == CASES[case], "record the case again"
    for number, (kept, (done, snapshot)) in enumerate(zip(golden, runs, strict=True), 1):
        found = differences(kept, snapshot)
        if done.returncode != kept["exit_code"]:
            found.append(done.stderr[-3000:])
        assert not found, f"{case}, run {number}:\n" + "\n".join(found[:40])
