"""A training process that is killed at random moments ends as if it had not been."""

import os
import subprocess
import sys

import pytest

SCRIPT = os.path.join(os.path.dirname(__file__), "kill_and_resume.py")


@pytest.mark.parametrize("surface", ["graph", "step"])
def test_kills_make_no_difference(surface):
    """A few kills; `kill_and_resume.py --kills 50` makes more."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--kills", "6", "--surface", surface],
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 kills made no difference" in done.stdout
