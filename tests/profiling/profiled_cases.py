"""Cases of the golden timelines, run by the package's own session."""

from __future__ import annotations

import contextlib
import importlib.util
import os

import tensorflow as tf

import compat
from compat.profiling.capture import HOOK_TRACE, Request

v1 = tf.compat.v1

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(__file__)), "golden", "timelines")
_spec = importlib.util.spec_from_file_location("graphs", os.path.join(GOLDEN, "graphs.py"))
graphs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(graphs)


@contextlib.contextmanager
def tf1_control_flow():
    """TF1's own while loops, whose names TF1's timelines show."""
    was = v1.control_flow_v2_enabled()
    v1.disable_control_flow_v2()
    try:
        yield
    finally:
        if was:
            v1.enable_control_flow_v2()


def profile(session, fetches, feeds=None):
    """One run's `ProfiledRun`."""
    request = Request("test")
    options = v1.RunOptions(trace_level=HOOK_TRACE)
    session.run(fetches, feeds, options=options, run_metadata=v1.RunMetadata())
    return request.reading.result()


class ProfiledCase:
    """A case's graph and one of its runs, the session being still open."""

    def __init__(self, name):
        self.name = name
        self.graph = tf.Graph()
        with tf1_control_flow(), self.graph.as_default():
            case = graphs.CASES[name](v1)
        self.session = compat.Session(graph=self.graph)
        for preparation in case.prepare:
            self.session.run(preparation)
        for _ in range(3):  # As in the recording.
            self.session.run(case.fetches, case.feeds)
        self.run = profile(self.session, case.fetches, case.feeds)
        self.trace = self.run.trace


_cases: dict[str, ProfiledCase] = {}


def profiled_case(name):
    """A case's run, made once."""
    if name not in _cases:
        _cases[name] = ProfiledCase(name)
    return _cases[name]
