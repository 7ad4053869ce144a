"""A sample of random hook programs; `run.py` runs as many as one likes."""

import pathlib
import subprocess
import sys

import pytest

RUN = pathlib.Path(__file__).parent / "run.py"


@pytest.mark.parametrize(
    "surfaces, seeds", [("singular", "0:40"), ("monitored,training", "1000:1040")]
)
def test_programs_agree_with_tensorflow(surfaces, seeds):
    # In a process of its own: a program may hang, and patches clocks.
    run = subprocess.run(
        [sys.executable, str(RUN), "--seeds", seeds, "--surfaces", surfaces],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]


def test_a_difference_is_seen():
    """The comparison can fail: a session that changes one value is told apart."""
    run = subprocess.run(
        [sys.executable, str(RUN), "--seeds", "0:6", "--subject", "altered"],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert run.returncode == 1, run.stdout[-4000:] + run.stderr[-2000:]
    assert "differs" in run.stdout
