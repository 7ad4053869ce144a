"""Uses of TF1 names on the surfaces of the compatibility table, by name.

    python place_programs.py DIRECTORY    one of two workers; prints a JSON object

`OPS` build something in `begin`, which is fetched in each run; `HOOKS` are whole hooks with
a check of what they did.
"""

from __future__ import annotations

import glob
import json
import os
import sys

if __name__ == "__main__":
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf
import tf_keras

import compat
import compat.v1 as tf1
from compat.migrate import elsewhere

v1 = tf.compat.v1

STEPS = 4
X = np.random.default_rng(3).normal(size=(4 * STEPS, 3)).astype("float32")
Y = X.sum(1, keepdims=True)
BATCHES = [(X[i : i + 4], Y[i : i + 4]) for i in range(0, len(X), 4)]


def on_graph(hooks, **settings):
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        y = v1.placeholder(tf.float32, [None, 1], name="y")
        kernel = v1.get_variable("dense/kernel", [3, 1], initializer=v1.zeros_initializer())
        loss = tf.reduce_mean(tf.square(x @ kernel - y), name="loss")
        optimizer = v1.train.GradientDescentOptimizer(0.01)
        train = optimizer.minimize(loss, v1.train.get_or_create_global_step())
        with compat.SingularMonitoredSession(hooks, **settings) as session:
            for batch in BATCHES:
                if not session.should_stop():
                    session.run(train, {x: batch[0], y: batch[1]})


def on_step(hooks, **settings):
    kernel, step = tf.Variable(tf.zeros([3, 1])), tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train(x, y):
        step.assign_add(1)
        kernel.assign_add(tf.fill([3, 1], 0.1))
        return {"loss": tf.reduce_mean((x @ kernel - y) ** 2)}

    with compat.SingularMonitoredSession(hooks, global_step=step, **settings) as session:
        for x, y in BATCHES:
            if not session.should_stop():
                session.run(train, {"x": tf.constant(x), "y": tf.constant(y)})


def compiled(package):
    inputs = package.Input((3,), name="x")
    model = package.Model(inputs, package.layers.Dense(1, name="dense")(inputs))
    model.compile("sgd", "mse")
    return model


def as_callbacks(hooks, settings):
    return [compat.HookCallback(hooks, **settings)] if settings else hooks


def on_fit(hooks, package=keras, **settings):
    callbacks = as_callbacks(hooks, settings)
    compiled(package).fit(X, Y, batch_size=4, shuffle=False, verbose=0, callbacks=callbacks)


def on_evaluate(hooks, **settings):
    callbacks = as_callbacks(hooks, settings)
    compiled(keras).evaluate(X, Y, batch_size=4, verbose=0, callbacks=callbacks)


def on_tf_keras(hooks, **settings):
    on_fit(hooks, tf_keras, **settings)


RUNNERS = {
    elsewhere.SESSION: on_graph,
    elsewhere.FUNCTION: on_step,
    elsewhere.FIT: on_fit,
    elsewhere.EVALUATE: on_evaluate,
    elsewhere.TF_KERAS: on_tf_keras,
}


class Fetches(compat.SessionRunHook):
    """Builds in `begin`, and fetches that in each run."""

    def __init__(self, builders):
        self._builders, self.runs = builders, 0

    def begin(self):
        self._fetches = {name: build() for name, build in self._builders.items()}

    def before_run(self, run_context):
        return compat.SessionRunArgs(self._fetches)

    def after_run(self, run_context, run_values):
        self.runs += 1
        assert run_values.results.keys() == self._builders.keys()


def named(name):
    return v1.get_default_graph().get_tensor_by_name(name)


def behind(operation, value):
    with tf.control_dependencies([operation]):
        return tf.identity(value)


def queue():
    values = tf.queue.FIFOQueue(9, [tf.float32], shapes=[[]])
    v1.train.add_queue_runner(v1.train.QueueRunner(values, [values.enqueue([1.0])]))
    return values.dequeue()


def table():
    initializer = tf.lookup.KeyValueTensorInitializer([1, 2], [3, 4])
    return tf.lookup.StaticHashTable(initializer, 0).lookup(tf.constant([1]))


def optimized():
    own = v1.get_variable("own_weights", [3], initializer=v1.ones_initializer())
    loss = tf.reduce_sum(own * own)
    return behind(v1.train.GradientDescentOptimizer(0.1).minimize(loss), loss)


