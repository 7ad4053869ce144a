"""The same hook objects on a graph session, a `tf.function` step and Keras `fit`.

One linear model with the same initial weights and batches; hooks must see equal callback
sequences and values.
"""

import logging

import keras
import numpy as np
import pytest
import tensorflow as tf

import compat

v1 = tf.compat.v1

STEPS, BATCH, RATE = 7, 4, 0.1
KERNEL = np.array([[0.5], [-1.0], [2.0]], "float32")
rng = np.random.default_rng(11)
X = rng.normal(size=(STEPS * BATCH, 3)).astype("float32")
Y = (X @ np.array([[1.0], [2.0], [3.0]]) + 0.5).astype("float32")
BATCHES = [(X[i : i + BATCH], Y[i : i + BATCH]) for i in range(0, len(X), BATCH)]


def on_graph(hooks):
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        y = v1.placeholder(tf.float32, [None, 1], name="y")
        with v1.variable_scope("dense"):
            kernel = v1.get_variable("kernel", initializer=KERNEL)
            bias = v1.get_variable("bias", [1], initializer=v1.zeros_initializer())
        loss = tf.reduce_mean(tf.square(x @ kernel + bias - y), name="loss")
        optimizer = v1.train.GradientDescentOptimizer(RATE)
        gradients = optimizer.compute_gradients(loss)
        for gradient, variable in gradients:
            tf.identity(gradient, name=f"of/{variable.op.name}")
        train = optimizer.apply_gradients(
            gradients, global_step=v1.train.get_or_create_global_step()
        )
        with compat.SingularMonitoredSession(hooks) as session:
            for batch in BATCHES:
                if session.should_stop():
                    break
                # What a hook feeds, the loop must not.
                session.run(train, dict(zip((x, y), batch, strict=True)))


def on_step(hooks):
    kernel = tf.Variable(KERNEL, name="dense/kernel")
    bias = tf.Variable([0.0], name="dense/bias")
    step = tf.Variable(0, dtype=tf.int64, name="global_step")

    @tf.function
    def train(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ kernel + bias - y))
        for variable, gradient in zip(
            (kernel, bias), tape.gradient(loss, (kernel, bias)), strict=True
        ):
            variable.assign_sub(RATE * gradient)
        step.assign_add(1)
        return {"loss": loss}

    with compat.SingularMonitoredSession(hooks, global_step=step) as session:
        for x, y in BATCHES:
            if session.should_stop():
                break
            session.run(train, {"x": tf.constant(x), "y": tf.constant(y)})


def on_fit(hooks):
    inputs = keras.Input((3,), name="x")
    dense = keras.layers.Dense(
        1, name="dense", kernel_initializer=keras.initializers.Constant(KERNEL)
    )
    model = keras.Model(inputs, dense(inputs))
    model.compile(keras.optimizers.SGD(RATE), "mse")
    model.fit(X, Y, batch_size=BATCH, shuffle=False, verbose=0, callbacks=hooks)


SURFACES = {"graph": on_graph, "step": on_step, "fit": on_fit}


def expected(steps=STEPS):
    """By hand: the loss, and the weights after it, of each step."""
    kernel, bias, rows = KERNEL.astype("float64"), np.zeros(1), []
    for x, y in BATCHES[:steps]:
        error = x @ kernel + bias - y
        rows.append([float(np.mean(error**2))])
        kernel = kernel - RATE * 2 * x.T @ error / BATCH
        bias = bias - RATE * 2 * error.mean(0)
        rows[-1] += [kernel, bias, len(rows)]
    return rows


class Probe(compat.SessionRunHook):
    """Notes every callback, and what it can see in each."""

    def __init__(self, name="probe", stop_at=None, raise_at=None):
        self.name, self.stop_at, self.raise_at = name, stop_at, raise_at
        self.calls, self.values = [], []

    def begin(self):
        self.calls.append("begin")
        self.step = v1.train.get_global_step()
        self.next = self.step + 1

    def after_create_session(self, session, coord):
        self.calls.append(("created", int(session.run(self.step))))

    def before_run(self, run_context):
        self.calls.append(("before", int(run_context.session.run(self.step))))
        return compat.SessionRunArgs(
            {
                "loss": "loss:0",
                "weights": ["dense/kernel:0", "dense/bias:0"],
                "step": self.step,
                "computed": self.next,
            }
        )

    def after_run(self, run_context, run_values):
        values = run_values.results
        self.values.append([values["loss"], *values["weights"], int(values["step"])])
        self.calls.append(("after", int(values["step"]), int(values["computed"])))
        if int(values["step"]) == self.stop_at:
            run_context.request_stop()
        if int(values["step"]) == self.raise_at:
            raise ValueError("mine")

    def end(self, session):
        self.calls.append(("end", int(session.run(self.step))))


@pytest.fixture(params=SURFACES)
def train(request):
    """Trains the linear model with hooks on one surface."""
    return SURFACES[request.param]


