"""`StepCounterHook`."""

from __future__ import annotations

from . import case


@case()
def constructor_errors(bench):
    bench.construct(
        "StepCounterHook",
        {},
        {"every_n_steps": None},
        {"every_n_steps": 5, "every_n_secs": 5},
        {"every_n_steps": None, "every_n_secs": 5},
        {"every_n_steps": 0},
        {"every_n_steps": -1},
    )


def _train(bench, most=8, **arguments):
    hook = bench.api.StepCounterHook(output_dir=bench.path("counted"), **arguments)
    bench.train([hook, bench.api.StopAtStepHook(num_steps=most)], most=99)
    bench.look_at_files("counted")


@case()
def every_n_steps(bench):
    _train(bench, every_n_steps=2)


@case()
def every_n_secs(bench):
    _train(bench, every_n_steps=None, every_n_secs=3)


@case()
def every_hundred(bench):
    _train(bench)


@case()
def ten_is_counted_at_eleven(bench):
    _train(bench, every_n_steps=10, most=35)


@case()
def without_a_directory(bench):
    bench.train([bench.api.StepCounterHook(every_n_steps=2)], most=5)


@case()
def writer_given(bench):
    with bench.tf.Graph().as_default():
        writer = bench.tf.summary.FileWriterCache.get(bench.path("counted"))
    bench.train([bench.api.StepCounterHook(every_n_steps=2, summary_writer=writer)], most=5)
    bench.look_at_files("counted")


@case()
def several_steps_in_one_run(bench):
    def two(step_context):
        step_context.session.run(bench.surface.train)
        return step_context.run_with_hooks(bench.surface.train)

    with bench.model(), bench.session([bench.api.StepCounterHook(every_n_steps=2)]) as session:
        for _ in range(5):
            session.run_step_fn(two)
            bench.clock.now += 1