def of_model():
    (variable,) = [v for v in v1.trainable_variables() if v.op.name == "dense/kernel"]
    return variable.read_value()


def averaged():
    (variable,) = [v for v in v1.trainable_variables() if v.op.name == "dense/kernel"]
    averages = v1.train.ExponentialMovingAverage(0.9)
    return behind(averages.apply([variable]), averages.average(variable))


def flat(values):
    values.set_shape([None, 3])
    return tf1.layers.dense(values, 2, name="more")


def accumulated():
    own = v1.get_variable("own_count", [], initializer=v1.zeros_initializer())
    return v1.assign_add(own, 1.0)


def once(dataset):
    return v1.data.make_one_shot_iterator(dataset).get_next()


#: A name -> what a hook builds with it.
OPS = {
    "norm": lambda: tf.norm(named("x:0")),
    "assign_add": accumulated,
    "placeholder_with_default": lambda: v1.placeholder_with_default(1.0, []),
    "get_local_variable": lambda: v1.get_local_variable("own_local", initializer=0.0),
    "summary.scalar": lambda: v1.summary.scalar("of_loss", named("loss:0")),
    "data.make_one_shot_iterator": lambda: once(tf.data.Dataset.range(100)),
    "lookup.StaticHashTable": table,
    "train.QueueRunner": queue,
    "train.GradientDescentOptimizer": optimized,
    "trainable_variables": of_model,
    "train.ExponentialMovingAverage": averaged,
    "metrics.mean": lambda: v1.metrics.mean(named("loss:0"))[1],
    "losses.mean_squared_error": lambda: v1.losses.mean_squared_error(named("y:0"), named("y:0")),
    "layers.dense": lambda: flat(named("x:0")),
    "keras.layers.Dense": lambda: tf1.keras.layers.Dense(2)(tf.ones([1, 2])),
    "nn.rnn_cell.BasicLSTMCell": lambda: tf1.nn.dynamic_rnn(
        tf1.nn.rnn_cell.BasicLSTMCell(2), tf.ones([1, 2, 3]), dtype=tf.float32
    )[0],
    "cond": lambda: v1.cond(named("loss:0") > 0, lambda: 1, lambda: 2),
    "while_loop": lambda: v1.while_loop(lambda i: i < 3, lambda i: i + 1, [0]),
    "py_func": lambda: v1.py_func(lambda value: value, [named("loss:0")], tf.float32),
    "random.normal": lambda: tf.random.normal([2], seed=1),
    "random.shuffle": lambda: tf.random.shuffle([1, 2, 3]),
    "gradients": lambda: v1.gradients(named("loss:0") ** 2, named("loss:0")),
    "train.get_or_create_global_step": v1.train.get_or_create_global_step,
    "train.exponential_decay": lambda: v1.train.exponential_decay(
        0.1, v1.train.get_global_step(), 9, 0.9
    ),
    "group": lambda: tf.group(named("loss:0")),
    "map_fn": lambda: tf.map_fn(lambda row: row + 1, named("x:0")),
    "strings.as_string": lambda: tf.strings.as_string(named("loss:0")),
    "raw_ops.Neg": lambda: tf.raw_ops.Neg(x=named("loss:0")),
}


def tags(directory):
    """The tags of the summaries in a directory's event files."""
    events = [
        event
        for path in glob.glob(f"{directory}/events*")
        for event in v1.train.summary_iterator(path)
    ]
    return {value.tag for event in events for value in event.summary.value}


class SummaryOfLoss(compat.SummarySaverHook):
    """A summary hook that builds its summary itself."""

    def __init__(self, directory):
        super().__init__(save_steps=2, output_dir=directory, summary_op="made in begin")

    def begin(self):
        self._summary_op = v1.summary.scalar("of_step", named("loss:0"))
        super().begin()


class Counted(compat.CheckpointSaverListener):
    """Counts saves."""

    def __init__(self):
        self.saves = 0

    def after_save(self, session, global_step_value):
        self.saves += 1


def saves(run, directory):
    listener = Counted()
    run([compat.CheckpointSaverHook(directory, save_steps=2, listeners=[listener])])
    assert listener.saves and tf.train.latest_checkpoint(directory)


def logs(run, directory):
    seen = []
    run([compat.LoggingTensorHook(["loss:0"], every_n_iter=2, formatter=seen.append)])
    assert len(seen) == STEPS / 2


def stops(run, directory):
    counting = Fetches({})
    run([compat.StopAtStepHook(num_steps=2), counting])
    assert counting.runs == 2


