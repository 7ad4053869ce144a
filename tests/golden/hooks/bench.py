"""What a case of the hook recordings works with: a model, sessions, a directory, a journal.

The same case runs under TF 1.15 (Python 3.7) and on each surface of this package, so
this module speaks only names that both have. The model's loss is a table over the
global step; a case may look at it by the name `"loss:0"` on every surface.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import tempfile
import time

#: Losses by global step where a case doesn't say otherwise.
LOSSES = [8.0, 6.5, 5.0, 4.25, 3.0, 2.5, 2.0, 1.5, 1.25, 1.0, 0.5, 0.25]

#: Lines that one TensorFlow has and the other not around the same work, or that depend on
#: how fast a thread ends or on what the process did before; no recording has them.
_NOT_COMPARED = re.compile(
    "Instructions for updating|is deprecated. Please use|Calling checkpoint listeners"
    "|threads still running|has not been increased|retracing"
)
#: Long explanations, of which only the sense is compared.
_SENSES = [
    (re.compile(r".*\bpreemption\b.*? Error: (.*)", re.S), r"<preempted>: \1"),
    (re.compile(r"Waiting for model to be ready.*", re.S), "<not ready>"),
]
_PLAIN = (type(None), bool, int, float, str)
_sleep = time.sleep


class Clock:
    """Stands in for `time.time` and `time.sleep`; sleeping moves it."""

    def __init__(self):
        self.now = 1000.0
        self.on_sleep = None

    def sleep(self, seconds):
        self.now += seconds
        if self.on_sleep:
            self.on_sleep()

    @contextlib.contextmanager
    def installed(self):
        real = time.time, time.sleep
        time.time, time.sleep = lambda: self.now, self.sleep
        try:
            yield self
        finally:
            time.time, time.sleep = real


class GraphSurface:
    """A legacy graph with a train op."""

    name = "graph"

    def __init__(self, tf, late_update=0.0):
        """Makes a surface.

        Args:
          tf: TF 1's namespace.
          late_update: Seconds by which the update of the global step is held up, so that
            what reads it in the same run has read it; TensorFlow orders the two by chance.
        """
        self._tf = tf
        self._late_update = late_update

    def scope(self):
        return self._tf.Graph().as_default()

    def build(self, losses):
        tf = self._tf
        step = tf.train.get_or_create_global_step()
        last = tf.constant(len(losses) - 1, step.dtype.base_dtype)
        loss = tf.gather(tf.constant(losses), tf.minimum(step + 0, last), name="loss")
        before = [loss]
        if self._late_update:
            before.append(tf.py_func(lambda: _sleep(self._late_update), [], []))
        with tf.control_dependencies(before):
            train = tf.assign_add(step, 1, name="train")
        self.train = [loss, train.op]
        self.session_arguments = {}

    def loss_of(self, result):
        return result[0]


class StepSurface:
    """A `tf.function` that is called in place of a train op."""

    name = "step"

    def __init__(self, tensorflow):
        self._tf = tensorflow

    def scope(self):
        return contextlib.nullcontext()

    def build(self, losses):
        tf = self._tf
        step = tf.Variable(0, dtype=tf.int64, trainable=False, name="global_step")
        table = tf.constant(losses)

        @tf.function
        def train():
            loss = tf.gather(table, tf.minimum(step, len(losses) - 1))
            with tf.control_dependencies([loss]):
                step.assign_add(1)
            return {"loss": loss}

        self.train = train
        self.session_arguments = {"global_step": step}

    def loss_of(self, result):
        return result["loss"]


def bench_on(tensorflow, api, surface):
    """A bench on a surface of this package.

    Args:
      tensorflow: TensorFlow 2.
      api: Where the hooks and sessions are.
      surface: "graph" or "step".
    """
    v1 = tensorflow.compat.v1
    made = GraphSurface(v1) if surface == "graph" else StepSurface(tensorflow)
    return Bench(v1, api, made)


class Bench:
    """One run of one case.

    Attributes:
      tf: TF 1's namespace.
      api: Where the hooks and sessions are: `tf.train`, or this package.
      surface: The surface.
      directory: A directory of the case's own.
      clock: The time; it moves by a second with each `run`.
      journal: What happened, as lists that `json` can write.
    """

    def __init__(self, tf, api, surface):
        self.tf = tf
        self.api = api
        self.surface = surface
        self.directory = tempfile.mkdtemp(prefix="hook_case_")
        self.clock = Clock()
        self.journal = []

    def remove(self):
        """Removes the directory."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def note(self, *entry):
        """Adds an entry to the journal."""
        self.journal.append([self._plain(part) for part in entry])

    @contextlib.contextmanager
    def model(self, losses=None):
        """Builds the model, for the sessions of the `with` block."""
        with self.surface.scope():
            self.surface.build(list(losses or LOSSES))
            yield

    def session(self, hooks=(), kind="SingularMonitoredSession", **arguments):
        """A session of the surface."""
        arguments.update(self.surface.session_arguments)
        return getattr(self.api, kind)(hooks=list(hooks), **arguments)

    def run(self, session, **arguments):
        """Runs one step and notes its loss."""
        loss = float(self.surface.loss_of(session.run(self.surface.train, **arguments)))
        self.clock.now += 1.0
        self.note("ran", loss)
        return loss

    def train(self, hooks=(), kind="SingularMonitoredSession", most=12, losses=None, **arguments):
        """Trains in a new model until the session stops or `most` steps have run."""
        with self.model(losses):
            with self.session(hooks, kind, **arguments) as session:
                for _ in range(most):
                    if session.should_stop():
                        break
                    self.run(session)
                self.note("left the loop", session.should_stop())

    @contextlib.contextmanager
    def noting_error(self, what, names=()):
        """Notes the class of an error, and which of `names` its text has."""
        try:
            yield
        except Exception as error:
            text = str(error)
            self.note(what, type(error).__name__, [name for name in names if name in text])
        else:
            self.note(what, "no error", [])

    @contextlib.contextmanager
    def real_waiting(self):
        """Lets sleeping take time, for threads to go on meanwhile."""
        self.clock.on_sleep = lambda: _sleep(0.05)
        yield
        self.clock.on_sleep = None

    def construct(self, name, *tables):
        """Notes what comes of constructing a class with each of some argument dicts."""
        for arguments in tables:
            label = ", ".join("{}={!r}".format(*item) for item in sorted(arguments.items()))
            with self.noting_error(f"{name}({label})", sorted(arguments)):
                getattr(self.api, name)(**arguments)

    def probe(self, name="probe", **actions):
        """A hook that notes each call; see `Probe`."""
        return make_probe(self, name, actions)

    def path(self, *parts):
        """A path in the case's directory."""
        return os.path.join(self.directory, *parts)

    def look_at_files(self, folder=""):
        """Notes checkpoints and events of a directory, and removes the event files.

        Files made within one second share a name, so none may stay for the next session.
        """
        tf = self.tf
        tf.summary.FileWriterCache.clear()
        folder = self.path(folder)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        events = [name for name in names if ".tfevents." in name]
        self.note("files", [name for name in names if name not in events])
        state = tf.train.get_checkpoint_state(folder)
        if state:
            paths = [os.path.basename(path) for path in state.all_model_checkpoint_paths]
            self.note("latest", os.path.basename(state.model_checkpoint_path), paths)
            for path in state.all_model_checkpoint_paths:
                reader = tf.train.NewCheckpointReader(path)
                self.note("saved step", int(reader.get_tensor("global_step")))
        for name in events:
            for event in tf.train.summary_iterator(os.path.join(folder, name)):
                for entry in _event_entries(event):
                    self.note("event", *entry)
            os.remove(os.path.join(folder, name))

    def _plain(self, value):
        if isinstance(value, str):
            return value.replace(self.directory, "DIR")
        if isinstance(value, _PLAIN):
            return value
        if isinstance(value, bytes):
            return "bytes " + value.decode()
        if isinstance(value, (list, tuple)):
            return [self._plain(item) for item in value]
        if isinstance(value, dict):
            return {str(key): self._plain(item) for key, item in value.items()}
        if hasattr(value, "tolist"):
            return self._plain(value.tolist())
        return type(value).__name__


