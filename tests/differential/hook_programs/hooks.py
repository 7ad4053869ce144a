"""Makes the hooks of a program for one back end."""

from __future__ import annotations

import os

import tensorflow as tf

from . import feeds as feed_specs
from . import structures
from .actions import Here, perform
from .describe import describe

v1 = tf.compat.v1


class _Planned:
    """Performs the planned actions of a callback and counts its calls."""

    def set_up(self, setting, name, plan):
        self.setting = setting
        self.name = name
        self.coordinator = None
        self._plan = plan
        self._calls = {}

    def called(self, callback, session=None, run_context=None, coordinator=None, **seen):
        place = f"{self.name}.{callback}"
        call = self._calls.get(callback, 0)
        self._calls[callback] = call + 1
        self.setting.journal.add(place, call=call, **seen)
        here = Here(place, session, run_context, coordinator, self)
        answer = None
        for action in self.planned(callback, call):
            answer = perform(action, self.setting, here) or answer
        return call, answer

    def planned(self, callback, call):
        return [action for when, action in self._plan.get(callback, []) if when in (call, "always")]


class _RandomHook(_Planned):
    """The five methods of a hook."""

    def begin(self):
        self.called("begin")

    def after_create_session(self, session, coord):
        self.coordinator = coord
        self.called(
            "after_create_session",
            session,
            coordinator=coord,
            stopped=coord.should_stop(),
            coordinator_kind=isinstance(coord, tf.train.Coordinator),
        )

    def before_run(self, run_context):
        original = run_context.original_args
        call, _ = self.called(
            "before_run",
            run_context.session,
            run_context,
            fetches=describe(original.fetches),
            feeds=describe(original.feed_dict),
            options=describe(original.options),
            stop_requested=run_context.stop_requested,
        )
        for request in self.planned("request", call):
            return self._request(*request)
        return None

    def _request(self, kind, fetches=None, feeds=None, options=None):
        arguments = self.setting.backend.SessionRunArgs
        vocabulary = self.setting.vocabulary
        if kind == "wrong":
            return [vocabulary.element("loss")]
        if kind == "none":
            return arguments(None)
        return arguments(
            structures.build(fetches, vocabulary) if fetches is not None else None,
            feed_dict=feed_specs.build(feeds, vocabulary) if feeds else None,
            options=v1.RunOptions(**options) if options else None,
        )

    def after_run(self, run_context, run_values):
        self.called(
            "after_run",
            run_context.session,
            run_context,
            results=describe(run_values.results),
            options=describe(run_values.options),
            metadata=describe(run_values.run_metadata),
            stop_requested=run_context.stop_requested,
        )

    def end(self, session):
        self.called("end", session, session_given=session is not None)


class _RandomListener(_Planned):
    """The four methods of a saver's listener."""

    def begin(self):
        self.called("begin")

    def before_save(self, session, global_step_value):
        self.called("before_save", session, step=describe(global_step_value))

    def after_save(self, session, global_step_value):
        return self.called("after_save", session, step=describe(global_step_value))[1]

    def end(self, session, global_step_value):
        self.called("end", session, step=describe(global_step_value))


def make_hook(spec, name, setting, scaffold):
    """Makes a hook.

    Args:
      spec: The `program.Hook`.
      name: The name under which the journal knows it.
      setting: The run's `Setting`.
      scaffold: The session's scaffold, or None.
    """
    if spec.kind == "random":
        bases = {
            "own": [setting.backend.SessionRunHook],
            "tensorflow": [v1.train.SessionRunHook],
            "none": [],
        }[spec.base]
        hook = type("RandomHook", (_RandomHook, *bases), {})()
        hook.set_up(setting, name, spec.plan)
        return hook
    source = v1.train if spec.base == "tensorflow" else setting.backend
    return _BUILT_IN[spec.kind](getattr(source, spec.kind), spec, name, setting, scaffold)


def _plain(make, spec, name, setting, scaffold):
    return make(**spec.arguments)


def _on_elements(make, spec, name, setting, scaffold):
    """LoggingTensorHook and FinalOpsHook: their first argument is a fetch structure."""
    arguments = dict(spec.arguments)
    first = structures.build(arguments.pop("fetches"), setting.vocabulary)
    if "feeds" in arguments:
        feeds = arguments.pop("feeds")
        arguments["final_ops_feed_dict"] = feed_specs.build(feeds, setting.vocabulary)
    if arguments.pop("own_format", False):
        arguments["formatter"] = lambda values: f"formatted {describe(values)}"
    return make(first, **arguments)


def _nan(make, spec, name, setting, scaffold):
    arguments = dict(spec.arguments)
    return make(setting.vocabulary.element(arguments.pop("loss")), **arguments)


def _saver(make, spec, name, setting, scaffold):
    arguments = dict(spec.arguments)
    listeners = []
    for number, plan in enumerate(spec.listeners):
        listener = type(
            "RandomListener", (_RandomListener, setting.backend.CheckpointSaverListener), {}
        )()
        listener.set_up(setting, f"{name}.l{number}", plan)
        listeners.append(listener)
    saver = arguments.pop("saver")
    if saver == "scaffold":
        arguments["scaffold"] = scaffold
    elif saver == "own":
        arguments["saver"] = v1.train.Saver(max_to_keep=2)
    folder = os.path.join(setting.directory, arguments.pop("folder", "model"))
    return make(folder, listeners=listeners or None, **arguments)


def _step_counter(make, spec, name, setting, scaffold):
    return make(output_dir=os.path.join(setting.directory, "counted"), **spec.arguments)


def _summary_saver(make, spec, name, setting, scaffold):
    arguments = dict(spec.arguments)
    source = arguments.pop("source")
    if source == "scaffold":
        arguments["scaffold"] = scaffold
    else:
        merged = setting.vocabulary.element("merged")
        arguments["summary_op"] = [merged, merged] if source == "list" else merged
    return make(output_dir=os.path.join(setting.directory, "summaries"), **arguments)


def _feed_function(make, spec, name, setting, scaffold):
    def feed():
        setting.journal.add(name + ".feed_fn")
        return feed_specs.build(spec.arguments["feeds"], setting.vocabulary)

    return make(feed)


_BUILT_IN = {
    "StopAtStepHook": _plain,
    "GlobalStepWaiterHook": _plain,
    "LoggingTensorHook": _on_elements,
    "FinalOpsHook": _on_elements,
    "NanTensorHook": _nan,
    "CheckpointSaverHook": _saver,
    "StepCounterHook": _step_counter,
    "SummarySaverHook": _summary_saver,
    "FeedFnHook": _feed_function,
}