def finds_nan(run, directory):
    run([compat.NanTensorHook("loss:0")])


def counts(run, directory):
    run([compat.StepCounterHook(every_n_steps=2, output_dir=directory)])
    assert tags(directory) == {"global_step/sec"}


def summarizes(run, directory):
    run([SummaryOfLoss(directory)])
    assert tags(directory) == {"of_step"}


def ends(run, directory):
    hook = compat.FinalOpsHook("global_step:0")
    run([hook])
    assert hook.final_ops_values is not None


def feeds(run, directory):
    class Own(compat.SessionRunHook):
        def begin(self):
            v1.placeholder(tf.float32, [], name="own")

        def before_run(self, run_context):
            return compat.SessionRunArgs("own:0")

        def after_run(self, run_context, run_values):
            assert run_values.results == 5

    run([compat.FeedFnHook(lambda: {"own:0": 5.0}), Own()])


def profiles(run, directory):
    run([compat.ProfilerHook(save_secs=1e-6, output_dir=directory)])
    assert glob.glob(f"{directory}/timeline-*.json")


def scaffolds(run, directory):
    calls = []
    run([], scaffold=compat.Scaffold(init_fn=lambda scaffold, session: calls.append(session)))
    assert len(calls) == 1


def traces(run, directory):
    class Traced(compat.SessionRunHook):
        def before_run(self, run_context):
            level = tf1.RunOptions.FULL_TRACE
            return compat.SessionRunArgs([], options=tf1.RunOptions(trace_level=level))

        def after_run(self, run_context, run_values):
            self.devices = run_values.run_metadata.step_stats.dev_stats

    hook = Traced()
    run([hook])
    assert hook.devices


def stops_early(run, directory):
    counting = Fetches({})
    estimator = tf1.estimator.Estimator(lambda features, labels, mode: None, directory)
    stop = tf1.estimator.experimental.make_early_stopping_hook(
        estimator, lambda: counting.runs > 1, run_every_secs=None, run_every_steps=1
    )
    run([stop, counting])
    assert counting.runs < STEPS


#: A name -> a run with it, which checks what it did.
HOOKS = {
    "train.CheckpointSaverHook": saves,
    "train.LoggingTensorHook": logs,
    "train.StopAtStepHook": stops,
    "train.NanTensorHook": finds_nan,
    "train.StepCounterHook": counts,
    "train.SummarySaverHook": summarizes,
    "train.FinalOpsHook": ends,
    "train.FeedFnHook": feeds,
    "train.ProfilerHook": profiles,
    "train.Scaffold": scaffolds,
    "RunMetadata": traces,
    "estimator.experimental.make_early_stopping_hook": stops_early,
}


def work(directory, broken):
    """As one of two workers: all hooks and ops in one fit."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    chief = strategy.cluster_resolver.task_id == 0
    with strategy.scope():
        model = compiled(tf_keras)
    fetched = Fetches({name: build for name, build in OPS.items() if name not in broken})
    listener, final, seen = Counted(), compat.FinalOpsHook("global_step:0"), []
    hooks = [
        fetched,
        compat.CheckpointSaverHook(f"{directory}/saved", save_steps=2, listeners=[listener]),
        compat.LoggingTensorHook(["loss:0"], every_n_iter=2, formatter=seen.append),
        compat.NanTensorHook("loss:0"),
        compat.StepCounterHook(every_n_steps=2, output_dir=f"{directory}/counted"),
        SummaryOfLoss(f"{directory}/summaries"),
        compat.ProfilerHook(save_secs=1e-6, output_dir=f"{directory}/profiles"),
        final,
        compat.StopAtStepHook(last_step=3),
    ]
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)
    model.fit(data, verbose=0, callbacks=hooks)
    refused = ""
    try:
        model.fit(data, verbose=0, callbacks=[compat.FeedFnHook(lambda: {"x:0": X[:2]})])
    except NotImplementedError as error:
        refused = str(error)
    facts = {
        "runs": fetched.runs,
        "saves": listener.saves,
        "logged": len(seen),
        "final": int(final.final_ops_values),
        "refused": refused,
    }
    if chief:
        facts["tags"] = sorted(tags(f"{directory}/summaries") | tags(f"{directory}/counted"))
        facts["timelines"] = len(glob.glob(f"{directory}/profiles/timeline-*.json"))
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    work(**json.loads(sys.argv[1]))
