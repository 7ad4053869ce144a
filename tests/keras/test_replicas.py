"""MirroredStrategy on two logical devices; Keras 2 models; two workers of Keras 2."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from small_models import BATCH, ROWS, Note, calls_of, quiet, two_layers

import compat

STEPS = ROWS // BATCH
HERE = os.path.dirname(os.path.abspath(__file__))

MIRRORED = """
import json, sys
import numpy as np, tensorflow as tf
sys.path.insert(0, sys.argv[1])
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
import compat
from small_models import Note, quiet, two_layers
rng = np.random.default_rng(7)
x = rng.normal(size=(32, 3)).astype("float32")
y = (x @ np.array([[1.0], [-2.0], [0.5]])).astype("float32")
package = __import__(sys.argv[2])
names = ["loss:0", "gradients/h/kernel:0", "h/output:0", "h/kernel:0", "global_step:0", "x:0"]
found = []
for strategy in (tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), tf.distribute.get_strategy()):
    with strategy.scope():
        model = two_layers(package=package)
    hook = Note(names)
    given = {"callbacks": [hook, compat.CheckpointSaverHook(sys.argv[3], save_steps=100)]}
    if strategy.num_replicas_in_sync == 1:
        given["callbacks"].pop()
    quiet(model, x, y, **given)
    found.append([[np.asarray(v).tolist() for v in values] for values in hook.values])
print(json.dumps(found))
"""


@pytest.mark.parametrize("package", ["keras", "tf_keras"])
def test_values_under_mirrored_strategy(tmp_path, package):
    run = subprocess.run(
        [sys.executable, "-c", MIRRORED, HERE, package, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    mirrored, single = json.loads(run.stdout.splitlines()[-1])
    assert len(mirrored) == STEPS
    for values, expected in zip(mirrored, single, strict=True):
        for one, other in zip(values, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    saved = tf.train.load_checkpoint(str(tmp_path))
    np.testing.assert_allclose(saved.get_tensor("h/kernel"), single[-1][3], rtol=1e-4, atol=1e-5)


def test_keras_2_models(data, tmp_path):
    model = two_layers(package=tf_keras, metrics=["mae"])
    hook = Note({n: n for n in ("loss:0", "mae:0", "gradients/h/kernel:0", "h/output:0", "x:0")})
    variables = Note(["h/kernel:0", model.layers[1].kernel, "global_step:0", "learning_rate:0"])
    saver = compat.CheckpointSaverHook(str(tmp_path), save_steps=4)
    history = quiet(
        model,
        *data,
        epochs=2,
        validation_data=data,
        callbacks=[hook, variables, saver, compat.StopAtStepHook(last_step=12)],
    )
    assert hook.calls == calls_of(12)
    assert len(history.epoch) == 2
    three = two_layers()
    other = Note({name: name for name in hook.values[0] if name != "mae:0"})
    quiet(three, *data, epochs=2, callbacks=[other, compat.StopAtStepHook(last_step=12)])
    for one, two in zip(hook.values, other.values, strict=True):
        for name, value in two.items():
            np.testing.assert_allclose(one[name], value, rtol=1e-4, atol=1e-5, err_msg=name)
    assert int(variables.values[-1][2]) == 12
    np.testing.assert_array_equal(variables.values[-1][0], variables.values[-1][1])
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("-12")
    plain = two_layers(package=tf_keras, metrics=["mae"])
    hooked = two_layers(package=tf_keras, metrics=["mae"])
    one = quiet(plain, *data, epochs=2, validation_data=data).history
    two = quiet(hooked, *data, epochs=2, validation_data=data, callbacks=[Note("loss:0")]).history
    assert one == two
    for loop in ("evaluate", "predict"):
        note = Note("h/output:0")
        given = data if loop == "evaluate" else data[:1]
        getattr(hooked, loop)(*given, batch_size=BATCH, verbose=0, callbacks=[note])
        assert note.calls == calls_of(STEPS)


def test_keras_2_legacy_optimizers(data, tmp_path):
    optimizer = tf_keras.optimizers.legacy.Adam(0.01)
    model = two_layers(optimizer, tf_keras)
    rates = []

    class Rate(Note):
        def before_run(self, run_context):
            super().before_run(run_context)
            names = ["gradients/h/kernel:0", "global_step:0", "learning_rate:0"]
            return compat.SessionRunArgs(names, {"learning_rate:0": 0.0} if not rates else None)

        def after_run(self, run_context, run_values):
            rates.append(float(run_values.results[2]))
            super().after_run(run_context, run_values)

    hook = Rate()
    before = model.get_weights()
    saver = compat.CheckpointSaverHook(str(tmp_path), save_steps=100)
    stop = compat.StopAtStepHook(last_step=1)
    quiet(model, *data, callbacks=[hook, saver, stop])
    for one, other in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    quiet(model, *data, callbacks=[hook])
    np.testing.assert_allclose(rates, [0.0, *[0.01] * (len(rates) - 1)], rtol=1e-6)
    assert int(hook.values[-1][1]) == len(rates) == int(optimizer.iterations)
    saved = dict(tf.train.list_variables(str(tmp_path)))
    assert saved["h/kernel/m"] == saved["h/kernel"] == [3, 4] and saved["global_step"] == []
