"""Session loops turned into steps print what TF 1.15.5 printed for the old script."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compat.migrate.upgrade.command import main

LOOPS = Path(__file__).parent / "loops"
RECORDED = json.loads((LOOPS / "recorded.json").read_text())


def numbers(lines):
    return [[float(word) for word in line.split() if word != "steps"] for line in lines]


@pytest.mark.parametrize("name", RECORDED["printed"])
def test_an_upgraded_loop_prints_the_same(name, tmp_path, capsys):
    script = tmp_path / f"{name}.py"
    script.write_text((LOOPS / f"{name}.py").read_text())
    assert main([str(script), "--to", "tf-function", "--write"]) == 1
    assert "GradientTape" in script.read_text()
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    for expected in RECORDED["printed"][name]:
        command = [sys.executable, str(script), str(tmp_path / "checkpoints")]
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr[-2000:]
        got = numbers(done.stdout.splitlines())
        assert [len(line) for line in got] == [len(line) for line in numbers(expected)]
        for line, wanted in zip(got, numbers(expected), strict=True):
            assert line == pytest.approx(wanted, rel=1e-5, abs=2e-6)
