"""`python -m compat verify`: forms, exit statuses, and what it refuses."""

import json
import os
import subprocess
import sys

import pytest
from run_edits import GOLDEN, edit_checkpoint

from compat.__main__ import main

OLD = os.path.join(GOLDEN, "session_1_15")
SAME = os.path.join(GOLDEN, "session_2_21")


def verify(*arguments):
    return main(["verify", *map(str, arguments)])


def test_equal_runs_exit_with_0(capsys):
    assert verify(OLD, SAME) == 0
    assert "EQUAL" in capsys.readouterr().out


def test_different_runs_exit_with_1(copy_run, capsys):
    run = copy_run("session_1_15")
    edit_checkpoint(f"{run}/model.ckpt-10", lambda v: v["softmax/bias"].__setitem__(2, 9))
    assert verify(OLD, run, "--format", "json") == 1
    data = json.loads(capsys.readouterr().out)
    assert data["differences"][0]["name"] == "softmax/bias"
    assert verify(OLD, run, "--atol", "10") == 0
    assert verify(OLD, run, "--ignore", "softmax/*") == 0
    assert verify(OLD, run, "--only", "events", "--only", "logs") == 0


def test_nothing_in_common_exits_with_2(tmp_path, capsys):
    assert verify(OLD, tmp_path, "--format", "json") == 2
    data = json.loads(capsys.readouterr().out)
    assert data["verdict"] == "incomparable"
    assert f"NEW ({tmp_path}) has no checkpoints" in data["summary"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([OLD], "two runs are needed"),
        ([OLD, "/no/such/run"], "no run, file or checkpoint"),
        ([OLD, SAME, "--rtol", "-1"], "rtol is a number of at least 0"),
        ([OLD, SAME, "--map", "/no/such/file"], "No such file"),
        ([OLD, SAME, "--", "--steps=3"], "belong to --run-both"),
        ([OLD, SAME, "--run-both", "x.py"], "leave OLD and NEW out"),
        (["--run-both", "x.py"], "needs --legacy-python"),
        (["--run-both", "/no/x.py", "--legacy-python", sys.executable], "no script"),
        (["--run-both", __file__, "--legacy-python", "/no/python"], "no Python"),
        ([OLD, SAME, "--output", os.path.join(OLD, "report.txt")], "nothing is written into"),
        ([OLD, SAME, "--format", "xml"], "invalid choice"),
    ],
)
def test_wrong_use_exits_with_2_and_says_why(arguments, words, capsys):
    assert verify(*arguments) == 2
    assert words in capsys.readouterr().err
    assert not os.path.exists(os.path.join(OLD, "report.txt"))


def test_report_goes_to_a_file(tmp_path, capsys):
    path = tmp_path / "report.html"
    assert verify(OLD, SAME, "--format", "html", "--output", path, "--only", "logs") == 0
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    captured = capsys.readouterr()
    assert captured.out == "" and str(path) in captured.err


def test_no_progress_without_a_terminal(capsys):
    verify(OLD, SAME, "--only", "events")
    assert capsys.readouterr().err == ""


def test_help_needs_neither_numpy_nor_tensorflow():
    script = (
        "import sys; from compat.verify.cli import main; status = main(['--help']); "
        "assert not {'numpy', 'tensorflow'} & set(sys.modules); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0 and "--run-both" in done.stdout, done.stderr
