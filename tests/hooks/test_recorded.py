"""Every hook and session does, case by case, what TensorFlow 1.15 was recorded to do."""

import difflib
import json
import os

import pytest
import tensorflow as tf
from hooks.bench import GraphSurface, StepSurface, run_case
from hooks.cases import CASES

import compat

RECORDED = os.path.join(os.path.dirname(__file__), "..", "golden", "hooks", "recorded")
SURFACES = {"graph": lambda: GraphSurface(tf.compat.v1), "step": lambda: StepSurface(tf)}


def recorded(name):
    path = os.path.join(RECORDED, name.partition(".")[0] + ".json")
    with open(path) as stream:
        recording = json.load(stream)
    assert recording["tensorflow"].startswith("1.15")
    return recording["cases"][name]


def comparable(journal):
    """Its lines, with the announcement of a save behind the listeners' `before_save`.

    TF 1.15 announces first, the classes of TF 2 that are adapted here call first.
    """
    entries = [list(entry) for entry in journal]
    for place in range(len(entries) - 1):
        announcement = str(entries[place][-1]).startswith("Saving checkpoints for")
        if announcement and str(entries[place + 1][0]).endswith(".before_save"):
            entries[place], entries[place + 1] = entries[place + 1], entries[place]
    return [json.dumps(entry) for entry in entries]


@pytest.mark.parametrize(
    ("name", "surface"),
    [(name, surface) for name, (_, surfaces) in CASES.items() for surface in surfaces],
)
def test_as_tensorflow_1(name, surface):
    function, _ = CASES[name]
    journal = run_case(function, tf.compat.v1, compat, SURFACES[surface]())
    expected, actual = comparable(recorded(name)), comparable(journal)
    assert expected == actual, "\n".join(
        difflib.unified_diff(expected, actual, "TF 1.15", "compat", lineterm="", n=2)
    )


def test_no_recording_is_left_over():
    families = {name.partition(".")[0] for name in CASES}
    assert {name.removesuffix(".json") for name in os.listdir(RECORDED)} == families
    for family in families:
        with open(os.path.join(RECORDED, family + ".json")) as stream:
            names = set(json.load(stream)["cases"])
        assert names == {name for name in CASES if name.partition(".")[0] == family}
