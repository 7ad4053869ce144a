"""Cases of the golden timelines, and a clean profiler for every test."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from profiled_cases import graphs, profiled_case


@pytest.fixture(params=sorted(graphs.CASES))
def case(request):
    """Each of the golden cases."""
    return profiled_case(request.param)


@pytest.fixture
def matmul():
    """The smallest case."""
    return profiled_case("matmul")
