"""A bench on each surface: legacy graph, and `tf.function` step."""

import os
import sys

import pytest
import tensorflow as tf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), "golden"))

from hooks.bench import bench_on

import compat


@pytest.fixture(params=["graph", "step"])
def bench(request):
    """A bench on each surface."""
    made = bench_on(tf, compat, request.param)
    yield made
    made.remove()


@pytest.fixture
def graph_bench():
    """A bench on the legacy graph, for what a step can't have."""
    made = bench_on(tf, compat, "graph")
    yield made
    made.remove()
