"""`Scaffold`, `SessionManager` and the session creators, on a graph."""

from __future__ import annotations

from . import case


@case("graph")
def defaults(bench):
    tf = bench.tf
    with tf.Graph().as_default():
        tf.get_variable("v", shape=[], initializer=tf.zeros_initializer())
        scaffold = bench.api.Scaffold()
        names = ("init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "saver")
        bench.note("before", [getattr(scaffold, name) is None for name in names])
        scaffold.finalize()
        bench.note("after", [getattr(scaffold, name) is None for name in names])
        bench.note("summary op", scaffold.summary_op is None)
        bench.note("init fn", scaffold.init_fn is None)
        for name in names:
            value = getattr(scaffold, name)
            bench.note(name, isinstance(value, (tf.Operation, tf.Tensor)))
        again = bench.api.Scaffold()
        again.finalize()
        for name in names:
            bench.note("same " + name, getattr(again, name) is getattr(scaffold, name))


@case("graph")
def from_collections(bench):
    tf = bench.tf
    with tf.Graph().as_default():
        tf.get_variable("v", shape=[], initializer=tf.zeros_initializer())
        kept = {
            tf.GraphKeys.INIT_OP: tf.no_op(name="my_init"),
            tf.GraphKeys.READY_OP: tf.constant([], tf.string, name="my_ready"),
            tf.GraphKeys.LOCAL_INIT_OP: tf.no_op(name="my_local"),
            tf.GraphKeys.SUMMARY_OP: tf.constant(b"", name="my_summary"),
            tf.GraphKeys.SAVERS: tf.train.Saver(),
        }
        for key, value in kept.items():
            tf.add_to_collection(key, value)
        scaffold = bench.api.Scaffold()
        scaffold.finalize()
        bench.note("init", scaffold.init_op is kept[tf.GraphKeys.INIT_OP])
        bench.note("ready", scaffold.ready_op is kept[tf.GraphKeys.READY_OP])
        bench.note("local", scaffold.local_init_op is kept[tf.GraphKeys.LOCAL_INIT_OP])
        bench.note("summary", scaffold.summary_op is kept[tf.GraphKeys.SUMMARY_OP])
        bench.note("saver", scaffold.saver is kept[tf.GraphKeys.SAVERS])


@case("graph")
def more_than_one_in_a_collection(bench):
    tf = bench.tf
    with tf.Graph().as_default():
        tf.add_to_collection(tf.GraphKeys.SUMMARY_OP, tf.constant(b""))
        tf.add_to_collection(tf.GraphKeys.SUMMARY_OP, tf.constant(b""))
        with bench.noting_error("finalize", [tf.GraphKeys.SUMMARY_OP]):
            bench.api.Scaffold().finalize()


@case("graph")
def given_ops_run(bench):
    tf = bench.tf
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=1.0)
        local = tf.get_variable(
            "l", initializer=2.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False
        )
        x = tf.placeholder(tf.float32, [])
        scaffold = bench.api.Scaffold(
            init_op=tf.assign(v, x).op,
            init_feed_dict={x: 5.0},
            init_fn=lambda _, session: bench.note("init_fn", float(session.run(v))),
            local_init_op=tf.assign(local, 7.0).op,
        )
        with bench.api.SingularMonitoredSession(scaffold=scaffold) as session:
            bench.note("values", session.run([v, local]))


@case("graph")
def init_fn_is_not_called_on_restore(bench):
    for _ in range(2):
        with bench.model():
            scaffold = bench.api.Scaffold(init_fn=lambda _, session: bench.note("init_fn"))
            hook = bench.api.CheckpointSaverHook(bench.path("m"), save_steps=1, scaffold=scaffold)
            with bench.session([hook], scaffold=scaffold, checkpoint_dir=bench.path("m")) as s:
                bench.run(s)


@case("graph")
def copy_from(bench):
    tf = bench.tf
    with tf.Graph().as_default():
        tf.get_variable("v", shape=[], initializer=tf.zeros_initializer())
        init, feeds = tf.no_op(), {"a": 1}
        first = bench.api.Scaffold(init_op=init, init_feed_dict=feeds)
        second = bench.api.Scaffold(copy_from_scaffold=first, local_init_op=tf.no_op())
        bench.note("same", second.init_op is init, second.init_feed_dict == feeds)
        with bench.noting_error("other class", ["copy_from_scaffold"]):
            bench.api.Scaffold(copy_from_scaffold=object())


@case("graph")
def model_that_is_not_ready(bench):
    tf = bench.tf
    with tf.Graph().as_default():
        tf.get_variable("forgotten", shape=[], initializer=tf.zeros_initializer())
        scaffold = bench.api.Scaffold(init_op=tf.no_op())
        with bench.noting_error("session", ["forgotten", "local_init_op"]):
            bench.api.MonitoredSession(bench.api.ChiefSessionCreator(scaffold=scaffold))


@case("graph")
def nothing_to_initialize_with(bench):
    tf = bench.tf
    with tf.Graph().as_default():
        tf.get_variable("v", shape=[], initializer=tf.zeros_initializer())
        manager = bench.api.SessionManager()
        with bench.noting_error("prepare", ["init_op", "init_fn"]):
            manager.prepare_session("")


@case("graph")
def worker_times_out(bench):
    tf = bench.tf
    with tf.Graph().as_default():
        tf.get_variable("awaited", shape=[], initializer=tf.zeros_initializer())
        tf.get_variable("other", shape=[], initializer=tf.zeros_initializer())
        for wait in (0, 45, 100):
            creator = bench.api.WorkerSessionCreator(max_wait_secs=wait)
            started = bench.clock.now
            with bench.noting_error(f"wait {wait}"):
                creator.create_session()
            bench.note("waited", bench.clock.now - started)


@case("graph")
def recover(bench):
    tf = bench.tf
    with bench.model():
        saver = tf.train.Saver()
        initializer = tf.global_variables_initializer()
        ready = tf.report_uninitialized_variables()
        manager = bench.api.SessionManager(ready_op=ready)
        session, restored = manager.recover_session("", saver=saver, checkpoint_dir=bench.path("m"))
        bench.note("recovered", restored)
        session.run(initializer)
        session.run(bench.surface.train)
        tf.gfile.MakeDirs(bench.path("m"))
        saver.save(session, bench.path("m", "model"), global_step=1)
        session.close()
        session, restored = manager.recover_session("", saver=saver, checkpoint_dir=bench.path("m"))
        bench.note("recovered", restored, session.run("global_step:0"))
        session.close()
        session = manager.prepare_session("", init_op=initializer, saver=saver)
        bench.note("prepared", session.run("global_step:0"))
        session.close()
        with bench.noting_error("both", ["checkpoint_dir", "checkpoint_filename_with_path"]):
            manager.prepare_session(
                "",
                init_op=initializer,
                saver=saver,
                checkpoint_dir=bench.path("m"),
                checkpoint_filename_with_path=bench.path("m", "model-1"),
            )


@case("graph")
def waits_for_a_checkpoint(bench):
    tf = bench.tf
    with bench.model():
        saver = tf.train.Saver()
        manager = bench.api.SessionManager(recovery_wait_secs=2)
        started = bench.clock.now
        _, restored = manager.recover_session(
            "",
            saver=saver,
            checkpoint_dir=bench.path("none"),
            wait_for_checkpoint=True,
            max_wait_secs=5,
        )
        bench.note("recovered", restored, bench.clock.now - started)
