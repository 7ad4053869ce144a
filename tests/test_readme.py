"""The README's Python examples run as they stand, each in an interpreter of its own."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)

#: What an example leaves to the reader: a model to fit.
SETUP = """
import keras, numpy as np
x, y = np.ones((64, 4), "float32"), np.ones((64, 1), "float32")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="hidden"),
                          keras.layers.Dense(1)])
model.compile("sgd", "mse")
"""


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_example_runs(number, tmp_path):
    code = BLOCKS[number]
    if "model.fit" in code:
        code = SETUP + code
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


def test_three_commands_train_and_compare(tmp_path):
    text = (ROOT / "README.md").read_text()
    commands = re.search(r"takes three commands.*?```bash\n(.*?)```", text, re.DOTALL).group(1)
    (tmp_path / "migration_guide").symlink_to(ROOT / "migration_guide")
    script = "set -eo pipefail\n" + commands.replace(".venv/bin/python", sys.executable)
    run = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "works unchanged" in run.stdout
    assert "EQUAL" in run.stdout
    assert "3 checkpoints" in run.stdout
    assert "logged series" in run.stdout


def test_there_are_examples():
    assert len(BLOCKS) == 4
