"""What TF 1.15 was seen to do in sessions and is easily missed; see also the recordings."""

import os

import pytest
import tensorflow as tf

import compat

v1 = tf.compat.v1
errors = tf.errors


def _trained(bench, steps, **arguments):
    """Trains into the bench's "model" directory."""
    hooks = arguments.pop("hooks", [])
    bench.train(
        [*hooks, compat.StopAtStepHook(num_steps=steps)],
        "MonitoredTrainingSession",
        most=99,
        checkpoint_dir=bench.path("model"),
        save_summaries_steps=None,
        log_step_count_steps=None,
        **arguments,
    )


def _losses(bench):
    return [entry[1] for entry in bench.journal if entry[0] == "ran"]


def test_last_step_reached_on_restore_runs_one_more(bench):
    _trained(bench, 3)
    seen = []
    with bench.model():
        session = bench.session(
            [compat.StopAtStepHook(last_step=3)],
            "MonitoredTrainingSession",
            checkpoint_dir=bench.path("model"),
        )
        with session:
            seen.append(session.should_stop())
            while not session.should_stop():
                seen.append(float(bench.surface.loss_of(session.run(bench.surface.train))))
    assert seen == [False, 4.25]


class Listener(compat.CheckpointSaverListener):
    """Returns what it is told to, and keeps what it was given."""

    def __init__(self, answers=()):
        self.answers = list(answers)
        self.sessions = []
        self.steps = []

    def before_save(self, session, global_step_value):
        self.sessions.append(session)

    def after_save(self, session, global_step_value):
        self.steps.append(int(global_step_value))
        return self.answers.pop(0) if self.answers else None


def test_stop_of_a_listener(bench):
    """At creation it is ignored; later listeners are still called; they get the raw session."""
    first, second = Listener([True, True]), Listener()
    hook = compat.CheckpointSaverHook(bench.path("model"), save_steps=2, listeners=[first, second])
    bench.train([hook], most=9)
    assert first.steps == second.steps == [0, 2]
    assert all(isinstance(session, compat.Session) for session in first.sessions)


def test_saves_at_creation_and_at_the_end_but_not_twice(bench):
    listener = Listener()
    for steps in (4, 3):
        hook = compat.CheckpointSaverHook(bench.path("own"), save_steps=2, listeners=[listener])
        _trained(bench, steps, hooks=[hook])
    assert listener.steps == [0, 2, 4] + [4, 6, 7]


def test_init_fn_is_called_only_without_a_checkpoint(bench):
    calls = []
    for _ in range(2):
        with bench.model():
            scaffold = compat.Scaffold(init_fn=lambda scaffold, session: calls.append(session))
            with bench.session(
                [], "MonitoredTrainingSession", scaffold=scaffold, checkpoint_dir=bench.path("m")
            ) as session:
                bench.run(session)
    assert len(calls) == 1
    assert isinstance(calls[0], compat.Session)


def test_closed_session(bench):
    """TF 1 fails there with an AttributeError; a sentence helps more."""
    with bench.model():
        with bench.session() as session:
            bench.run(session)
        assert session.should_stop()
        with pytest.raises(RuntimeError, match="closed session"):
            bench.run(session)
        with pytest.raises(RuntimeError, match="closed session"):
            session.run_step_fn(lambda step_context: None)


def test_close_within_the_block(bench):
    """`end` is called once, and leaving the block is an error as in TF 1."""
    with bench.model():
        with pytest.raises(RuntimeError, match="already closed"):
            with bench.session([bench.probe()]) as session:
                bench.run(session)
                session.close()
                assert session.should_stop()
    assert [entry[0] for entry in bench.journal].count("probe.end") == 1


