"""Runs a program on a back end and returns its journal."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback

import tensorflow as tf

from . import feeds as feed_specs
from . import graphs, structures
from .actions import Here, Setting, perform
from .clock import FakeClock
from .errors import make_error
from .files import record_files
from .hooks import make_hook
from .journal import Journal, LogRecords
from .scaffolds import make_scaffold

v1 = tf.compat.v1


def execute(program, backend):
    """Runs all phases of a program.

    Args:
      program: A `program.Program`.
      backend: A `backends.Backend`.

    Returns:
      The `Journal`.
    """
    directory = tempfile.mkdtemp(prefix="program")
    journal = Journal(directory)
    try:
        with LogRecords(journal), FakeClock() as clock:
            for number, phase in enumerate(program.phases):
                journal.add("phase", number=number)
                setting = Setting(backend, journal, clock, directory)
                with tf.Graph().as_default():
                    _Phase(program, phase, setting).run()
                record_files(journal, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return journal


class _Phase:
    """One session of a program."""

    def __init__(self, program, phase, setting):
        self.program = program
        self.phase = phase
        self.raised = set()  # Places of step functions that have raised: once is enough.
        self.setting = setting
        self.journal = setting.journal

    def run(self):
        self._build()
        try:
            session = self._open()
        except (Exception, KeyboardInterrupt) as error:
            self._failed("not opened", error)
            return
        try:
            with session:
                self.journal.add("opened", should_stop=session.should_stop())
                for number, item in enumerate(self.phase.loop):
                    if not self._item(session, f"loop {number}", *item):
                        break
                self.journal.add("leaving", should_stop=session.should_stop())
            self.journal.add("left")
        except (Exception, KeyboardInterrupt) as error:
            self._failed("left by error", error)
        self._afterwards(session)

    def _failed(self, place, error):
        self.journal.error(place, error)
        self.journal.notes[-1] = traceback.format_exc()

    def _build(self):
        spec = self.program.graph
        vocabulary = self.setting.vocabulary = graphs.build(spec)
        self.journal.names = sorted(set(vocabulary.names()))
        self._scaffold = make_scaffold(self.phase.scaffold, self.setting)
        if "extra_saver" in spec.parts:
            v1.add_to_collection("savers_of_programs", v1.train.Saver())

    def _make_hooks(self, specs, prefix):
        return [
            make_hook(spec, f"{prefix}{number}", self.setting, self._scaffold)
            for number, spec in enumerate(specs)
        ]

    def _open(self):
        phase, backend = self.phase, self.setting.backend
        arguments = dict(phase.arguments)
        for key in ("checkpoint_dir", "summary_dir", "checkpoint_filename_with_path"):
            if key in arguments:
                arguments[key] = os.path.join(self.setting.directory, arguments[key])
        self.hooks = self._make_hooks(phase.hooks, "h")
        chief_only = self._make_hooks(phase.chief_only_hooks, "c")
        if phase.finalized_before:
            v1.get_default_graph().finalize()
        self.journal.add("opening", hooks=[spec.kind for spec in phase.hooks])
        if phase.surface == "singular":
            return backend.SingularMonitoredSession(
                hooks=self.hooks, scaffold=self._scaffold, **arguments
            )
        if phase.surface == "training":
            return backend.MonitoredTrainingSession(
                hooks=self.hooks,
                chief_only_hooks=chief_only,
                scaffold=self._scaffold,
                **arguments,
            )
        grace = {}
        if "stop_grace_period_secs" in arguments:
            grace["stop_grace_period_secs"] = arguments.pop("stop_grace_period_secs")
        creator = backend.ChiefSessionCreator(scaffold=self._scaffold, **arguments)
        return backend.MonitoredSession(session_creator=creator, hooks=self.hooks, **grace)

    def _item(self, session, place, kind, *details):
        """Does one item of the loop; False ends the loop."""
        self.setting.clock.advance(self.program.seconds_per_step)
        return _ITEMS[kind](self, session, place, *details)

    def _run(self, session, place, fetches, feeds, options=None, regardless=False):
        should_stop = session.should_stop()
        self.journal.add(place, should_stop=should_stop)
        if should_stop and not regardless:
            return False
        vocabulary = self.setting.vocabulary
        arguments = {}
        if options:
            arguments["options"] = v1.RunOptions(**options)
            arguments["run_metadata"] = metadata = v1.RunMetadata()
        result = session.run(
            structures.build(fetches, vocabulary),
            feed_dict=feed_specs.build(feeds, vocabulary) if feeds else None,
            **arguments,
        )
        self.journal.value(place + " result", result)
        if options:
            self.journal.value(place + " metadata", metadata)
        return True

    def _until_stop(self, session, place, fetches, feeds, most):
        for number in range(most):
            if not self._run(session, f"{place}.{number}", fetches, feeds):
                return False
            self.setting.clock.advance(self.program.seconds_per_step)
        return True

    def _raw(self, session, place, action):
        perform(action, self.setting, Here(place + " raw", session.raw_session()))
        return True

    def _step_function(self, session, place, kind, actions):
        self.journal.add(place, should_stop=session.should_stop(), step_function=kind)
        result = session.run_step_fn(_STEP_FUNCTIONS[kind](self, place, actions))
        self.journal.value(place + " result", result)
        return True

    def step(self, step_context, place, actions):
        """What the step functions do."""
        result = None
        for action in actions:
            kind, *details = action
            if kind == "raise":
                if place in self.raised:
                    continue  # A recovered session runs the step function again.
                self.raised.add(place)
            self.journal.add(f"{place} step {kind}")
            if kind == "with hooks":
                fetches, feeds = details
                result = step_context.run_with_hooks(
                    structures.build(fetches, self.setting.vocabulary),
                    feed_dict=feed_specs.build(feeds, self.setting.vocabulary),
                )
                self.journal.value(place + " with hooks", result)
            elif kind == "stop":
                step_context.request_stop()
            else:
                perform(action, self.setting, Here(place + " step", step_context.session))
        return result

    def _raise(self, session, place, kind):
        raise make_error(kind, place)

    def _close(self, session, place):
        session.close()
        self.journal.add(place + " closed", should_stop=session.should_stop())
        return True

    def _clock(self, session, place, seconds):
        self.setting.clock.advance(seconds)
        return True

    def _caught(self, session, place, item):
        kind, *details = item
        try:
            return _ITEMS[kind](self, session, place, *details)
        except Exception as error:
            self._failed(place + " caught", error)
            return True

    def _look(self, session, place):
        graph = self.setting.vocabulary.graph
        self.journal.add(place + " look", same_graph=session.graph is graph)
        perform(("look",), self.setting, Here(place, None))
        return True

    def _afterwards(self, session):
        journal = self.journal
        journal.add("afterwards", should_stop=session.should_stop())
        journal.add("graph", finalized=self.setting.vocabulary.graph.finalized)
        if self.setting.vocabulary.calls:
            journal.add("python calls", arguments=self.setting.vocabulary.calls)
        for number, spec in enumerate(self.phase.hooks):
            if spec.kind == "FinalOpsHook":
                journal.value(f"h{number} final values", self.hooks[number].final_ops_values)
        try:
            session.run(self.setting.vocabulary.element("const_c"))
            journal.add("run afterwards")
        except Exception as error:
            self._failed("run afterwards", error)


_ITEMS = {
    "run": _Phase._run,
    "until stop": _Phase._until_stop,
    "raw": _Phase._raw,
    "step function": _Phase._step_function,
    "raise": _Phase._raise,
    "close": _Phase._close,
    "clock": _Phase._clock,
    "caught": _Phase._caught,
    "look": _Phase._look,
}


def _plain_function(phase, place, actions):
    return lambda step_context: phase.step(step_context, place, actions)


def _method(phase, place, actions):
    class Trainer:
        def step(self, step_context):
            return phase.step(step_context, place, actions)

    return Trainer().step


def _self_function(phase, place, actions):
    # Called with one argument only, so the one named `self` gets a default.
    def step(self, step_context=None):
        return phase.step(self, place, actions)

    return step


_STEP_FUNCTIONS = {
    "function": _plain_function,
    "method": _method,
    "self function": _self_function,
    "other name": lambda *_: lambda context: None,
    "two arguments": lambda *_: lambda step_context, other: None,
    "no argument": lambda *_: lambda: None,
    "any arguments": lambda *_: lambda *step_context: None,
    "not callable": lambda *_: "step_context",
    "none": lambda *_: None,
    "value": lambda *_: lambda step_context: {"value": [1, "two"]},
}

#: Step functions that are refused or do nothing.
ODD_STEP_FUNCTIONS = [
    "self function",
    "other name",
    "two arguments",
    "no argument",
    "any arguments",
    "not callable",
    "none",
    "value",
]
