"""`ProfilerHook` on every surface: when it fires, what it writes, what can't stop a run."""

import glob
import json
import os
import stat
import subprocess
import sys

import event_format
import keras
import numpy as np
import pytest
import tensorflow as tf

import compat
from compat.profiling import xspace
from compat.profiling.recording import ProfilerWarning

v1 = tf.compat.v1


def build():
    """A small model in the default graph; returns its train op."""
    x = v1.random_normal([4, 3], seed=1)
    w = v1.get_variable("w", [3, 2], use_resource=True)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w, name="product")), name="loss")
    step = v1.get_variable(
        "global_step",
        initializer=tf.constant(0, tf.int64),
        trainable=False,
        use_resource=False,
        collections=[v1.GraphKeys.GLOBAL_VARIABLES, v1.GraphKeys.GLOBAL_STEP],
    )
    return v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


def train(hook_or_hooks, steps=12, train_module=compat):
    hooks = hook_or_hooks if isinstance(hook_or_hooks, list) else [hook_or_hooks]
    with tf.Graph().as_default():
        op = build()
        with train_module.SingularMonitoredSession(hooks=hooks) as session:
            for _ in range(steps):
                session.run(op)


def timelines(directory):
    return sorted(
        (os.path.basename(path) for path in glob.glob(os.path.join(directory, "timeline-*.json"))),
        key=lambda name: int(name.split("-")[1].split(".")[0]),
    )


def tags(directory):
    found = []
    for path in sorted(glob.glob(os.path.join(directory, "events.out.tfevents.*"))):
        for event in v1.train.summary_iterator(path):
            if event.WhichOneof("what") == "tagged_run_metadata":
                found.append((event.step, event.tagged_run_metadata.tag))
    return found


def events_of(directory, name):
    with open(os.path.join(directory, name)) as file:
        return json.load(file)["traceEvents"]


def ops(events):
    return {event["args"]["name"] for event in events if event["ph"] == "X"}


def steps_of(directory):
    return [int(name.split("-")[1].split(".")[0]) for name in timelines(directory)]


@pytest.mark.parametrize(
    ("save_steps", "expected"),
    [(1, list(range(2, 13))), (3, [3, 6, 9, 12]), (5, [5, 10]), (100, [])],
)
def test_when_it_fires(tmp_path, save_steps, expected):
    """Never at the first step; the file bears the global step behind the run, as in TF1."""
    train(compat.ProfilerHook(save_steps=save_steps, output_dir=str(tmp_path)))
    assert steps_of(tmp_path) == expected
    assert tags(tmp_path) == [(0, f"step_{step}") for step in expected]


def test_it_writes_what_tensorflows_hook_writes(tmp_path):
    ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
    os.mkdir(theirs)
    train(compat.ProfilerHook(save_steps=5, output_dir=ours), steps=6)
    with tf.Graph().as_default():
        hook = v1.train.ProfilerHook(save_steps=5, output_dir=theirs)
    train([hook], steps=6, train_module=v1.train)
    v1.summary.FileWriterCache.get(theirs).flush()
    assert timelines(ours)[0] == "timeline-5.json"
    # In a session the hook's read races with the update: it may see the step after it.
    (their_step,) = steps_of(theirs)
    assert their_step in (5, 6)
    assert tags(ours)[0] == (0, "step_5") and tags(theirs) == [(0, f"step_{their_step}")]
    shown = {
        name
        for name in ops(events_of(theirs, timelines(theirs)[0]))
        if "global_step/" not in name  # The hook here reads the step as it is.
    }
    assert len(shown & ops(events_of(ours, "timeline-5.json"))) >= 0.8 * len(shown)


def test_it_reads_the_step_without_a_choice(tmp_path):
    """TF1's read has a branch for a step that is not initialized, run in every step."""
    train(compat.ProfilerHook(save_steps=5, output_dir=str(tmp_path)))
    shown = ops(events_of(tmp_path, "timeline-5.json"))
    assert "global_step" in shown and not [name for name in shown if "cond" in name]


