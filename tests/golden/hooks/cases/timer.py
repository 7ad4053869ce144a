"""`SecondOrStepTimer`."""

from __future__ import annotations

from . import case


@case()
def constructor_errors(bench):
    bench.construct(
        "SecondOrStepTimer",
        {},
        {"every_secs": 2, "every_steps": 10},
        {"every_secs": None, "every_steps": None},
        {"every_secs": 2},
        {"every_steps": 10},
        {"every_steps": 0},
        {"every_secs": 0},
        {"every_steps": -1},
    )


def _table(bench, timer, steps, seconds):
    for step in steps:
        due = timer.should_trigger_for_step(step)
        seen = timer.update_last_triggered_step(step) if due else None
        bench.note("step", step, due, seen, timer.last_triggered_step())
        bench.clock.now += seconds


@case()
def by_steps(bench):
    timer = bench.api.SecondOrStepTimer(every_steps=3)
    _table(bench, timer, [0, 0, 1, 2, 3, 4, 9, 9, 10, 11, 12, 5], 1.0)


@case()
def by_seconds(bench):
    timer = bench.api.SecondOrStepTimer(every_secs=2.0)
    _table(bench, timer, [0, 0, 1, 2, 2, 3, 4, 5, 6], 0.75)


@case()
def reset(bench):
    timer = bench.api.SecondOrStepTimer(every_steps=5)
    _table(bench, timer, [3, 4], 1.0)
    timer.reset()
    bench.note("reset", timer.last_triggered_step())
    _table(bench, timer, [4, 5], 1.0)


@case()
def without_an_asked_step(bench):
    timer = bench.api.SecondOrStepTimer(every_steps=5)
    bench.note("first", timer.update_last_triggered_step(7))
    bench.clock.now += 2
    bench.note("second", timer.update_last_triggered_step(9))
