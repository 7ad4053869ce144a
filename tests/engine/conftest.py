"""A legacy graph run by the engine and by TensorFlow's own graph session, side by side."""

from __future__ import annotations

import contextlib

import pytest
import tensorflow as tf

v1 = tf.compat.v1


@pytest.fixture(params=[False, True], ids=["resource", "reference"])
def variables(request):
    """Both kinds of variables that graphs may have; yields whether to use resources."""
    return not request.param


@pytest.fixture
def tf1_switches():
    """TF1's control flow, and its variables where `get_variable` is not told otherwise."""
    was = v1.resource_variables_enabled(), v1.control_flow_v2_enabled()
    v1.disable_resource_variables()
    v1.disable_control_flow_v2()
    with contextlib.ExitStack() as stack:
        if was[0]:
            stack.callback(v1.enable_resource_variables)
        if was[1]:
            stack.callback(v1.enable_control_flow_v2)
        yield