def make_probe(bench, name, actions):
    """A hook that notes its calls.

    Args:
      bench: The bench.
      name: The name to note.
      actions: Callbacks' names -> functions of (hook, *the callback's arguments), called
        after the note; what `before_run` returns is returned.
    """

    class Probe(bench.api.SessionRunHook):
        def _called(self, callback, seen, *arguments):
            bench.note(name + "." + callback, *seen)
            if callback in actions:
                return actions[callback](self, *arguments)
            return None

        def begin(self):
            self.global_step = bench.tf.train.get_global_step()
            self._called("begin", [])

        def after_create_session(self, session, coord):
            seen = [int(session.run(self.global_step))]
            self._called("after_create_session", seen, session, coord)

        def before_run(self, run_context):
            return self._called("before_run", [run_context.stop_requested], run_context)

        def after_run(self, run_context, run_values):
            seen = [run_values.results, run_context.stop_requested]
            self._called("after_run", seen, run_context, run_values)

        def end(self, session):
            self._called("end", [int(session.run(self.global_step))], session)

    return Probe()


def make_listener(bench, name, answers=()):
    """A saver's listener that notes its calls; `answers` are what `after_save` returns."""

    class Listener(bench.api.CheckpointSaverListener):
        def __init__(self):
            self._answers = list(answers)

        def __repr__(self):
            return "<" + name + ">"

        def begin(self):
            bench.note(name + ".begin")

        def before_save(self, session, global_step_value):
            bench.note(name + ".before_save", int(global_step_value))

        def after_save(self, session, global_step_value):
            bench.note(name + ".after_save", int(global_step_value))
            return self._answers.pop(0) if self._answers else None

        def end(self, session, global_step_value):
            bench.note(name + ".end", int(global_step_value))

    return Listener()