def test_it_shares_a_read_that_is_there(tmp_path):
    hooks = [
        compat.StopAtStepHook(last_step=7),
        compat.ProfilerHook(save_steps=5, output_dir=str(tmp_path)),
    ]
    train(hooks, steps=7)
    assert steps_of(tmp_path) == [5]


def test_what_a_timeline_holds(tmp_path):
    train(compat.ProfilerHook(save_steps=5, output_dir=str(tmp_path), show_memory=True))
    events = events_of(tmp_path, timelines(tmp_path)[0])
    event_format.check(events)
    assert {"product", "w", "gradients/product_grad/MatMul_1"} <= ops(events)
    assert {event["ph"] for event in events} >= {"M", "X", "N", "O", "D", "C"}
    rows = {event["args"]["name"] for event in events if event["ph"] == "M"}
    device = "/job:localhost/replica:0/task:0/device:CPU:0"
    assert rows == {"Allocators", f"{device} Compute", f"{device} Tensors"}


def test_memory_is_left_out_by_default(tmp_path):
    train(compat.ProfilerHook(save_steps=5, output_dir=str(tmp_path)))
    events = events_of(tmp_path, timelines(tmp_path)[0])
    assert not {event["ph"] for event in events} & set("NODC")


def test_arrows_are_left_out_on_request(tmp_path):
    train(compat.ProfilerHook(save_steps=1, output_dir=str(tmp_path), show_dataflow=False))
    for name in timelines(tmp_path):
        assert not {event["ph"] for event in events_of(tmp_path, name)} & set("st")


def test_every_so_many_seconds(tmp_path):
    hook = compat.ProfilerHook(save_secs=1000.0, output_dir=str(tmp_path))
    train(hook)
    assert timelines(tmp_path) == []
    train(compat.ProfilerHook(save_secs=1e-9, output_dir=str(tmp_path)), steps=4)
    assert timelines(tmp_path) == [f"timeline-{step}.json" for step in (2, 3, 4)]


def test_the_run_metadata_in_the_event_file_can_be_read(tmp_path):
    train(compat.ProfilerHook(save_steps=5, output_dir=str(tmp_path)))
    (path,) = glob.glob(str(tmp_path / "events.out.tfevents.*"))
    metadata = v1.RunMetadata()
    for event in v1.train.summary_iterator(path):
        if event.WhichOneof("what") == "tagged_run_metadata":
            metadata.ParseFromString(event.tagged_run_metadata.run_metadata)
    nodes = {n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats}
    assert "product" in nodes


def test_a_second_run_into_the_same_directory(tmp_path):
    """TF1's hook raised at a tag that its cached writer had written before."""
    hook = compat.ProfilerHook(save_steps=5, output_dir=str(tmp_path))
    train(hook)
    train(hook)
    train(compat.ProfilerHook(save_steps=5, output_dir=str(tmp_path)))
    assert len(tags(tmp_path)) == 3 * len(timelines(tmp_path))


def test_the_raw_capture_is_kept_on_request(tmp_path):
    train(compat.ProfilerHook(save_steps=5, output_dir=str(tmp_path), keep_xplane=True))
    kept = sorted((tmp_path / "plugins" / "profile").iterdir())
    steps = {name.split("-")[1].split(".")[0] for name in timelines(tmp_path)}
    assert {directory.name for directory in kept} == {f"step_{step}" for step in steps}
    (capture,) = kept[0].glob("*.xplane.pb")
    names = {e.name for p in xspace.read(capture).planes for e in p.event_metadata.values()}
    assert names & {"product:MatMul", "product:_MklMatMul"}
    assert xspace.graph_beside(capture) is not None


