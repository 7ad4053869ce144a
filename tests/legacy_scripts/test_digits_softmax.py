"""The first script of the guide: accuracy, resuming, checkpoints in both directions."""

import json
import os
import re
import shutil
import subprocess

import pytest
from compare import differences, run_script, snapshot
from script_cases import CASES, COMPAT_RUN, GOLDEN, golden_path, with_script_path

CASE = "digits_softmax"
RECORDER = os.path.join(os.path.dirname(GOLDEN), "record_scripts.py")


@pytest.mark.parametrize("case", [CASE])
def test_first_run_is_accurate_and_second_run_resumes(case, finished_cases):
    (first, _), (second, _) = finished_cases[case].result()
    assert first.returncode == 0, first.stderr[-3000:]
    accuracy = re.search(r"test accuracy = ([\d.]+)", first.stdout)
    assert accuracy is not None and float(accuracy.group(1)) > 0.95
    assert "starting from scratch" in first.stdout
    assert "resumed from the checkpoint of step 600" in second.stdout


def test_resumes_from_a_checkpoint_that_tensorflow_1_wrote(tmp_path):
    shutil.copytree(os.path.join(GOLDEN, "digits_softmax_checkpoint"), tmp_path / "out")
    done = run_script(COMPAT_RUN, with_script_path(CASES[CASE][1]), tmp_path)
    with open(golden_path(CASE)) as stream:
        golden = json.load(stream)["runs"][1]
    got = snapshot(done, tmp_path)
    # Only the newest checkpoint of the first run is there, and not its events.
    for run in (golden, got):
        run["checkpoints"]["out"]["all"] = []
        run.update(files=[], events={})
    assert differences(golden, got) == [], done.stderr[-3000:]


@pytest.mark.skipif("TF1_PYTHON" not in os.environ, reason="TF1_PYTHON names no interpreter")
def test_tensorflow_1_resumes_from_our_checkpoint(tmp_path):
    done = run_script(COMPAT_RUN, with_script_path(CASES[CASE][0]), tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    check = subprocess.run(
        [os.environ["TF1_PYTHON"], RECORDER, "--read-back", str(tmp_path / "out")],
        capture_output=True,
        text=True,
    )
    assert check.returncode == 0, check.stdout + check.stderr[-3000:]


def test_recordings_are_of_tensorflow_1_15():
    for case in CASES:
        with open(golden_path(case)) as stream:
            assert json.load(stream)["tensorflow"].startswith("1.15"), case
