"""One process of a Keras 2 `fit` over several workers; prints a JSON object a line.

python fit_worker.py '{"directory": PATH, "last_step": 5}'
"""

from __future__ import annotations

import json
import os
import sys
import traceback

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import tensorflow as tf
import tf_keras

import compat


def say(**facts):
    print(json.dumps(facts), flush=True)


class Probe(compat.SessionRunHook):
    """Says what each step gives."""

    def after_create_session(self, session, coord):
        say(starts=int(session.run("global_step:0")))

    def before_run(self, run_context):
        return compat.SessionRunArgs(["loss:0", "gradients/d/kernel:0", "x:0", "global_step:0"])

    def after_run(self, run_context, run_values):
        loss, gradient, x, step = run_values.results
        say(loss=float(loss), gradient=np.ravel(gradient).tolist(), x=x.tolist(), step=int(step))


class Saved(compat.CheckpointSaverListener):
    """Says when this process saves."""

    def after_save(self, session, step):
        say(saved=int(step))


def main(directory, last_step):
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    rng = np.random.default_rng(1)
    x = rng.normal(size=(24, 2)).astype("float32")
    data = tf.data.Dataset.from_tensor_slices((x, x @ np.float32([[1.0], [2.0]]))).batch(4)
    with strategy.scope():
        model = tf_keras.Sequential(
            [
                tf_keras.layers.Dense(
                    1, name="d", use_bias=False, kernel_initializer="ones", input_shape=(2,)
                )
            ]
        )
        model.compile(tf_keras.optimizers.SGD(0.1), "mse")
    hooks = [
        Probe(),
        compat.CheckpointSaverHook(directory, save_steps=2, listeners=[Saved()]),
        compat.StepCounterHook(every_n_steps=2, output_dir=directory),
        compat.StopAtStepHook(last_step=last_step),
    ]
    history = model.fit(data, epochs=3, verbose=0, callbacks=hooks)
    say(epochs=len(history.epoch), kernel=np.ravel(model.get_weights()[0]).tolist())


if __name__ == "__main__":
    try:
        main(**json.loads(sys.argv[1]))
    except BaseException as error:
        traceback.print_exc()
        say(error=type(error).__name__, message=str(error))
        raise
