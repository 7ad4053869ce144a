"""The stages are documented by an example that runs."""

import doctest

import compat.profiling


def test_the_example_runs():
    results = doctest.testmod(compat.profiling)
    assert results.failed == 0 and results.attempted > 8
