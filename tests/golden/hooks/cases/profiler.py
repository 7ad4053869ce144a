"""`ProfilerHook`: when it traces and what it leaves; what is in a timeline is not compared."""

from __future__ import annotations

from . import case


@case()
def constructor_errors(bench):
    directory = bench.path("profile")
    for arguments in ({}, {"save_steps": 2, "save_secs": 2}, {"save_steps": 2}, {"save_secs": 2}):
        with bench.noting_error(f"ProfilerHook({sorted(arguments)})", sorted(arguments)):
            with bench.tf.Graph().as_default():
                bench.api.ProfilerHook(output_dir=directory, **arguments)


def _train(bench, most, **arguments):
    with bench.model():
        hook = bench.api.ProfilerHook(output_dir=bench.path("profile"), **arguments)
        with bench.session([hook]) as session:
            for _ in range(most):
                bench.run(session)
    bench.look_at_files("profile")


@case("graph")
def every_two_steps(bench):
    _train(bench, 6, save_steps=2)


@case("graph")
def every_three_seconds(bench):
    _train(bench, 8, save_secs=3)


@case("graph")
def never_the_first(bench):
    _train(bench, 1, save_steps=1)
