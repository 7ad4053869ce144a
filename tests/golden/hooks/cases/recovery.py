"""Recovery of monitored sessions from AbortedError and UnavailableError."""

from __future__ import annotations

from . import case

CALLBACKS = ("after_create_session", "before_run", "after_run", "end")


def _raise_once(bench, error_class, at):
    calls = []

    def action(*_):
        calls.append(1)
        if len(calls) == at:
            raise error_class(None, None, "away")

    return action


def _train(bench, kind, callback, error_name, at, **arguments):
    error_class = getattr(bench.tf.errors, error_name)
    bench.note("raised", kind, callback, error_name, at)
    hook = bench.probe(**{callback: _raise_once(bench, error_class, at)})
    with bench.noting_error("training"):
        bench.train([hook, bench.api.StopAtStepHook(last_step=4)], kind, most=9, **arguments)


@case("graph")
def in_every_callback(bench):
    """Without a checkpoint the new session begins at the start.

    On a step, whose variables outlive the session, it does not.
    """
    for kind in ("MonitoredSession", "SingularMonitoredSession"):
        for callback in CALLBACKS:
            for error in ("AbortedError", "UnavailableError"):
                at = 1 if callback in ("end", "after_create_session") else 2
                _train(bench, kind, callback, error, at)


@case()
def from_the_last_checkpoint(bench):
    for callback in ("before_run", "after_run"):
        _train(
            bench,
            "MonitoredTrainingSession",
            callback,
            "AbortedError",
            4,
            checkpoint_dir=bench.path(callback),
            save_checkpoint_steps=2,
            save_checkpoint_secs=None,
            log_step_count_steps=None,
            save_summaries_steps=None,
        )
        bench.look_at_files(callback)


@case()
def other_errors_are_not_recovered(bench):
    for error in ("CancelledError", "DeadlineExceededError", "InternalError"):
        _train(bench, "MonitoredSession", "before_run", error, 2)


@case()
def in_the_creation(bench):
    """The creator is asked again."""
    calls = []
    with bench.model():
        inner = bench.api.ChiefSessionCreator()

        class Creator(bench.api.SessionCreator):
            def create_session(self):
                calls.append(1)
                if len(calls) < 3:
                    raise bench.tf.errors.UnavailableError(None, None, "not yet")
                return inner.create_session()

        with bench.api.MonitoredSession(
            Creator(), [bench.probe()], **bench.surface.session_arguments
        ) as session:
            bench.run(session)
    bench.note("calls", len(calls))