@pytest.mark.parametrize("kind", ["SingularMonitoredSession", "MonitoredSession"])
@pytest.mark.parametrize("error", [errors.OutOfRangeError(None, None, "end"), StopIteration()])
def test_end_of_data_in_user_code_is_swallowed(bench, kind, error):
    with bench.model():
        with bench.session([bench.probe()], kind) as session:
            bench.run(session)
            raise error
    assert bench.journal[-1] == ["probe.end", 1]


def test_other_errors_skip_end_and_the_last_save(bench):
    with bench.model(), pytest.raises(KeyError):
        with bench.session(
            [bench.probe()],
            "MonitoredTrainingSession",
            checkpoint_dir=bench.path("model"),
            save_checkpoint_steps=100,
        ) as session:
            bench.run(session)
            raise KeyError("own")
    assert not [entry for entry in bench.journal if entry[0] == "probe.end"]
    assert tf.train.latest_checkpoint(bench.path("model")).endswith("-0")


def test_nan_that_does_not_fail(bench):
    """Later hooks see the run, the run returns the NaN; infinity is no NaN."""
    hooks = [compat.NanTensorHook("loss:0", fail_on_nan_loss=False), bench.probe()]
    with bench.model([float("inf"), float("nan"), 1.0]):
        with bench.session(hooks) as session:
            bench.run(session)
            assert not session.should_stop()
            assert bench.run(session) != 0
            assert session.should_stop()
    assert [entry[0] for entry in bench.journal].count("probe.after_run") == 2


@pytest.mark.parametrize("error", [errors.AbortedError, errors.UnavailableError])
def test_recovery(bench, error):
    """MonitoredTrainingSession restores and tries the run again; Singular… raises."""

    def fail(hook, context):
        hook.runs = getattr(hook, "runs", 0) + 1
        if hook.runs == 4:
            raise error(None, None, "away")

    _trained(bench, 5, hooks=[bench.probe(before_run=fail)], save_checkpoint_steps=2)
    # The save at step 2 is the last before the error in the fourth run.
    assert _losses(bench) == [8.0, 6.5, 5.0, 5.0, 4.25, 3.0]
    assert [entry for entry in bench.journal if entry[0] == "probe.after_create_session"] == [
        ["probe.after_create_session", 0],
        ["probe.after_create_session", 2],
    ]
    assert [entry[0] for entry in bench.journal].count("probe.begin") == 1
    with pytest.raises(error):
        bench.train([bench.probe(before_run=fail)], most=9)


def test_recovery_of_a_step_without_a_checkpoint_keeps_its_variables(bench):
    """They outlive the session; a graph's variables begin again."""

    def fail(hook, context):
        hook.runs = getattr(hook, "runs", 0) + 1
        if hook.runs == 3:
            raise errors.AbortedError(None, None, "away")

    bench.train([bench.probe(before_run=fail)], "MonitoredSession", most=3)
    third = 8.0 if bench.surface.name == "graph" else 5.0
    assert _losses(bench) == [8.0, 6.5, third]


def test_what_after_run_gets(bench):
    """No results without a request; options are always there."""
    seen = []

    class Bare:
        """No base class, but the five methods."""

        def begin(self): ...
        def after_create_session(self, session, coord): ...
        def before_run(self, run_context): ...
        def end(self, session): ...

        def after_run(self, run_context, run_values):
            seen.append(run_values)

    class Only(v1.train.SessionRunHook):
        """TensorFlow's base, and one method."""

        def after_run(self, run_context, run_values):
            seen.append(run_values)

    bench.train([Bare(), Only()], most=1)
    for values in seen:
        assert values.results is None
        assert isinstance(values.options, v1.RunOptions)
        assert isinstance(values.run_metadata, v1.RunMetadata)
    assert len(seen) == 2


def test_logging_at_end_of_a_step_gives_its_last_outputs(caplog):
    """A graph computes the loss once more, for which no step can be run."""
    from hooks.bench import bench_on

    bench = bench_on(tf, compat, "step")
    with caplog.at_level("INFO", logger="tensorflow"):
        bench.train([compat.LoggingTensorHook(["loss:0"], at_end=True)], most=3)
    bench.remove()
    assert [line for line in caplog.messages if "loss" in line] == ["loss:0 = 5.0"]


