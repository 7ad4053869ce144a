"""Runs of one model recorded under several TensorFlows are told equal."""

import json
import os
import subprocess
import sys

import pytest
from run_edits import GOLDEN

from compat.verify import compare

RECORDER = os.path.join(os.path.dirname(GOLDEN), "record_verify.py")
#: What only one side has: TF1's powers of Adam's betas, Keras's learning rate, and
#: summaries that the Keras run doesn't write.
ONE_SIDED = [
    "beta?_power",
    "optimizer/vars/1",
    "epoch_learning_rate",
    "logits",
    "digit/image",
    "what",
]


def golden(name):
    return os.path.join(GOLDEN, name)


@pytest.mark.parametrize(
    "old, new", [("session_1_15", "session_2_21"), ("estimator_1_15", "estimator_2_15")]
)
def test_same_surface_is_equal_without_a_map(old, new):
    report = compare(golden(old), golden(new))
    assert report.equal, report.to_text()
    assert report.compared["checkpoints"]["checkpoints"] == 3
    assert report.compared["events"]["tags"] >= 4
    assert report.compared["logs"]["logged series"] == 2


def test_estimator_directories_are_compared_one_by_one():
    report = compare(golden("estimator_1_15"), golden("estimator_2_15"), only=["events"])
    assert {row.where for row in report.series} == {"", "eval"}


def test_keras_fit_is_equal_with_the_suggested_map():
    first = compare(golden("session_1_15"), golden("keras_2_21"))
    assert first.verdict == "different"
    suggested = first.suggested
    assert suggested["variables"]["hidden/kernel"] == "layers/dense/vars/0"
    assert suggested["variables"]["softmax/bias/Adam_1"].startswith("optimizer/vars/")
    assert suggested["tags"]["loss_1"] == {"name": "epoch_loss", "scale": 1, "offset": 1}
    report = compare(golden("session_1_15"), golden("keras_2_21"), name_map=suggested,
                     ignore=ONE_SIDED)  # fmt: skip
    assert report.equal, report.to_text()
    # Steps were found inside the files: epoch_20.weights.h5 holds the optimizer's iterations.
    assert report.compared["checkpoints"]["checkpoints"] == 3
    assert report.compared["checkpoints"]["variables"] == 13


def test_suggested_map_is_printed_ready_to_be_saved(tmp_path):
    first = compare(golden("session_1_15"), golden("keras_2_21"))
    text = first.to_text()
    printed = text[text.index("{\n", text.index("Suggested map")) :]
    path = tmp_path / "names.json"
    path.write_text(printed)
    assert json.loads(printed) == first.suggested
    report = compare(golden("session_1_15"), golden("keras_2_21"), name_map=path,
                     ignore=ONE_SIDED)  # fmt: skip
    assert report.equal, report.to_text()


def test_session_shim_is_equal_to_tensorflow_1(tmp_path):
    """The recording script, run by `compat run`, trains as it did under TF 1.15."""
    done = subprocess.run(
        [sys.executable, "-m", "compat", "run", RECORDER, "session", str(tmp_path)],
        capture_output=True,
        text=True,
        env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (run,) = tmp_path.iterdir()
    report = compare(golden("session_1_15"), run)
    assert report.equal, report.to_text()


def test_recordings_say_which_tensorflow_made_them():
    for name in os.listdir(GOLDEN):
        with open(os.path.join(GOLDEN, name, "recorded.json")) as stream:
            recorded = json.load(stream)
        assert name == recorded["case"] + "_" + "_".join(recorded["tensorflow"].split(".")[:2])
