"""The data of these tests; makes their helpers importable."""

import os
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from small_models import COLUMNS, ROWS


@pytest.fixture
def data():
    """A regression problem: x of [32, 3], y of [32, 1]."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(ROWS, COLUMNS)).astype("float32")
    return x, (x @ np.array([[1.0], [-2.0], [0.5]]) + 0.3).astype("float32")