def test_error_of_a_python_function():
    with tf.Graph().as_default():

        def fail():
            raise ValueError("said by the function")

        value = v1.py_func(fail, [], tf.float32)
        with pytest.raises(
            (errors.InvalidArgumentError, errors.UnknownError), match="said by the function"
        ):
            with compat.SingularMonitoredSession() as session:
                session.run(value)


def test_exhausted_data_leaves_the_session_usable():
    with tf.Graph().as_default():
        item = v1.data.make_one_shot_iterator(tf.data.Dataset.range(2)).get_next()
        other = tf.constant(7)
        with compat.SingularMonitoredSession() as session:
            assert [session.run(item), session.run(item)] == [0, 1]
            with pytest.raises(errors.OutOfRangeError):
                session.run(item)
            assert session.run(other) == 7


def test_a_second_session_on_a_finalized_graph(graph_bench):
    bench = graph_bench
    with bench.model():
        for _ in range(2):
            with bench.session([bench.probe()]) as session:
                bench.run(session)
            v1.get_default_graph().finalize()  # What a session needs is there by now.
    assert _losses(bench) == [8.0, 8.0]


def test_worker_looks_again_after_half_a_minute(graph_bench):
    """What is not initialized in time is named."""
    bench = graph_bench
    with tf.Graph().as_default(), bench.clock.installed():
        v1.get_variable("awaited", shape=[])
        with pytest.raises(errors.DeadlineExceededError, match="awaited"):
            compat.MonitoredTrainingSession(is_chief=False, max_wait_secs=70)
        assert bench.clock.now == 1000.0 + 60


def test_event_files_are_whole_when_the_session_ends(bench):
    """TF 1 left what its writers held."""
    counter = compat.StepCounterHook(every_n_steps=1, output_dir=bench.path("events"))
    with bench.clock.installed():
        _trained(bench, 4, hooks=[counter])
    tags = []
    for folder in ("events", "model"):
        for name in os.listdir(bench.path(folder)):
            if ".tfevents." in name:
                for event in v1.train.summary_iterator(bench.path(folder, name)):
                    tags += [value.tag for value in event.summary.value]
                    if event.HasField("session_log"):
                        tags.append(int(event.session_log.status))
    assert tags.count("global_step/sec") == 3
    assert tags.count(v1.SessionLog.CHECKPOINT) == 2


@pytest.mark.parametrize("saves_weights", [False, True])
def test_a_checkpoint_of_the_step_alone_is_announced(saves_weights, tmp_path, recwarn):
    step, weights = tf.Variable(0, dtype=tf.int64), tf.Variable([1.0])
    saver = tf.train.Checkpoint(step=step, weights=weights) if saves_weights else None

    @tf.function
    def train():
        weights.assign_add([1.0])
        step.assign_add(1)

    with compat.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), scaffold=compat.Scaffold(saver=saver), global_step=step
    ) as session:
        session.run(train)
    announced = [w for w in recwarn if "hold the global step alone" in str(w.message)]
    assert len(announced) == (0 if saves_weights else 1)
    assert len(tf.train.list_variables(str(tmp_path))) == (3 if saves_weights else 1)


def test_a_value_that_no_step_has_supplied_yet():
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train():
        step.assign_add(1)
        return {"loss": tf.constant(2.0)}

    class AverageLoss(compat.SessionRunHook):
        def begin(self):
            loss = v1.get_default_graph().get_tensor_by_name("loss:0")
            v1.train.ExponentialMovingAverage(0.9).apply([loss])

    with (
        pytest.raises(ValueError, match=r"'loss:0'.*the step that supplies it has not run yet"),
        compat.SingularMonitoredSession([AverageLoss()], global_step=step) as session,
    ):
        session.run(train)
