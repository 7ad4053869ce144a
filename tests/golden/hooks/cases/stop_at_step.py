"""`StopAtStepHook`."""

from __future__ import annotations

from . import case


@case()
def constructor_errors(bench):
    bench.construct(
        "StopAtStepHook",
        {},
        {"num_steps": None, "last_step": None},
        {"num_steps": 3, "last_step": 5},
        {"num_steps": 3},
        {"last_step": 0},
        {"num_steps": -1},
    )


@case()
def last_step(bench):
    bench.train([bench.api.StopAtStepHook(last_step=3), bench.probe()])


@case()
def num_steps(bench):
    bench.train([bench.api.StopAtStepHook(num_steps=2)])


@case()
def no_steps_at_all(bench):
    """One step runs all the same."""
    for arguments in ({"num_steps": 0}, {"last_step": 0}, {"last_step": -1}):
        bench.note("arguments", arguments)
        bench.train([bench.api.StopAtStepHook(**arguments)])


@case()
def after_a_restore(bench):
    """`num_steps` counts from the restored step; a reached `last_step` runs one more."""
    for arguments in ({"num_steps": 2}, {"num_steps": 2}, {"last_step": 4}, {"last_step": 6}):
        bench.note("arguments", arguments)
        bench.train(
            [bench.api.StopAtStepHook(**arguments), bench.probe()],
            kind="MonitoredTrainingSession",
            checkpoint_dir=bench.path("model"),
            save_summaries_steps=None,
            log_step_count_steps=None,
        )
        bench.look_at_files("model")


@case()
def several_steps_in_one_run(bench):
    """The step is looked at after the run, so a step function may overshoot."""

    def three(step_context):
        for _ in range(3):
            step_context.session.run(bench.surface.train)
        return step_context.run_with_hooks(bench.surface.train)

    with bench.model():
        with bench.session([bench.api.StopAtStepHook(last_step=3), bench.probe()]) as session:
            while not session.should_stop():
                bench.note("ran", float(bench.surface.loss_of(session.run_step_fn(three))))


@case()
def one_hook_in_two_sessions(bench):
    """`last_step` stays what the first session made of `num_steps`."""
    hook = bench.api.StopAtStepHook(num_steps=2)
    for _ in range(2):
        bench.train([hook], most=5)
