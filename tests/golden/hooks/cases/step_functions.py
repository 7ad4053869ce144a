"""`run_step_fn` and `StepContext`."""

from __future__ import annotations

from . import case

SESSIONS = ("SingularMonitoredSession", "MonitoredSession")


def _in_session(bench, step_fn, kind, names=("step_context",)):
    with bench.model(), bench.noting_error("session", names):
        with bench.session([bench.probe()], kind) as session:
            bench.note("returned", session.run_step_fn(step_fn))
            bench.note("should stop", session.should_stop())


@case()
def arguments(bench):
    class Methods:
        def right(self, step_context):
            return "method"

        def wrong(self, context):
            return "wrong"

        def __call__(self, step_context):
            return "callable object"

    functions = [
        ("named", lambda step_context: "value"),
        ("other name", lambda context: "value"),
        ("no argument", lambda: "value"),
        ("two", lambda step_context, other: "value"),
        ("default", lambda step_context, other=1: "value"),
        ("method", Methods().right),
        ("wrong method", Methods().wrong),
        ("object", Methods()),
        ("number", 3),
        ("none", None),
    ]
    for name, function in functions:
        bench.note("function", name)
        _in_session(bench, function, "SingularMonitoredSession")


@case()
def with_and_without_hooks(bench):
    def step(step_context):
        step_context.session.run(bench.surface.train)
        return float(bench.surface.loss_of(step_context.run_with_hooks(bench.surface.train)))

    for kind in SESSIONS:
        _in_session(bench, step, kind)


@case()
def request_stop(bench):
    def step(step_context):
        step_context.run_with_hooks(bench.surface.train)
        step_context.request_stop()
        bench.note("never here")

    for kind in SESSIONS:
        _in_session(bench, step, kind)


@case()
def stop_iteration_of_its_own(bench):
    def step(step_context):
        raise StopIteration("own")

    for kind in SESSIONS:
        _in_session(bench, step, kind)


@case()
def other_errors(bench):
    def step(step_context):
        raise KeyError("own")

    for kind in SESSIONS:
        _in_session(bench, step, kind)


@case()
def stop_asked_by_a_hook(bench):
    """`run_with_hooks` returns, and the function goes on."""

    def stop(hook, context):
        context.request_stop()

    def step(step_context):
        step_context.run_with_hooks(bench.surface.train)
        return "went on"

    with bench.model(), bench.session([bench.probe(before_run=stop)]) as session:
        bench.note("returned", session.run_step_fn(step), session.should_stop())


@case("graph")
def aborted_is_tried_again(bench):
    calls = []

    def step(step_context):
        calls.append(1)
        step_context.run_with_hooks(bench.surface.train)
        if len(calls) == 1:
            raise bench.tf.errors.AbortedError(None, None, "away")
        return len(calls)

    for kind in SESSIONS:
        del calls[:]
        _in_session(bench, step, kind)
