"""Hooks are callbacks: which classes, in which loop, in which order, and how they stop it."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from small_models import BATCH, ROWS, Note, calls_of, quiet, two_layers

import compat

v1 = tf.compat.v1
STEPS = ROWS // BATCH


@pytest.mark.parametrize(
    "name", [name for name in compat.__all__ if name.endswith("Hook")], ids=str
)
def test_hook_classes_are_callbacks(name):
    assert issubclass(getattr(compat, name), keras.callbacks.Callback)


def test_a_class_with_attributes_of_its_own_and_no_super_call(data):
    class Legacy(compat.SessionRunHook):
        def __init__(self, model):
            self.model = model
            self.params = {"rate": 3}
            self.validation_data = "mine"
            self._model = 1
            self.seen = 0

        @property
        def history(self):
            return "read-only"

        def after_run(self, run_context, run_values):
            self.seen += 1
            assert (self.model, self.params, self.validation_data) == ("m", {"rate": 3}, "mine")
            assert self._model == 1

    hook = Legacy("m")
    quiet(two_layers(), *data, callbacks=[hook])
    assert hook.seen == STEPS
    assert hook.model == "m"


def test_a_class_with_a_read_only_model(data):
    class Legacy(compat.SessionRunHook):
        @property
        def model(self):
            return "mine"

        @property
        def params(self):
            return "mine too"

        seen = 0

        def after_run(self, run_context, run_values):
            self.seen += 1

    hook = Legacy()
    quiet(two_layers(), *data, callbacks=[hook])
    assert hook.seen == STEPS


def foreign_hooks(calls):
    class Derived(v1.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            calls.append("derived")

    class Alone:
        def begin(self):
            calls.append("begin")

        def after_create_session(self, session, coord):
            pass

        def before_run(self, run_context):
            return v1.train.SessionRunArgs("loss:0")

        def after_run(self, run_context, run_values):
            calls.append(float(run_values.results) >= 0)

        def end(self, session):
            calls.append("end")

    return [Derived(), Alone(), v1.train.StopAtStepHook(last_step=2)]


@pytest.mark.parametrize("way", ["one wrapper", "as_callbacks", "a wrapper each"])
def test_hooks_of_other_origin(data, way):
    calls = []
    hooks = foreign_hooks(calls)
    callbacks = {
        "one wrapper": lambda: [compat.HookCallback(hooks)],
        "as_callbacks": lambda: compat.as_callbacks(hooks),
        "a wrapper each": lambda: [compat.HookCallback(hook) for hook in hooks],
    }[way]()
    quiet(two_layers(), *data, callbacks=callbacks)
    assert calls == ["begin", "derived", True, "derived", True, "end"]


def test_as_callbacks_keeps_callbacks_and_order():
    hook, callback = compat.SessionRunHook(), keras.callbacks.TerminateOnNaN()
    foreign = v1.train.StopAtStepHook(last_step=1)
    made = compat.as_callbacks([hook, foreign, callback])
    assert made[0] is hook and made[2] is callback
    assert isinstance(made[1], compat.HookCallback)


def test_a_hook_belongs_to_the_loop_it_was_passed_to(data):
    model, hook = two_layers(metrics=["mae"]), Note()
    quiet(model, *data, callbacks=[hook], validation_data=data, epochs=2)
    assert hook.calls == calls_of(2 * STEPS)
    for loop in (
        lambda hook: model.evaluate(*data, batch_size=BATCH, verbose=0, callbacks=[hook]),
        lambda hook: model.predict(data[0], batch_size=BATCH, verbose=0, callbacks=[hook]),
    ):
        hook = Note()
        loop(hook)
        assert hook.calls == calls_of(STEPS)


def test_hooks_share_a_session_and_a_run_in_list_order(data):
    order, sessions = [], set()

    class Ordered(compat.SessionRunHook):
        def __init__(self, name):
            self.name = name

        def before_run(self, run_context):
            order.append(self.name)
            sessions.add(id(run_context.session))
            return compat.SessionRunArgs({self.name: "loss:0"})

        def after_run(self, run_context, run_values):
            assert list(run_values.results) == [self.name]
            order.append(self.name.upper())

    class Between(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            order.append("-")

    quiet(two_layers(), *data, callbacks=[Ordered("a"), Between(), Ordered("b")], steps_per_epoch=2)
    assert order == ["a", "b", "A", "B", "-"] * 2
    assert len(sessions) == 1


def test_stop_in_the_middle_of_an_epoch(data):
    model, hook = two_layers(), Note()
    history = quiet(
        model, *data, epochs=5, callbacks=[compat.StopAtStepHook(last_step=STEPS + 3), hook]
    )
    assert hook.calls == calls_of(STEPS + 3)
    assert len(history.epoch) == 2
    quiet(model, *data)  # The flag does not stay.
    assert int(model.optimizer.iterations) == 2 * STEPS + 3


@pytest.mark.parametrize("loop", ["evaluate", "predict"])
def test_stop_of_evaluate_and_predict(data, loop):
    class Stop(Note):
        def after_run(self, run_context, run_values):
            super().after_run(run_context, run_values)
            if len(self.values) == 3:
                run_context.request_stop()

    model, hook = two_layers(), Stop()
    given = data if loop == "evaluate" else data[:1]
    result = getattr(model, loop)(*given, batch_size=BATCH, verbose=0, callbacks=[hook])
    assert hook.calls == calls_of(3)
    if loop == "predict":
        assert len(result) == 3 * BATCH
    full = model.predict(data[0], verbose=0)
    assert len(full) == ROWS


def test_what_the_run_context_offers(data):
    seen = []

    class Look(compat.SessionRunHook):
        def after_create_session(self, session, coord):
            self.coord = coord
            assert session.run("global_step:0") == 0

        def before_run(self, run_context):
            assert run_context.session.graph is v1.get_default_graph()
            assert run_context.original_args.feed_dict is None
            step = run_context.session.run(v1.train.get_global_step())
            return compat.SessionRunArgs(
                "loss:0", options=v1.RunOptions(timeout_in_ms=50_000 + int(step))
            )

        def after_run(self, run_context, run_values):
            seen.append(run_values.options.timeout_in_ms)
            assert isinstance(run_values.run_metadata, v1.RunMetadata)
            assert run_context.session.run("global_step:0") == len(seen)
            if len(seen) == 4:
                self.coord.request_stop()

        def end(self, session):
            seen.append(int(session.run("global_step:0")))

    quiet(two_layers(), *data, callbacks=[Look()])
    assert seen == [50_000, 50_001, 50_002, 50_003, 4]


def test_one_hook_in_two_loops(data):
    hook = Note("loss:0")
    for model in (two_layers(), two_layers()):
        quiet(model, *data, callbacks=[hook])
    assert hook.calls == calls_of(STEPS) * 2
    np.testing.assert_allclose(hook.values[:STEPS], hook.values[STEPS:], rtol=1e-6)
