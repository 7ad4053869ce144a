"""`NanTensorHook`."""

from __future__ import annotations

from . import case

NAN = float("nan")
INF = float("inf")


def _losses(bench, losses, **arguments):
    hooks = [bench.probe("first"), bench.api.NanTensorHook("loss:0", **arguments)]
    hooks.append(bench.probe("last", before_run=lambda hook, context: _loss(bench)))
    bench.train(hooks, losses=losses, most=len(losses) + 2)


def _loss(bench):
    return bench.tf.train.SessionRunArgs(fetches={"seen": "loss:0"})


@case()
def fails(bench):
    with bench.noting_error("training"):
        _losses(bench, [1.0, NAN, 3.0])


@case()
def stops(bench):
    """The run of the NaN still returns it, and later hooks see it."""
    bench.note("the NaN itself is not comparable")
    hooks = [bench.api.NanTensorHook("loss:0", fail_on_nan_loss=False), bench.probe()]
    with bench.model([1.0, NAN, 3.0]), bench.session(hooks) as session:
        while not session.should_stop():
            loss = bench.surface.loss_of(session.run(bench.surface.train))
            bench.note("loss", f"{loss:f}")


@case()
def infinite_is_fine(bench):
    with bench.model([INF, -INF, 1.0]):
        with bench.session([bench.api.NanTensorHook("loss:0")]) as session:
            for _ in range(3):
                loss = bench.surface.loss_of(session.run(bench.surface.train))
                bench.note("loss", f"{loss:f}", session.should_stop())


@case()
def unknown_tensor(bench):
    with bench.model(), bench.noting_error("session or run", ["nothing:5"]):
        with bench.session([bench.api.NanTensorHook("nothing:5")]) as session:
            bench.run(session)
