"""Makes the recorded cases and their bench importable, and the surfaces they run on."""

import os
import sys

import pytest
import tensorflow as tf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), "golden"))

from hooks.bench import Bench, GraphSurface, StepSurface


def make_surface(name):
    return GraphSurface(tf.compat.v1) if name == "graph" else StepSurface(tf)


@pytest.fixture(params=["graph", "step"])
def bench(request):
    """A bench on each surface: legacy graph, and `tf.function` step."""
    import compat

    made = Bench(tf.compat.v1, compat, make_surface(request.param))
    yield made
    made.remove()


@pytest.fixture
def graph_bench():
    """A bench on the legacy graph, for what a step can't have."""
    import compat

    made = Bench(tf.compat.v1, compat, make_surface("graph"))
    yield made
    made.remove()
