"""`CheckpointSaverHook` and its listeners."""

from __future__ import annotations

from ..bench import make_listener
from . import case


@case()
def constructor_errors(bench):
    bench.construct(
        "CheckpointSaverHook",
        {"checkpoint_dir": "d"},
        {"checkpoint_dir": "d", "save_secs": 2, "save_steps": 2},
        {"checkpoint_dir": "d", "save_steps": 2, "saver": "s", "scaffold": "t"},
        {"checkpoint_dir": "d", "save_steps": 2, "saver": "s"},
        {"checkpoint_dir": "d", "save_secs": 2},
        {"checkpoint_dir": "d", "save_secs": 0},
        {"checkpoint_dir": "d", "save_steps": 0},
        {"checkpoint_dir": "d", "save_steps": -1},
    )


def _train(bench, most=5, listeners=(), **arguments):
    made = [make_listener(bench, *spec) for spec in listeners]
    hook = bench.api.CheckpointSaverHook(bench.path("model"), listeners=made or None, **arguments)
    bench.train([hook], most=most)
    bench.look_at_files("model")


@case()
def save_steps(bench):
    _train(bench, save_steps=2)


@case()
def save_secs(bench):
    _train(bench, save_secs=2)


@case()
def every_step_keeps_five(bench):
    _train(bench, save_steps=1, most=8)


@case()
def end_at_a_saved_step(bench):
    """Not saved twice."""
    _train(bench, save_steps=2, most=4)


@case()
def no_run(bench):
    _train(bench, save_steps=2, most=0)


@case()
def basename(bench):
    _train(bench, save_steps=2, checkpoint_basename="other.ckpt", most=2)


@case()
def listeners_order(bench):
    _train(bench, save_steps=2, listeners=[("first",), ("second",)])


@case()
def listeners_by_time(bench):
    _train(bench, save_secs=3, listeners=[("only",)])


@case()
def listener_stops(bench):
    """A later listener is still called; what is asked at creation is ignored."""
    stops = ("first", [True, None, True])
    _train(bench, save_steps=2, listeners=[stops, ("second",)], most=9)


@case()
def listener_stops_at_creation_only(bench):
    _train(bench, save_steps=2, listeners=[("first", [True])], most=4)


@case()
def after_a_restore(bench):
    for _ in range(2):
        hook = bench.api.CheckpointSaverHook(
            bench.path("model"), save_steps=3, listeners=[make_listener(bench, "l")]
        )
        bench.train([hook], most=4, checkpoint_dir=bench.path("model"))
        bench.look_at_files("model")


@case()
def error_in_the_loop(bench):
    """No save at the end, and listeners' `end` is not called."""
    hook = bench.api.CheckpointSaverHook(
        bench.path("model"), save_steps=3, listeners=[make_listener(bench, "l")]
    )
    with bench.model(), bench.noting_error("loop"):
        with bench.session([hook]) as session:
            bench.run(session)
            bench.run(session)
            raise ValueError("wrong")
    bench.look_at_files("model")


@case("graph")
def saver_of_ones_own(bench):
    with bench.model():
        saver = bench.tf.train.Saver(max_to_keep=1)
        hook = bench.api.CheckpointSaverHook(bench.path("model"), save_steps=1, saver=saver)
        with bench.session([hook]) as session:
            for _ in range(3):
                bench.run(session)
    bench.look_at_files("model")


@case("graph")
def saver_of_the_collection(bench):
    with bench.model():
        saver = bench.tf.train.Saver(max_to_keep=2)
        bench.tf.add_to_collection(bench.tf.GraphKeys.SAVERS, saver)
        hook = bench.api.CheckpointSaverHook(bench.path("model"), save_steps=1)
        with bench.session([hook]) as session:
            for _ in range(4):
                bench.run(session)
    bench.look_at_files("model")


@case("graph")
def two_savers_in_the_collection(bench):
    with bench.model():
        for _ in range(2):
            bench.tf.add_to_collection(bench.tf.GraphKeys.SAVERS, bench.tf.train.Saver())
        hook = bench.api.CheckpointSaverHook(bench.path("model"), save_steps=1)
        with bench.noting_error("session"):
            with bench.session([hook]) as session:
                bench.run(session)


@case("graph")
def without_a_global_step(bench):
    with bench.tf.Graph().as_default():
        hook = bench.api.CheckpointSaverHook(bench.path("model"), save_steps=1)
        with bench.noting_error("session"):
            bench.api.SingularMonitoredSession(hooks=[hook])


@case()
def two_sessions_of_one_hook(bench):
    hook = bench.api.CheckpointSaverHook(bench.path("model"), save_steps=2)
    for _ in range(2):
        bench.train([hook], most=3)
        bench.look_at_files("model")


@case()
def saver_of_the_scaffold(bench):
    with bench.model():
        scaffold = bench.api.Scaffold()
        hook = bench.api.CheckpointSaverHook(bench.path("model"), save_steps=2, scaffold=scaffold)
        with bench.session([hook], scaffold=scaffold) as session:
            for _ in range(3):
                bench.run(session)
    bench.look_at_files("model")


@case()
def old_files_after_a_restore(bench):
    """Which files of the first session the second deletes."""
    for steps in (3, 7):
        bench.train(
            kind="MonitoredTrainingSession",
            most=steps,
            checkpoint_dir=bench.path("model"),
            save_checkpoint_steps=1,
            save_checkpoint_secs=None,
            save_summaries_steps=None,
            log_step_count_steps=None,
        )
        bench.look_at_files("model")


@case()
def answer_of_before_save(bench):
    """It can't keep the save from happening."""

    class Vetoing(bench.api.CheckpointSaverListener):
        def before_save(self, session, global_step_value):
            bench.note("veto.before_save", type(session).__name__)
            return False

    hook = bench.api.CheckpointSaverHook(bench.path("m"), save_steps=2, listeners=[Vetoing()])
    bench.train([hook], most=2)
    bench.look_at_files("m")
