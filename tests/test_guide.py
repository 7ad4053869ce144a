"""The guide's pages: their Python examples run, and what they link to is there."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

GUIDE = pathlib.Path(__file__).parent.parent / "migration_guide"
PAGES = sorted(GUIDE.glob("*.md"))

#: What an example leaves to the reader.
SETUP = """
import keras, numpy as np
x, y = np.ones((64, 4), "float32"), np.ones((64, 1), "float32")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")

import compat.v1 as tf1

def input_fn():
    return tf1.data.Dataset.from_tensors(({"x": np.ones((2, 4), "float32")}, np.zeros(2, "int64"))).repeat()

def model_fn(features, labels, mode):
    logits = tf1.layers.dense(features["x"], 2)
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
"""  # noqa: E501

EXAMPLES = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_example_runs(code, tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", SETUP + code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_pages_that_errors_name_exist():
    named = set()
    for path in (GUIDE.parent / "compat").rglob("*.py"):
        named |= set(re.findall(r"migration_guide/(\w+\.md)", path.read_text()))
    assert named <= {page.name for page in PAGES}