def test_a_tf_function_step(tmp_path):
    with tf.Graph().as_default() as graph:
        global_step = v1.train.get_or_create_global_step()
        advance = v1.assign_add(global_step, 1)
    weights = tf.Variable(tf.ones([3, 2]))

    @tf.function
    def train_step(batch):
        loss = tf.reduce_mean(tf.matmul(batch, weights, name="product"))
        weights.assign_sub(0.1 * tf.ones_like(weights))
        return {"loss": loss}

    hook = compat.ProfilerHook(save_steps=4, output_dir=str(tmp_path))
    feed = {"batch": np.ones([5, 3], "float32")}
    with graph.as_default(), compat.SingularMonitoredSession(hooks=[hook]) as session:
        for _ in range(10):
            session.run([train_step, advance], feed)
    assert timelines(tmp_path)
    events = events_of(tmp_path, timelines(tmp_path)[0])
    event_format.check(events)
    assert {"product", advance.op.name} <= ops(events)


def model(**settings):
    layers = [keras.layers.Input((3,)), keras.layers.Dense(4)]
    made = keras.Sequential([*layers, keras.layers.Dense(1)])
    made.compile("sgd", "mse", **settings)
    return made


DATA = np.ones([48, 3], "float32"), np.ones([48, 1], "float32")


def test_keras_fit(tmp_path):
    hook = compat.ProfilerHook(save_steps=4, output_dir=str(tmp_path), show_memory=True)
    model().fit(*DATA, batch_size=4, verbose=0, callbacks=[hook])
    assert steps_of(tmp_path)[0] == 4 and len(timelines(tmp_path)) == 3
    for name in timelines(tmp_path):
        events = events_of(tmp_path, name)
        event_format.check(events)
        types = [event["name"] for event in events if event["ph"] == "X"]
        assert any("MatMul" in kind for kind in types) and "IteratorGetNext" in types


def test_several_steps_an_execution_are_one_timeline(tmp_path):
    hook = compat.ProfilerHook(save_steps=5, output_dir=str(tmp_path))
    model(steps_per_execution=3).fit(*DATA, batch_size=4, verbose=0, callbacks=[hook])
    assert timelines(tmp_path)
    for name in timelines(tmp_path):
        assert int(name.split("-")[1].split(".")[0]) % 3 == 0
        types = [event["name"] for event in events_of(tmp_path, name) if event["ph"] == "X"]
        assert sum("MatMulGrad" in kind or kind.endswith("MatMul") for kind in types) >= 9


def test_keras_run_eagerly(tmp_path):
    hook = compat.ProfilerHook(save_steps=4, output_dir=str(tmp_path))
    model(run_eagerly=True).fit(*DATA, batch_size=8, verbose=0, callbacks=[hook])
    events = events_of(tmp_path, timelines(tmp_path)[0])
    event_format.check(events)
    assert any(event["name"] == "MatMul" for event in events if event["ph"] == "X")


def test_a_tensorboard_callback_that_profiles(tmp_path):
    hook = compat.ProfilerHook(save_steps=1, output_dir=str(tmp_path / "hook"))
    board = keras.callbacks.TensorBoard(str(tmp_path / "board"), profile_batch=(2, 5))
    fitted = model()
    with pytest.warns(ProfilerWarning, match=r"ProfilerHook\(output_dir=.*another tf.profiler"):
        fitted.fit(*DATA, batch_size=4, verbose=0, callbacks=[board, hook])
    assert int(fitted.optimizer.iterations) == 12
    assert list((tmp_path / "board").rglob("*.xplane.pb"))
    assert "timeline-12.json" in timelines(tmp_path / "hook")


def test_two_hooks_at_once(tmp_path):
    hooks = [
        compat.ProfilerHook(save_steps=4, output_dir=str(tmp_path / name)) for name in ("a", "b")
    ]
    train(hooks)
    assert timelines(tmp_path / "a") == timelines(tmp_path / "b") != []


