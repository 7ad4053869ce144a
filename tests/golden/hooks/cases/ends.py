"""How monitored sessions end: errors of `close`, threads that go on, and which error counts."""

from __future__ import annotations

import threading

from . import case

SESSIONS = ("SingularMonitoredSession", "MonitoredSession")


def _creator(bench, close):
    """A creator whose sessions do `close` when they are closed."""
    inner = bench.api.ChiefSessionCreator()

    class Creator(bench.api.SessionCreator):
        def create_session(self):
            session = inner.create_session()
            session.close = close
            return session

    return Creator()


def _raising(error):
    def action(*_):
        raise error

    return action


def _errors(bench):
    return [ValueError("close"), bench.tf.errors.AbortedError(None, None, "close")]


@case()
def error_of_close(bench):
    """An error of closing the raw session doesn't come out."""
    for error in _errors(bench):
        with bench.model(), bench.noting_error("session"):
            with bench.api.MonitoredSession(
                _creator(bench, _raising(error)), [bench.probe()], **bench.surface.session_arguments
            ) as session:
                bench.run(session)
        bench.note("stopped", session.should_stop())


@case()
def error_of_close_and_of_the_loop(bench):
    for error in _errors(bench):
        with bench.model(), bench.noting_error("session", ["loop", "close"]):
            with bench.api.MonitoredSession(
                _creator(bench, _raising(error)), [bench.probe()], **bench.surface.session_arguments
            ) as session:
                bench.run(session)
                raise KeyError("loop")


@case()
def error_of_end_and_of_close(bench):
    hook = bench.probe(end=_raising(KeyError("end")))
    with bench.model(), bench.noting_error("session", ["end", "close"]):
        with bench.api.MonitoredSession(
            _creator(bench, _raising(ValueError("close"))),
            [hook],
            **bench.surface.session_arguments,
        ) as session:
            bench.run(session)


def _failing_thread(error, started):
    """A callback that starts a thread which fails once `started` is set."""

    def start(hook, session, coord):
        def work():
            with coord.stop_on_exception():
                started.wait(20)
                raise error

        hook.thread = threading.Thread(target=work)
        hook.thread.start()
        coord.register_thread(hook.thread)

    return start


@case()
def error_of_a_thread_at_the_end(bench):
    """A thread fails while the session is closed: its error comes out of the `with`."""
    for kind in SESSIONS:
        started = threading.Event()
        hook = bench.probe(after_create_session=_failing_thread(KeyError("thread"), started))
        with bench.model(), bench.noting_error("session", ["thread"]):
            with bench.session([hook], kind) as session:
                bench.run(session)
                started.set()
                hook.thread.join()


@case()
def errors_of_a_thread_and_of_the_loop(bench):
    for kind in SESSIONS:
        started = threading.Event()
        hook = bench.probe(after_create_session=_failing_thread(KeyError("thread"), started))
        with bench.model(), bench.noting_error("session", ["thread", "loop"]):
            with bench.session([hook], kind) as session:
                bench.run(session)
                started.set()
                hook.thread.join()
                raise ValueError("loop")


@case()
def preemption_in_a_thread(bench):
    """Recovered from, where the session recovers."""
    for kind in SESSIONS:
        started = threading.Event()
        error = bench.tf.errors.AbortedError(None, None, "thread")
        starting = []

        def start(hook, session, coord, starting=starting, error=error, started=started):
            if not starting:
                starting.append(1)
                _failing_thread(error, started)(hook, session, coord)

        hook = bench.probe(after_create_session=start)
        with bench.model(), bench.noting_error("session", ["thread"]):
            with bench.session([hook], kind) as session:
                started.set()
                hook.thread.join()
                bench.note("should stop", session.should_stop())


@case()
def thread_that_does_not_stop(bench):
    """It is waited for, for `stop_grace_period_secs`, and then left alone."""
    for kind in SESSIONS:
        end = threading.Event()
        thread = threading.Thread(target=end.wait, args=(30,))
        thread.daemon = True

        def start(hook, session, coord, thread=thread):
            thread.start()
            coord.register_thread(thread)

        with bench.model(), bench.noting_error("session"):
            probe = bench.probe(after_create_session=start)
            with bench.session([probe], kind, stop_grace_period_secs=1) as session:
                bench.run(session)
        bench.note("alive", thread.is_alive())
        end.set()
        thread.join()


@case()
def thread_that_stops_when_told(bench):
    for kind in SESSIONS:
        seen = []

        def start(hook, session, coord, seen=seen):
            def work():
                while not coord.should_stop():
                    coord.wait_for_stop(0.05)
                seen.append("told")

            hook.thread = threading.Thread(target=work)
            hook.thread.start()
            coord.register_thread(hook.thread)

        hook = bench.probe(after_create_session=start)
        with bench.model(), bench.real_waiting(), bench.session([hook], kind) as session:
            bench.run(session)
        bench.note("alive", hook.thread.is_alive(), seen)
