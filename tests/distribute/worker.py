"""One process of a distributed training that the tests start; prints a JSON object a line.

    python worker.py '{"strategy": "mirrored" or "multi", ...}'

The rest of the settings are the keys of `DEFAULTS`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import tensorflow as tf

import compat

DEFAULTS = {
    "strategy": "multi",
    "checkpoint_dir": None,
    "session": {},  # Further arguments of MonitoredTrainingSession.
    "last_step": 6,
    "stop_at": {},  # Worker's number -> the step at which a hook of it asks to stop.
    "coordinator_stop_at": {},  # The same, of the coordinator.
    "kill_at": {},  # Worker's number -> the step before which it is killed.
    "raise_at": {},  # Worker's number -> the step before which a hook raises.
    "own_scaffold": True,  # Whether a Checkpoint of all variables is given.
    "manager": False,  # Whether as a CheckpointManager.
    "in_scope": True,  # Whether the session is made in the strategy's scope.
}


def say(**facts):
    print(json.dumps(facts), flush=True)


class Probe(compat.SessionRunHook):
    """Says what happens and does what the settings want of this worker."""

    def __init__(self, name, settings, number):
        self._name = name
        self._wishes = {
            key: settings[key].get(str(number))
            for key in ("stop_at", "coordinator_stop_at", "kill_at", "raise_at")
        }

    def begin(self):
        self._step = tf.compat.v1.train.get_global_step()

    def after_create_session(self, session, coord):
        self._coord = coord
        self._at = int(session.run(self._step))
        say(hook=self._name, starts=self._at)

    def before_run(self, run_context):
        if self._wishes["kill_at"] == self._at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._wishes["raise_at"] == self._at:
            raise ValueError("own error")
        return compat.SessionRunArgs([self._step, "loss:0"])

    def after_run(self, run_context, run_values):
        self._at = int(run_values.results[0])
        say(hook=self._name, step=self._at, loss=float(run_values.results[1]))
        if self._wishes["stop_at"] == self._at:
            run_context.request_stop()
        if self._wishes["coordinator_stop_at"] == self._at:
            self._coord.request_stop()

    def end(self, session):
        say(hook=self._name, ends=int(session.run(self._step)))


def make_strategy(kind):
    if kind == "multi":
        return tf.distribute.MultiWorkerMirroredStrategy()
    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def make_step(strategy, step, weight):
    """A train step: each replica adds its share to the weight."""

    @tf.function
    def train_step():
        def in_replica():
            context = tf.distribute.get_replica_context()
            share = tf.cast(context.replica_id_in_sync_group + 1, tf.float32)
            total = context.all_reduce(tf.distribute.ReduceOp.SUM, share)
            weight.assign_add(total * tf.cast(step + 1, tf.float32))
            step.assign_add(1)
            return weight.read_value()

        losses = strategy.run(in_replica)
        return {"loss": strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)}

    return train_step


def main():
    settings = {**DEFAULTS, **json.loads(sys.argv[1])}
    strategy = make_strategy(settings["strategy"])
    number = json.loads(os.environ.get("TF_CONFIG", '{"task": {"index": 0}}'))["task"]["index"]
    with strategy.scope():
        first = tf.VariableAggregation.ONLY_FIRST_REPLICA
        step = tf.Variable(0, dtype=tf.int64, trainable=False, aggregation=first)
        weight = tf.Variable(0.0, aggregation=first)
        # A variable that only all workers together can read.
        counted = tf.Variable(
            0.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
    train_step = make_step(strategy, step, weight)
    arguments = {"checkpoint_dir": settings["checkpoint_dir"], **settings["session"]}
    if settings["own_scaffold"]:
        saver = tf.train.Checkpoint(step=step, weight=weight, counted=counted)
        if settings["manager"]:
            saver = tf.train.CheckpointManager(saver, settings["checkpoint_dir"], max_to_keep=2)
        arguments["scaffold"] = compat.Scaffold(saver=saver)

    def train():
        with compat.MonitoredTrainingSession(
            hooks=[
                Probe("user", settings, number),
                compat.StopAtStepHook(last_step=settings["last_step"]),
            ],
            chief_only_hooks=[Probe("chief", {**settings, **NO_WISHES}, number)],
            global_step=step,
            **arguments,
        ) as session:
            while not session.should_stop():
                session.run(train_step)

    try:
        if settings["in_scope"]:
            with strategy.scope():
                train()
        else:
            train()
    except Exception as error:
        say(error=type(error).__name__, message=str(error))
        traceback.print_exc()
    say(final_step=int(step.numpy()), weight=float(weight.numpy()))


NO_WISHES = {key: {} for key in ("stop_at", "coordinator_stop_at", "kill_at", "raise_at")}

if __name__ == "__main__":
    main()