def test_a_hook_that_asks_for_a_full_trace_has_it_filled(tmp_path):
    class StepStats(compat.SessionRunHook):
        counts = []

        def before_run(self, run_context):
            options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            return compat.SessionRunArgs(None, options=options)

        def after_run(self, run_context, run_values):
            self.counts.append(len(run_values.run_metadata.step_stats.dev_stats))

    hooks = [StepStats(), compat.ProfilerHook(save_steps=2, output_dir=str(tmp_path))]
    train(hooks, steps=6)
    assert StepStats.counts == [1] * 6
    assert timelines(tmp_path)


def test_a_run_that_fails_leaves_no_profiler_behind(tmp_path):
    with tf.Graph().as_default():
        op = build()
        bad = tf.debugging.Assert(False, ["no"])
        hook = compat.ProfilerHook(save_steps=1, output_dir=str(tmp_path))
        with pytest.raises(tf.errors.InvalidArgumentError):
            with compat.SingularMonitoredSession(hooks=[hook]) as session:
                session.run(op)
                session.run(bad)
    train(compat.ProfilerHook(save_steps=1, output_dir=str(tmp_path)), steps=3)
    assert timelines(tmp_path)


def test_a_directory_that_can_not_be_written_is_an_error_at_construction(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises((OSError, tf.errors.OpError)):
        compat.ProfilerHook(save_steps=1, output_dir=str(tmp_path / "file" / "below"))
    if os.geteuid():
        tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
        with pytest.raises(PermissionError, match="output_dir"):
            compat.ProfilerHook(save_steps=1, output_dir=str(tmp_path))


def test_a_file_that_can_not_be_written_does_not_end_training(tmp_path):
    for step in range(1, 13):
        (tmp_path / f"timeline-{step}.json").mkdir()  # In the way of the rename.
    with pytest.warns(ProfilerWarning, match="ProfilerHook"):
        train(compat.ProfilerHook(save_steps=4, output_dir=str(tmp_path)))
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".tmp"]


FULL_DISK = """
import resource, sys
import tensorflow as tf
import compat

with tf.Graph().as_default():
    step = tf.compat.v1.train.get_or_create_global_step()
    advance = tf.compat.v1.assign_add(step, 1)
    hook = compat.ProfilerHook(save_steps=3, output_dir=sys.argv[1], keep_xplane=True)
    ended = compat.FinalOpsHook(step)
    with compat.SingularMonitoredSession(hooks=[hook, ended]) as session:
        for i in range(12):
            session.run(advance)
            if i == 4:  # No file may become longer from here on.
                resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
print("ended at", ended.final_ops_values)
"""


def test_a_full_disk_does_not_end_training(tmp_path):
    pytest.importorskip("resource")
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "ended at 12" in done.stdout
    assert "ProfilerWarning" in done.stderr and "File too large" in done.stderr
    for name in timelines(tmp_path):  # Whole or not there.
        assert events_of(tmp_path, name)
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".tmp"]


def test_other_file_systems(tmp_path):
    directory = "ram://profiles/deep"
    train(compat.ProfilerHook(save_steps=5, output_dir=directory, keep_xplane=True))
    names = tf.io.gfile.listdir(directory)
    assert any(name.startswith("timeline-") for name in names)
    assert not [name for name in names if name.endswith(".tmp")], names


def test_its_arguments_are_checked():
    with pytest.raises(ValueError):
        compat.ProfilerHook()
    with pytest.raises(ValueError):
        compat.ProfilerHook(save_steps=1, save_secs=1.0)


def test_it_is_tensorflows_class(tmp_path):
    hook = compat.ProfilerHook(save_steps=1, output_dir=str(tmp_path))
    assert isinstance(hook, v1.train.ProfilerHook)
    assert isinstance(hook, keras.callbacks.Callback)


def test_a_graph_without_a_global_step_is_an_error(tmp_path):
    with tf.Graph().as_default():
        tf.constant(1.0, name="x")
        hook = compat.ProfilerHook(save_steps=1, output_dir=str(tmp_path))
        with pytest.raises(RuntimeError, match="Global step"):
            hook.begin()
