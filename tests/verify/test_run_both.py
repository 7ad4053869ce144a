"""`verify --run-both`: one script, two interpreters, one verdict."""

import os
import sys

import pytest
from run_edits import GOLDEN

from compat.verify.cli import main

SCRIPTS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(GOLDEN))), "migration_guide/legacy_scripts"
)

#: Random numbers of all three kinds; TF1's drop-in and TF2's own v1 mode both run it.
SCRIPT = """
import os, random, sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
with tf.Graph().as_default():
    # No seed of their own: the launcher gives each graph one.
    v = tf.get_variable("v", initializer=np.float32([np.random.rand(), random.random(), 0, 0]))
    w = tf.get_variable("w", initializer=tf.random_uniform([4]))
    session = tf.Session()
with session.graph.as_default(), session:
    session.run(tf.global_variables_initializer())
    print("loss = %.6f, step = 1" % session.run(tf.reduce_sum(v)))
    os.makedirs("out")
    tf.train.Saver().save(session, "out/model.ckpt", global_step=1)
if sys.argv[1:] == ["--drift"] and os.environ.get("LEGACY"):
    print("loss = 0.5, step = 2")
if sys.argv[1:] == ["--fail"]:
    sys.exit("no data in this place")
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return str(path)


@pytest.fixture
def legacy_python(tmp_path):
    """Stands for an interpreter of TF1: this one, under another name."""
    path = tmp_path / "legacy_python"
    path.write_text(f'#!/bin/sh\nLEGACY=1 exec "{sys.executable}" "$@"\n')
    path.chmod(0o755)
    return str(path)


def test_equal_runs_leave_nothing_behind(script, legacy_python, capfd, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    status = main(["--run-both", script, "--legacy-python", legacy_python, "--ignore", "nothing"])
    captured = capfd.readouterr()
    assert status == 0, captured.out + captured.err
    assert "2 variables" in captured.out and "1 logged series" in captured.out
    assert sorted(os.listdir(tmp_path)) == ["legacy_python", "train.py"]


def test_difference_keeps_the_runs(script, legacy_python, capfd, tmp_path):
    scratch = tmp_path / "both"
    status = main(["--run-both", script, "--legacy-python", legacy_python,
                   "--scratch", str(scratch), "--", "--drift"])  # fmt: skip
    captured = capfd.readouterr()
    assert status == 1 and "step 2; NEW ends at step 1" in captured.out
    assert str(scratch) in captured.err
    assert (scratch / "old" / "out").is_dir() and (scratch / "new" / "stdout.log").is_file()


def test_failed_run_is_shown(script, legacy_python, capfd, tmp_path):
    scratch = str(tmp_path / "both")
    status = main(["--run-both", script, "--legacy-python", legacy_python,
                   "--scratch", scratch, "--", "--fail"])  # fmt: skip
    error = capfd.readouterr().err
    assert status == 2 and "under TensorFlow 1 ended with status 1" in error
    assert "no data in this place" in error


@pytest.mark.skipif("TF1_PYTHON" not in os.environ, reason="TF1_PYTHON names no interpreter")
def test_digits_train_as_under_tensorflow_1(capfd):
    status = main(["--run-both", os.path.join(SCRIPTS, "digits_softmax.py"),
                   "--legacy-python", os.environ["TF1_PYTHON"],
                   "--", "--train_dir=out", "--max_steps=100"])  # fmt: skip
    captured = capfd.readouterr()
    assert status == 0, captured.out + captured.err
