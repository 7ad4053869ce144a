"""What hooks can fetch in a loop, by name or object, and at which moment it is read."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from small_models import BATCH, COLUMNS, ROWS, Note, quiet, two_layers

import compat

v1 = tf.compat.v1
STEPS = ROWS // BATCH


def by_hand(model, data, steps=STEPS, rate=0.05):
    """What each SGD step of a two-layer model computes: a list of dicts."""
    x, y = (tf.constant(part) for part in data)
    weights = [tf.Variable(w) for w in model.get_weights()]
    rows = []
    for step in range(steps):
        part = slice(step * BATCH, (step + 1) * BATCH)
        with tf.GradientTape() as tape:
            h = tf.tanh(x[part] @ weights[0] + weights[1])
            out = h @ weights[2] + weights[3]
            loss = tf.reduce_mean(tf.square(out - y[part]))
        gradients = tape.gradient(loss, weights)
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.assign_sub(rate * gradient)
        rows.append(
            {
                "loss:0": loss.numpy(),
                "h/output:0": h.numpy(),
                "top/output:0": out.numpy(),
                "gradients/h/kernel:0": gradients[0].numpy(),
                "gradients/top/bias:0": gradients[3].numpy(),
                "h/kernel:0": weights[0].numpy(),
                "top/bias:0": weights[3].numpy(),
                "x:0": x[part].numpy(),
                "y:0": y[part].numpy(),
                "global_step:0": step + 1,
                "learning_rate:0": rate,
            }
        )
    return rows


def assert_rows_equal(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        for name, value in one.items():
            np.testing.assert_allclose(value, other[name], rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("how", [{}, {"run_eagerly": True}, {"jit_compile": True}], ids=str)
def test_every_kind_of_name(data, how):
    model = two_layers(**how)
    expected = by_hand(model, data)
    hook = Note({name: name for name in expected[0]})
    quiet(model, *data, callbacks=[hook])
    assert_rows_equal(hook.values, expected)


def test_objects_and_paths(data):
    model = two_layers()
    expected = by_hand(model, data)
    layer = model.get_layer("h")
    objects = {
        "h/kernel:0": layer.kernel,
        "h/output:0": layer.output,
        "top/bias:0": model.get_layer("top").weights[1],
        "global_step:0": model.optimizer.iterations,
    }
    hook = Note(objects)
    plain = Note([layer.kernel.value, layer.kernel.path + ":0", "h/kernel", "loss:0"])
    quiet(model, *data, callbacks=[hook, plain])
    assert_rows_equal(hook.values, expected)
    for values, row in zip(plain.values, expected, strict=True):
        np.testing.assert_allclose(values[0], row["h/kernel:0"], rtol=1e-5)
        np.testing.assert_allclose(values[1], row["h/kernel:0"], rtol=1e-5)
        assert values[2] is None  # The name of an operation.


def test_named_inputs_and_sample_weights(data):
    x, y = data
    hook = Note(["features:0", "sample_weight:0"])
    weights = np.arange(ROWS, dtype="float32")
    quiet(two_layers(), x, y, sample_weight=weights, callbacks=[hook])
    for step, (features, weight) in enumerate(hook.values):
        np.testing.assert_array_equal(features, x[step * BATCH : (step + 1) * BATCH])
        np.testing.assert_array_equal(np.ravel(weight), weights[step * BATCH : (step + 1) * BATCH])


def test_loss_is_of_the_batch_and_metrics_run_on(data):
    model = two_layers(metrics=["mae"])
    rows = by_hand(model, data)
    hook = Note(["loss:0", "mae:0"])
    quiet(model, *data, callbacks=[hook])
    errors = [np.abs(row["top/output:0"] - row["y:0"]).mean() for row in rows]
    running = np.cumsum(errors) / np.arange(1, STEPS + 1)
    np.testing.assert_allclose([v[0] for v in hook.values], [r["loss:0"] for r in rows], rtol=1e-5)
    np.testing.assert_allclose([v[1] for v in hook.values], running, rtol=1e-5)


def test_variables_are_new_and_what_is_computed_is_old(data):
    class Computes(Note):
        def begin(self):
            step = v1.train.get_global_step()
            self.computed = [step, step + 0, tf.identity(step) * 1]
            super().begin()

        def before_run(self, run_context):
            return compat.SessionRunArgs(self.computed)

    hook = Computes()
    quiet(two_layers(), *data, callbacks=[hook])
    assert [tuple(map(int, values)) for values in hook.values] == [
        (n, n - 1, n - 1) for n in range(1, STEPS + 1)
    ]


def test_a_schedule_gives_the_rate_of_the_step(data):
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)
    hook = Note("learning_rate:0")
    quiet(two_layers(keras.optimizers.SGD(schedule)), *data, callbacks=[hook])
    np.testing.assert_allclose(hook.values, [0.1 * 0.5**n for n in range(STEPS)], rtol=1e-5)


@pytest.mark.parametrize("name", ["h/kernal:0", "h/outputs", "lossy:0", "gradients/h/output:0"])
def test_an_unknown_name_lists_the_nearest(data, name):
    hook = Note(name)
    with pytest.raises(ValueError, match=r"nearest names are: .*:0") as caught:
        quiet(two_layers(), *data, callbacks=[hook])
    assert name in str(caught.value)


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__(name="sub")
        self.h = keras.layers.Dense(4, name="h")
        self.top = keras.layers.Dense(1, name="top")

    def call(self, x):
        return self.top(keras.ops.tanh(self.h(x)))


def test_subclassed_and_sequential_and_nested(data):
    inner = keras.Sequential([keras.layers.Dense(4, name="h")], name="inner")
    nested = keras.Sequential([inner, keras.layers.Dense(1, name="top")], name="outer")
    sequential = keras.Sequential([keras.layers.Dense(4, name="h"), keras.layers.Dense(1)])
    for model, kernel in (
        (Subclassed(), "h/kernel:0"),
        (sequential, "h/kernel:0"),
        (nested, "inner/h/kernel:0"),
    ):
        model.compile("sgd", "mse")
        hook = Note({"k": kernel, "g": "gradients/" + kernel, "o": "h/output:0", "l": "loss:0"})
        quiet(model, *data, callbacks=[hook])
        last = hook.values[-1]
        variable = next(v for v in model.weights if v.path.endswith(kernel[:-2]))
        np.testing.assert_array_equal(last["k"], variable.numpy())
        assert last["g"].shape == (3, 4) and last["o"].shape == (BATCH, 4)


def test_several_inputs_and_outputs(data):
    x, y = data
    a, b = keras.Input((3,), name="a"), keras.Input((3,), name="b")
    both = keras.layers.Concatenate(name="both")([a, b])
    outputs = {
        "one": keras.layers.Dense(1, name="one")(both),
        "two": keras.layers.Dense(2, name="two")(both),
    }
    model = keras.Model({"a": a, "b": b}, outputs)
    model.compile("sgd", {"one": "mse", "two": "mse"}, metrics={"one": "mae"})
    hook = Note(["a:0", "b:0", "one/output:0", "two/output:0", "loss:0", "one_mae:0"])
    quiet(
        model,
        {"a": x, "b": x + 1},
        {"one": y, "two": np.repeat(y, 2, axis=1)},
        callbacks=[hook],
    )
    first = hook.values[0]
    np.testing.assert_array_equal(first[0], x[:BATCH])
    np.testing.assert_array_equal(first[1], x[:BATCH] + 1)
    assert [part.shape for part in first[2:4]] == [(BATCH, 1), (BATCH, 2)]


def test_nothing_is_retraced_but_once_for_each_set_of_values(data):
    traces = []

    class Counting(keras.layers.Layer):
        def call(self, x):
            traces.append(1)
            return x * 1.0

    def model():
        made = keras.Sequential([keras.Input((3,)), Counting(), keras.layers.Dense(1, name="d")])
        made.compile("sgd", "mse")
        return made

    class Sometimes(compat.SessionRunHook):
        step = 0

        def before_run(self, run_context):
            self.step += 1
            wanted = {3: "gradients/d/kernel:0", 5: "d/output:0"}.get(self.step % 8)
            return wanted and compat.SessionRunArgs(wanted)

    plain = model()
    traces.clear()
    quiet(plain, *data, epochs=3)
    usual = len(traces)
    hooked = model()
    traces.clear()
    quiet(hooked, *data, epochs=3, callbacks=[Sometimes()])
    assert len(traces) == usual * 3  # Once as Keras does it, and once for each of two sets.
    traces.clear()
    quiet(hooked, *data, epochs=3, callbacks=[Sometimes()])
    assert not traces


@pytest.mark.parametrize("loop", ["evaluate", "predict"])
def test_outputs_in_evaluate_and_predict(data, loop):
    x, y = data
    model = two_layers(metrics=["mae"])
    names = ["h/output:0", "x:0", "h/kernel:0"] + (["loss:0", "y:0"] if loop == "evaluate" else [])
    hook = Note({name: name for name in names})
    given = (x, y) if loop == "evaluate" else (x,)
    getattr(model, loop)(*given, batch_size=BATCH, verbose=0, callbacks=[hook])
    kernel, bias, *_ = model.get_weights()
    for step, values in enumerate(hook.values):
        part = slice(step * BATCH, (step + 1) * BATCH)
        np.testing.assert_allclose(
            values["h/output:0"], np.tanh(x[part] @ kernel + bias), rtol=1e-5, atol=1e-6
        )
        np.testing.assert_array_equal(values["x:0"], x[part])
        np.testing.assert_array_equal(values["h/kernel:0"], kernel)


def test_a_nested_layer_by_its_own_name(data):
    inner = keras.Sequential([keras.layers.Dense(4, name="h")], name="inner")
    other = keras.Sequential([keras.layers.Dense(4, name="h")], name="other")
    model = keras.Sequential([inner, other, keras.layers.Dense(1, name="top")], name="net")
    deep = keras.Sequential([keras.Sequential([keras.layers.Dense(1, name="last")], name="deep")])
    for one in (model, deep):
        one.compile("sgd", "mse")
    hook = Note(["last/kernel:0", "deep/last/kernel:0", "gradients/last/kernel:0"])
    quiet(deep, *data, callbacks=[hook])
    np.testing.assert_array_equal(hook.values[0][0], hook.values[0][1])
    with pytest.raises(ValueError, match="inner/h/kernel:0"):  # Which of the two?
        quiet(model, *data, callbacks=[Note("h/kernel:0")])


def test_a_shared_layers_later_outputs(data):
    one, two = (keras.Input((COLUMNS,), name=name) for name in ("one", "two"))
    shared = keras.layers.Dense(2, name="shared")
    top = keras.layers.Dense(1, name="top")(keras.layers.concatenate([shared(one), shared(two)]))
    model = keras.Model([one, two], top)
    model.compile("sgd", "mse")
    x, y = data
    hook = Note(["shared/output:0", "shared/output:1", "shared/kernel:0"])
    before = shared.kernel.numpy()
    quiet(model, [x, 2 * x], y, callbacks=[hook])
    first, second, _ = hook.values[0]
    np.testing.assert_allclose(first, x[:BATCH] @ before, rtol=1e-5)
    np.testing.assert_allclose(second, 2 * x[:BATCH] @ before, rtol=1e-5)
    with pytest.raises(ValueError, match="shared/output:2"):
        quiet(model, [x, 2 * x], y, callbacks=[Note("shared/output:2")])


@pytest.mark.parametrize("package", [keras, tf_keras])
def test_a_shared_layers_outputs_as_objects(data, package):
    one, two = (package.Input((COLUMNS,), name=name) for name in ("one", "two"))
    layers = package.layers
    shared = layers.Dense(COLUMNS, name="shared")
    late = shared(layers.Dense(COLUMNS, name="before")(one))  # Made first, called last.
    early = shared(two)
    top = layers.Dense(1)(layers.concatenate([late, layers.Dense(2)(layers.Dense(2)(early))]))
    model = package.Model([one, two], top)
    model.compile("sgd", "mse")
    x, y = data
    kernel = shared.get_weights()[0]
    hook = Note({"late": late, "early": early, "between": "before/output:0"})
    quiet(model, [x, 2 * x], y, callbacks=[compat.HookCallback(hook)])
    first = hook.values[0]
    np.testing.assert_allclose(first["early"], 2 * x[:BATCH] @ kernel, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(first["late"], first["between"] @ kernel, rtol=1e-4, atol=1e-6)


def test_inputs_and_operations_between_layers(data):
    x, y = data
    inputs = keras.Input((COLUMNS,), name="features")
    hidden = keras.layers.Dense(4, name="h")(inputs)
    rectified = keras.ops.relu(hidden)
    model = keras.Model(inputs, keras.layers.Dense(1)(2.0 * rectified))
    model.compile("sgd", "mse")
    hook = Note([inputs, "features/output:0", hidden, rectified, model.outputs[0]])
    quiet(model, x, y, callbacks=[hook])
    first, named, before, after, top = hook.values[0]
    np.testing.assert_array_equal(first, x[:BATCH])
    np.testing.assert_array_equal(named, first)
    np.testing.assert_array_equal(after, np.maximum(before, 0))
    assert top.shape == (BATCH, 1)


def test_inputs_in_a_dict(data):
    x, y = data
    one, two = (keras.Input((COLUMNS,), name=name) for name in ("one", "two"))
    top = keras.layers.Dense(1)(keras.layers.add([one, two]))
    model = keras.Model({"one": one, "two": two}, top)
    model.compile("sgd", "mse")
    hook = Note([two, "one:0", "x/two:0"])
    quiet(model, {"one": x, "two": 2 * x}, y, callbacks=[hook])
    first = hook.values[0]
    np.testing.assert_array_equal(first[0], 2 * x[:BATCH])
    np.testing.assert_array_equal(first[1], x[:BATCH])
    np.testing.assert_array_equal(first[2], first[0])
