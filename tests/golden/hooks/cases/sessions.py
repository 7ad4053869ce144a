"""Monitored sessions: graph, ends, feeds, options, threads."""

from __future__ import annotations

from . import case

SESSIONS = ("SingularMonitoredSession", "MonitoredSession")


@case()
def graph_is_finalized_after_begin(bench):
    tf = bench.tf
    seen = {}

    def begin(hook):
        seen["graph"] = tf.get_default_graph()
        bench.note("in begin", seen["graph"].finalized)
        tf.constant(1.0, name="made_in_begin")

    def later(hook, *_):
        bench.note("later", seen["graph"].finalized)
        with bench.noting_error("adding"):
            with seen["graph"].as_default():
                tf.constant(2.0)

    for kind in SESSIONS:
        bench.train(
            [bench.probe(begin=begin, after_create_session=later, before_run=later, end=later)],
            kind,
            most=1,
        )
        bench.note("afterwards", seen["graph"].finalized)


@case("graph")
def finalized_graph_stays_finalized(bench):
    """A second session on it works, as long as nothing is added."""
    with bench.model():
        with bench.session() as session:
            bench.run(session)
        graph = bench.tf.get_default_graph()
        bench.note("finalized", graph.finalized)
        graph.finalize()
        with bench.session([bench.probe()]) as session:
            bench.run(session)
        bench.note("finalized", graph.finalized)
        with bench.noting_error("adding hook"):
            adding = bench.probe(begin=lambda hook: bench.tf.constant(1))
            bench.session([adding])


@case()
def unfinalize_in_end(bench):
    def end(hook, session):
        session.graph._unsafe_unfinalize()
        with session.graph.as_default():
            bench.note("value", float(session.run(bench.tf.constant(3.5))))

    bench.train([bench.probe(end=end)], most=1)


@case()
def ends(bench):
    for kind in SESSIONS:
        with bench.model():
            session = bench.session([bench.probe()], kind)
            bench.note("should stop", session.should_stop())
            bench.run(session)
            session.close()
            bench.note("closed", session.should_stop())
            with bench.noting_error("close again"):
                session.close()


@case("graph")
def options_are_merged(bench):
    tf = bench.tf

    def asking(**options):
        request = tf.train.SessionRunArgs("loss:0", options=tf.RunOptions(**options))
        return lambda hook, context: request

    def look(hook, context, values):
        bench.note(
            "options",
            values.options.trace_level,
            values.options.timeout_in_ms,
            values.options.report_tensor_allocations_upon_oom,
        )

    hooks = [
        bench.probe("a", before_run=asking(timeout_in_ms=90000), after_run=look),
        bench.probe("b", before_run=asking(timeout_in_ms=80000, trace_level=0), after_run=look),
        bench.probe(
            "c", before_run=asking(report_tensor_allocations_upon_oom=True), after_run=look
        ),
        bench.probe("d", after_run=look),
    ]
    with bench.model(), bench.session(hooks) as session:
        bench.run(session)
        given = tf.RunOptions(timeout_in_ms=95000)
        bench.run(session, options=given)
        bench.note("the caller's", given.timeout_in_ms, given.report_tensor_allocations_upon_oom)


@case("graph")
def run_metadata_is_the_callers(bench):
    tf = bench.tf
    seen = []
    hook = bench.probe(after_run=lambda hook, context, values: seen.append(values.run_metadata))
    with bench.model(), bench.session([hook]) as session:
        metadata = tf.RunMetadata()
        bench.run(session, run_metadata=metadata)
        bench.note("same", seen[0] is metadata)


@case("graph")
def queue_runners(bench):
    """Threads run until the data ends; that ends the loop, and they are joined."""
    tf = bench.tf
    for kind in SESSIONS:
        with tf.Graph().as_default():
            numbers = tf.train.range_input_producer(3, num_epochs=2, shuffle=False, capacity=4)
            item = numbers.dequeue()
            with getattr(bench.api, kind)() as session:
                bench.tf.logging.info("started")
                count = 0
                while not session.should_stop():
                    bench.note("item", int(session.run(item)))
                    count += 1
            bench.note("count", count)


@case("graph")
def error_of_a_thread(bench):
    """It surfaces in the loop as itself."""
    import threading

    kept = {}

    def start(hook, session, coord):
        def work():
            with coord.stop_on_exception():
                raise KeyError("of the thread")

        kept["thread"] = threading.Thread(target=work)
        kept["thread"].start()
        kept["thread"].join()
        coord.register_thread(kept["thread"])

    for kind in SESSIONS:
        with bench.model(), bench.noting_error("training", ["of the thread"]):
            with bench.session([bench.probe(after_create_session=start)], kind) as session:
                while not session.should_stop():
                    bench.run(session)
                    break


@case("graph")
def two_errors(bench):
    """A run that fails after a thread has failed reports the thread's error."""
    import threading

    def start(hook, session, coord):
        def work():
            with coord.stop_on_exception():
                raise KeyError("of the thread")

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        coord.register_thread(thread)

    def fail(hook, context):
        raise ValueError("of the run")

    for kind in SESSIONS:
        hook = bench.probe(after_create_session=start, before_run=fail)
        with bench.model(), bench.noting_error("training", ["of the thread", "of the run"]):
            with bench.session([hook], kind) as session:
                bench.run(session)


@case()
def checkpoint_arguments(bench):
    with bench.model(), bench.noting_error("both", ["checkpoint_filename_with_path"]):
        bench.session(checkpoint_dir="a", checkpoint_filename_with_path="b")


@case()
def restores_a_file(bench):
    hook = bench.api.CheckpointSaverHook(bench.path("m"), save_steps=2)
    bench.train([hook], most=4)
    bench.look_at_files("m")
    bench.train(
        [bench.probe()], most=1, checkpoint_filename_with_path=bench.path("m", "model.ckpt-2")
    )
    with bench.noting_error("no such file"):
        bench.train(checkpoint_filename_with_path=bench.path("m", "model.ckpt-77"))


@case("graph")
def global_step_in_one_fetch(bench):
    """Fetched beside the train op it is the new value; computed from it, the old one."""
    tf = bench.tf
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        before = step + 0
        train = tf.assign_add(step, 1).op
        with bench.api.SingularMonitoredSession() as session:
            for _ in range(3):
                bench.note("steps", [int(x) for x in session.run([train, step, before])[1:]])


@case()
def no_hooks(bench):
    for kind in SESSIONS:
        bench.train([], kind, most=2)