def assert_values(probe, steps=STEPS):
    assert len(probe.values) == steps
    for values, row in zip(probe.values, expected(steps), strict=True):
        for value, known in zip(values, row, strict=True):
            np.testing.assert_allclose(value, known, rtol=1e-5, atol=1e-6)


def calls(steps):
    runs = [(("before", n - 1), ("after", n, n)) for n in range(1, steps + 1)]
    return ["begin", ("created", 0), *(call for run in runs for call in run), ("end", steps)]


def test_callbacks_and_values(train):
    probe = Probe()
    train([probe])
    assert probe.calls == calls(STEPS)
    assert_values(probe)


def test_values_are_the_same_everywhere():
    found = []
    for surface in SURFACES.values():
        probe = Probe()
        surface([probe])
        found.append(probe)
    for other in found[1:]:
        assert other.calls == found[0].calls
        for one, two in zip(found[0].values, other.values, strict=True):
            for a, b in zip(one, two, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


def test_one_object_on_all_surfaces_in_turn():
    probe = Probe()
    for surface in SURFACES.values():
        surface([probe])
    assert probe.calls == calls(STEPS) * 3


@pytest.mark.parametrize("number", [1, 3, STEPS])
def test_stops(train, number):
    for stopping in (Probe(stop_at=number), compat.StopAtStepHook(last_step=number)):
        probe = Probe()
        train([stopping, probe])
        assert probe.calls == calls(number)


def test_an_error_ends_without_end(train):
    failing, probe = Probe(raise_at=2), Probe()
    with pytest.raises(ValueError, match="mine"):
        train([probe, failing])
    assert probe.calls == calls(STEPS)[:6]
    assert failing.calls == calls(STEPS)[:6]


def test_hooks_interleave_in_list_order(train):
    order = []

    class Ordered(compat.SessionRunHook):
        def __init__(self, name):
            for callback in ("begin", "after_create_session", "before_run", "after_run", "end"):
                setattr(self, callback, lambda *args, c=callback: order.append((name, c)))

    train([Ordered("a"), Ordered("b"), compat.StopAtStepHook(last_step=2)])
    one_run = [(n, c) for c in ("before_run", "after_run") for n in "ab"]
    opening = [(n, c) for c in ("begin", "after_create_session") for n in "ab"]
    assert order == opening + one_run * 2 + [("a", "end"), ("b", "end")]


def test_logging(train, caplog):
    hook = compat.LoggingTensorHook(
        {"loss": "loss:0", "step": "global_step:0"},
        every_n_iter=3,
        formatter=lambda values: f"{values['step']}: {values['loss']:.4f}",
    )
    with caplog.at_level(logging.INFO, "tensorflow"):
        train([hook])
    rows = expected()
    assert [m for m in caplog.messages if ": " in m and m[0].isdigit()] == [
        f"{n}: {rows[n - 1][0]:.4f}" for n in (1, 4, 7)
    ]


def test_checkpoints_and_listeners(train, tmp_path):
    found = []

    class Listener(compat.CheckpointSaverListener):
        def before_save(self, session, global_step):
            found.append(("before", int(global_step)))

        def after_save(self, session, global_step):
            found.append(("after", int(global_step)))

        def end(self, session, global_step):
            found.append(("end", int(global_step)))

    hook = compat.CheckpointSaverHook(str(tmp_path), save_steps=3, listeners=[Listener()])
    train([hook])
    saves = [0, 3, 6, 7]
    assert found == [(c, n) for n in saves for c in ("before", "after")] + [("end", 7)]
    for step in saves[1:]:
        saved = tf.train.load_checkpoint(str(tmp_path / f"model.ckpt-{step}"))
        assert saved.get_tensor("global_step") == step
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("-7")


def test_kernel_in_the_checkpoint(train, tmp_path):
    if train is on_step:
        pytest.skip("a step's own variables are saved by tf.train.Checkpoint")
    train([compat.CheckpointSaverHook(str(tmp_path), save_steps=100)])
    saved = tf.train.load_checkpoint(str(tmp_path))
    np.testing.assert_allclose(
        saved.get_tensor("dense/kernel"), expected()[-1][1], rtol=1e-5, atol=1e-6
    )


def test_nan(train):
    hook = compat.NanTensorHook("loss:0")
    train([hook])

    class Breaks(Probe):
        def after_run(self, run_context, run_values):
            super().after_run(run_context, run_values)
            raise compat.NanLossDuringTrainingError

    with pytest.raises(compat.NanLossDuringTrainingError, match="NaN loss"):
        train([Breaks()])


def test_an_unknown_name(train):
    class Wrong(compat.SessionRunHook):
        def before_run(self, run_context):
            return compat.SessionRunArgs("dense/kernell:0")

    with pytest.raises(ValueError, match="dense/kernell:0"):
        train([Wrong()])


def test_a_final_op(train):
    class Build(compat.FinalOpsHook):
        def __init__(self):
            super().__init__(None)

        def begin(self):
            self._final_ops = v1.train.get_global_step() * 10

    hook = Build()
    train([hook])
    assert hook.final_ops_values == STEPS * 10
