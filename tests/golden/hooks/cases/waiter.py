"""`GlobalStepWaiterHook`."""

from __future__ import annotations

from . import case


@case()
def does_not_wait_for_zero(bench):
    for wait_until in (0, -3):
        bench.train([bench.api.GlobalStepWaiterHook(wait_until)], most=2)


@case()
def waits_until_another_makes_the_steps(bench):
    def advance():
        session = raw.get("session")
        if session is not None:
            session.run(bench.surface.train)
        bench.note("slept", bench.clock.now - 1000.0)

    raw = {}
    probe = bench.probe(
        after_create_session=lambda hook, session, coord: raw.update(session=session)
    )
    bench.clock.on_sleep = advance
    bench.train([probe, bench.api.GlobalStepWaiterHook(4)], most=3)
    bench.clock.on_sleep = None


@case()
def waits_only_once(bench):
    """When the step has been reached, runs no longer look at it."""
    probe = bench.probe()
    bench.clock.on_sleep = lambda: bench.note("slept")
    with bench.model():
        with bench.session([bench.api.GlobalStepWaiterHook(2), probe]) as session:
            session.raw_session().run(bench.surface.train)
            session.raw_session().run(bench.surface.train)
            bench.run(session)
            bench.run(session)
    bench.clock.on_sleep = None
