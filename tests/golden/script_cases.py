"""Which legacy scripts have golden recordings, and with which arguments they run.

A case is a list of runs made one after the other in one directory: each is the
script's path under `migration_guide/legacy_scripts` and its arguments. The runs of a
case see the files that the earlier ones left.
"""

from __future__ import annotations

import os
import sys

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(REPOSITORY, "migration_guide", "legacy_scripts")
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts")

#: How the tests run a script.
COMPAT_RUN = [sys.executable, "-m", "compat", "run"]

CASES = {
    "digits_softmax": [
        ["digits_softmax.py", "--train_dir=out"],
        ["digits_softmax.py", "--train_dir=out", "--max_steps=300"],
    ],
}


def golden_path(name):
    """Returns where the recording of a case is kept."""
    return os.path.join(GOLDEN, name + ".json")


def with_script_path(argv, scripts=SCRIPTS):
    """Returns a run's arguments with the script's full path in front."""
    return [os.path.join(str(scripts), argv[0])] + argv[1:]
