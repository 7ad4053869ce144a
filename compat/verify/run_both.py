"""Runs one script under TensorFlow 1 and under `compat run`, to compare what they leave.

Each run has a fresh directory as its working directory and for temporary files, the same
arguments and the same seeds; its output goes to `stdout.log` and `stderr.log` there. A
script that writes to a fixed absolute path needs an argument to write elsewhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compat.verify.report import Report

_LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeded.py")
_LOG_LINES = 15


def run_both(
    script: str,
    script_args: list[str],
    legacy_python: str,
    *,
    compare: Callable[[str, str], Report],
    seed: int = 1,
    scratch: str | None = None,
    say: Callable[[str], None] = print,
) -> tuple[Report, str | None]:
    """Runs a script twice and compares.

    Args:
      script: Path of the script.
      script_args: Its arguments.
      legacy_python: A Python that has TensorFlow 1.
      compare: Compares two directories.
      seed: For Python's, NumPy's and TensorFlow's generators in both runs.
      scratch: A directory, new or empty, for both runs; by default a temporary one,
        which is removed if the runs are equal.
      say: Called with a line before each run.

    Returns:
      The report, and the directory that holds both runs if it was kept.

    Raises:
      FileNotFoundError: If the script or the Python isn't there.
      ValueError: If `scratch` isn't empty.
      RuntimeError: If a run failed; says which and shows the end of its output.
    """
    if not os.path.isfile(script):
        raise FileNotFoundError(f"there is no script {script!r}")
    python = shutil.which(legacy_python)
    if python is None:
        raise FileNotFoundError(f"there is no Python {legacy_python!r}")
    if scratch and os.path.isdir(scratch) and os.listdir(scratch):
        raise ValueError(f"--scratch is a new or empty directory; got {scratch!r}")
    base = os.path.abspath(scratch) if scratch else tempfile.mkdtemp(prefix="verify_")
    program = [os.path.abspath(script), *script_args]
    commands = {
        "old": ["TensorFlow 1", os.path.abspath(python), _LAUNCHER, str(seed), "legacy", *program],
        "new": ["compat", sys.executable, _LAUNCHER, str(seed), "compat", *program],
    }
    for name, (label, *command) in commands.items():
        say(f"running {os.path.basename(script)} under {label} …")
        _run(command, os.path.join(base, name), label)
    say("comparing …")
    report = compare(os.path.join(base, "old"), os.path.join(base, "new"))
    if scratch is None and report.equal:
        shutil.rmtree(base)
        return report, None
    return report, base


def _run(command: list[str], directory: str, label: str) -> None:
    """One run; what it prints goes to files, so that it can be compared."""
    # Inside, so that what scripts write to "the temporary directory" is compared as well.
    temporary = os.path.join(directory, "tmp")

    os.makedirs(temporary)
    environment = dict(
        os.environ,
        PYTHONHASHSEED="0",
        TMPDIR=temporary,
        TF_CPP_MIN_LOG_LEVEL="3",
        # TensorFlow 1 and 2 round differently on a GPU; seeds alone don't make them equal.
        CUDA_VISIBLE_DEVICES="",
    )
    environment.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # So does oneDNN, on some CPUs.
    # Importing TensorFlow 2 sets it; a TensorFlow 1 that inherits it is eager.
    environment.pop("TF2_BEHAVIOR", None)
    paths = [os.path.join(directory, f"{name}.log") for name in ("stdout", "stderr")]
    with open(paths[0], "w") as out, open(paths[1], "w") as error:
        done = subprocess.run(command, cwd=directory, env=environment, stdout=out, stderr=error)
    if done.returncode:
        with open(paths[1], errors="replace") as stream:
            end = "".join(stream.readlines()[-_LOG_LINES:])
        raise RuntimeError(
            f"the run under {label} ended with status {done.returncode}; the end of "
            f"{paths[1]}:\n{end.rstrip()}"
        )
