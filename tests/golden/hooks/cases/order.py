"""The order of calls, and what errors and stop requests make of it."""

from __future__ import annotations

from . import case

SESSIONS = ("SingularMonitoredSession", "MonitoredSession")


@case()
def two_hooks(bench):
    for kind in SESSIONS:
        bench.train([bench.probe("a"), bench.probe("b")], kind, most=2)


@case()
def what_hooks_ask_for(bench):
    """Each hook gets its part in its own structure; none asked for is None."""
    args = bench.tf.train.SessionRunArgs
    asked = [
        lambda hook, context: args("loss:0"),
        lambda hook, context: args(["loss:0"]),
        lambda hook, context: args({"x": "loss:0", "y": ["global_step:0"]}),
        lambda hook, context: args([]),
        lambda hook, context: args({}),
        lambda hook, context: args(None),
        lambda hook, context: None,
    ]
    hooks = [bench.probe(f"h{i}", before_run=ask) for i, ask in enumerate(asked)]
    bench.train(hooks, most=1)


@case()
def one_hook_twice(bench):
    hook = bench.probe(before_run=lambda h, c: bench.tf.train.SessionRunArgs("loss:0"))
    bench.train([hook, hook], most=1)


@case()
def stop_in_before_run(bench):
    """The step still runs, and later hooks see the request."""

    def stop(hook, context):
        context.request_stop()

    bench.train([bench.probe("a"), bench.probe("b", before_run=stop), bench.probe("c")])


@case()
def stop_in_after_run(bench):
    def stop(hook, context, values):
        context.request_stop()

    bench.train([bench.probe("a"), bench.probe("b", after_run=stop), bench.probe("c")])


@case()
def stop_of_the_coordinator(bench):
    """A stop asked of the coordinator ends the loop as well."""
    kept = {}

    def keep(hook, session, coord):
        kept["coord"] = coord

    def stop(hook, context, values):
        kept["coord"].request_stop()

    for kind in SESSIONS:
        bench.train([bench.probe(after_create_session=keep, after_run=stop)], kind)


@case()
def run_after_stop(bench):
    def stop(hook, context):
        context.request_stop()

    with bench.model(), bench.noting_error("run again"):
        with bench.session([bench.probe(before_run=stop)]) as session:
            bench.run(session)
            bench.run(session)


def _errors(bench):
    tf = bench.tf
    return [
        tf.errors.OutOfRangeError(None, None, "data"),
        StopIteration(),
        ValueError("wrong"),
        tf.errors.InternalError(None, None, "broken"),
    ]


def _raising(error):
    def action(*_):
        raise error

    return action


@case()
def errors_of_hooks(bench):
    for kind in SESSIONS:
        for callback in ("begin", "after_create_session", "before_run", "after_run", "end"):
            for error in _errors(bench):
                bench.note("raised", kind, callback, type(error).__name__)
                hooks = [bench.probe("a", **{callback: _raising(error)}), bench.probe("b")]
                with bench.noting_error("training"):
                    bench.train(hooks, kind, most=2)


@case()
def errors_of_the_loop(bench):
    for kind in SESSIONS:
        for error in _errors(bench):
            bench.note("raised", kind, type(error).__name__)
            with bench.model(), bench.noting_error("training"):
                with bench.session([bench.probe()], kind) as session:
                    bench.run(session)
                    raise error
            bench.note("stopped", session.should_stop())


@case()
def caught_end_of_data(bench):
    """It leaves the session usable."""
    with bench.model():
        with bench.session([bench.probe()]) as session:
            try:
                raise bench.tf.errors.OutOfRangeError(None, None, "data")
            except bench.tf.errors.OutOfRangeError:
                bench.note("caught")
            bench.run(session)


@case()
def error_of_end_and_of_the_loop(bench):
    """The loop's error means that `end` isn't called, so it is the one that comes out."""
    hook = bench.probe(end=_raising(KeyError("end")))
    with bench.model(), bench.noting_error("training"):
        with bench.session([hook]):
            raise ValueError("loop")
    with bench.model(), bench.noting_error("training"):
        with bench.session([hook]):
            bench.note("no error")


@case()
def stop_is_seen_by_later_hooks_only(bench):
    seen = {}

    def stop(hook, context):
        context.request_stop()
        seen["asked"] = context.stop_requested

    bench.train([bench.probe("early"), bench.probe("stops", before_run=stop)])
    bench.note("asked", seen["asked"])


@case()
def session_in_callbacks_has_no_hooks(bench):
    def run(hook, context, *_):
        context.session.run("global_step:0")

    def run_session(hook, session, *_):
        session.run("global_step:0")

    bench.train(
        [
            bench.probe(
                before_run=run, after_run=run, after_create_session=run_session, end=run_session
            )
        ],
        most=2,
    )


@case()
def original_args(bench):
    def look(hook, context, *_):
        args = context.original_args
        bench.note("original", type(args).__name__, args.feed_dict, args.options)

    bench.train([bench.probe(before_run=look, after_run=look)], most=1)
