"""For all tests: eager execution at the start of each, and benches for hooks to run on."""

import os
import pathlib
import sys

import pytest
from hypothesis import settings

# The same examples each time: what a test run finds is found by the next one, too.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

# The recordings are of kernels without oneDNN, which TensorFlow 2 takes on some CPUs. This comes
# before TensorFlow is imported, and holds in the processes that tests start.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

# Recordings of TF 1.15 and what is needed to compare with them.
sys.path.insert(0, str(pathlib.Path(__file__).parent / "golden"))


@pytest.fixture(autouse=True)
def _eager_again():
    """Takes away the default graph that a test of `compat.v1` may leave in place."""
    yield
    if "compat.v1.graph_mode" in sys.modules:
        sys.modules["compat.v1.graph_mode"].leave()


@pytest.fixture(params=["graph", "step"])
def bench(request):
    """A bench on each surface: legacy graph, and `tf.function` step."""
    yield from _bench_on(request.param)


@pytest.fixture
def graph_bench():
    """A bench on the legacy graph, for what a step can't have."""
    yield from _bench_on("graph")


def _bench_on(surface):
    import tensorflow as tf
    from hooks.bench import bench_on

    import compat

    made = bench_on(tf, compat, surface)
    yield made
    made.remove()