class _Logged(logging.Handler):
    def __init__(self, bench):
        super().__init__()
        self._bench = bench

    def emit(self, record):
        text = record.getMessage()
        if _NOT_COMPARED.search(text):
            return
        for pattern, sense in _SENSES:
            text = pattern.sub(sense, text)
        # TF 2 tells of a preemption while closing as an error, TF 1 as a warning.
        level = "WARNING" if text.startswith("<preempted>") else record.levelname
        self._bench.note("log", level, text.strip())


def run_case(function, tf, api, surface):
    """Runs a case.

    Args:
      function: The case, a function of a `Bench`.
      tf: TF 1's namespace.
      api: Where the hooks and sessions are.
      surface: A `GraphSurface` or `StepSurface`.

    Returns:
      The journal.
    """
    bench = Bench(tf, api, surface)
    logger = logging.getLogger("tensorflow")
    level, propagate = logger.level, logger.propagate
    handler = _Logged(bench)
    logger.addHandler(handler)
    logger.setLevel("INFO")
    try:
        with bench.clock.installed():
            function(bench)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate
        bench.remove()
    return bench.journal


def _event_entries(event):
    what = event.WhichOneof("what")
    if what == "summary":
        return [["summary", v.tag, event.step, _summary(v)] for v in event.summary.value]
    if what == "session_log":
        log = event.session_log
        return [["session_log", int(log.status), event.step, log.checkpoint_path]]
    return [] if what == "file_version" else [[what, "", event.step, None]]


def _summary(value):
    if value.WhichOneof("value") == "simple_value":
        return float(f"{value.simple_value:.6g}")
    return value.WhichOneof("value")
