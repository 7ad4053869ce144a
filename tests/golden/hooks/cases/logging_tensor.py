"""`LoggingTensorHook`."""

from __future__ import annotations

from . import case


@case()
def constructor_errors(bench):
    tensors = ["loss:0"]
    bench.construct(
        "LoggingTensorHook",
        {"tensors": tensors},
        {"tensors": tensors, "every_n_iter": None, "every_n_secs": None},
        {"tensors": tensors, "every_n_iter": 5, "every_n_secs": 5},
        {"tensors": tensors, "every_n_iter": 0},
        {"tensors": tensors, "every_n_iter": -10},
        {"tensors": tensors, "every_n_secs": 0},
        {"tensors": tensors, "every_n_secs": -1},
        {"tensors": tensors, "at_end": True},
        {"tensors": tensors, "every_n_iter": 5, "at_end": True},
        {"tensors": {"a": "loss:0"}, "every_n_iter": 1},
    )


def _train(bench, most=7, **arguments):
    arguments.setdefault("tensors", ["loss:0"])
    bench.train([bench.api.LoggingTensorHook(**arguments)], most=most)


@case()
def every_n_iter(bench):
    _train(bench, every_n_iter=3)


@case()
def every_step(bench):
    _train(bench, every_n_iter=1, most=3)


@case()
def every_n_secs(bench):
    _train(bench, every_n_secs=2.5)


@case("graph")
def at_end(bench):
    """Computed once more; a step can't be run for that, and gives its last outputs."""
    _train(bench, at_end=True)


@case("graph")
def at_end_and_every_n_iter(bench):
    _train(bench, at_end=True, every_n_iter=4)


@case()
def dict_of_tags(bench):
    _train(bench, tensors={"error": "loss:0"}, every_n_iter=3)


@case()
def formatter(bench):
    _train(
        bench, every_n_iter=3, formatter=lambda values: "loss was {:.3f}".format(values["loss:0"])
    )


@case()
def order_of_tensors(bench):
    """A list is logged in its order."""
    names = ["loss:0", "global_step:0"]
    with bench.model():
        hook = bench.api.LoggingTensorHook(names, every_n_iter=2)
        with bench.session([hook]) as session:
            bench.run(session)


@case("graph")
def at_end_without_a_run(bench):
    """The tensors are computed all the same, which no step could."""
    _train(bench, at_end=True, most=0)


@case()
def end_without_a_full_round(bench):
    _train(bench, every_n_iter=10, most=2)


@case("graph")
def tensors_themselves(bench):
    with bench.model():
        loss = bench.surface.train[0]
        hook = bench.api.LoggingTensorHook({"t": loss, "n": "loss:0"}, every_n_iter=2)
        with bench.session([hook]) as session:
            for _ in range(3):
                bench.run(session)


@case()
def unknown_tensor(bench):
    with bench.model(), bench.noting_error("session", ["nothing:5"]):
        bench.session([bench.api.LoggingTensorHook(["nothing:5"], every_n_iter=1)])


@case()
def one_hook_in_two_sessions(bench):
    """The count begins again with each session."""
    hook = bench.api.LoggingTensorHook(["loss:0"], every_n_iter=2)
    for _ in range(2):
        bench.train([hook], most=4)
