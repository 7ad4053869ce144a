"""Copies of recorded runs, to be changed."""

import os
import shutil
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from run_edits import GOLDEN


@pytest.fixture
def copy_run(tmp_path):
    """Copies a recorded run into the test's directory and returns the path."""

    def copy(name, to="new"):
        return str(shutil.copytree(os.path.join(GOLDEN, name), tmp_path / to))

    return copy
