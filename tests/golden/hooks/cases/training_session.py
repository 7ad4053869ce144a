"""`MonitoredTrainingSession`: which hooks it adds, and with which intervals."""

from __future__ import annotations

from . import case


def _describe(hook):
    """A built-in hook by its class, timer and directory."""
    timer = getattr(hook, "_timer", None)
    seen = [type(hook).__name__]
    if timer is not None:
        seen += [getattr(timer, "_every_secs", None), getattr(timer, "_every_steps", None)]
    for name in ("_output_dir", "_checkpoint_dir"):
        if getattr(hook, name, None):
            seen.append(getattr(hook, name))
    return seen


@case()
def default_hooks(bench):
    model, sums = bench.path("model"), bench.path("sums")
    table = [
        {},
        {"checkpoint_dir": model},
        {"summary_dir": sums},
        {"checkpoint_dir": model, "summary_dir": sums},
        {"checkpoint_dir": model, "save_checkpoint_secs": 30},
        {"checkpoint_dir": model, "save_checkpoint_steps": 7},
        {"checkpoint_dir": model, "save_checkpoint_secs": None},
        {"checkpoint_dir": model, "save_checkpoint_secs": 0},
        {"checkpoint_dir": model, "save_checkpoint_secs": None, "save_checkpoint_steps": 7},
        {"checkpoint_dir": model, "save_checkpoint_secs": None, "save_checkpoint_steps": None},
        {"checkpoint_dir": model, "save_checkpoint_secs": 5, "save_checkpoint_steps": 7},
        {"checkpoint_dir": model, "save_checkpoint_steps": -1},
        {"checkpoint_dir": model, "save_summaries_steps": 3},
        {"checkpoint_dir": model, "save_summaries_secs": 3},
        {"checkpoint_dir": model, "save_summaries_steps": 0},
        {"checkpoint_dir": model, "save_summaries_steps": None},
        {"checkpoint_dir": model, "save_summaries_steps": None, "save_summaries_secs": 3},
        {"checkpoint_dir": model, "save_summaries_steps": 2, "save_summaries_secs": 3},
        {"checkpoint_dir": model, "log_step_count_steps": None},
        {"checkpoint_dir": model, "log_step_count_steps": 0},
        {"checkpoint_dir": model, "log_step_count_steps": 9},
        {"is_chief": False, "checkpoint_dir": model, "max_wait_secs": 5},
    ]
    for arguments in table:
        bench.note("arguments", arguments)
        hooks = {"hooks": [bench.probe("user")], "chief_only_hooks": [bench.probe("chief_only")]}
        with bench.model(), bench.noting_error("session", sorted(arguments)):
            if arguments.get("is_chief", True):
                with bench.api.MonitoredTrainingSession(
                    **arguments, **hooks, **bench.surface.session_arguments
                ) as session:
                    for hook in session._hooks:
                        bench.note("hook", *_describe(hook))
        for folder in ("model", "sums"):
            bench.look_at_files(folder)
            _remove(bench, folder)


def _remove(bench, folder):
    gfile = bench.tf.gfile
    if gfile.IsDirectory(bench.path(folder)):
        gfile.DeleteRecursively(bench.path(folder))


@case()
def trains_saves_and_goes_on(bench):
    for _ in range(2):
        with bench.model():
            arguments = {
                "checkpoint_dir": bench.path("model"),
                "save_checkpoint_steps": 3,
                "save_checkpoint_secs": None,
                "save_summaries_steps": 2,
                "log_step_count_steps": 2,
            }
            hooks = [bench.api.StopAtStepHook(num_steps=4)]
            with bench.session(hooks, "MonitoredTrainingSession", **arguments) as session:
                while not session.should_stop():
                    bench.run(session)
        bench.look_at_files("model")


@case()
def summaries_elsewhere(bench):
    with bench.model():
        with bench.session(
            [bench.api.StopAtStepHook(num_steps=3)],
            "MonitoredTrainingSession",
            checkpoint_dir=bench.path("model"),
            summary_dir=bench.path("sums"),
            log_step_count_steps=1,
        ) as session:
            while not session.should_stop():
                bench.run(session)
    bench.look_at_files("model")
    bench.look_at_files("sums")


@case()
def own_saver_hook_beside(bench):
    """The caller's saver hook does not replace the session's."""
    own = bench.api.CheckpointSaverHook(bench.path("own"), save_steps=1)
    bench.train(
        [own],
        "MonitoredTrainingSession",
        most=2,
        checkpoint_dir=bench.path("model"),
        log_step_count_steps=None,
        save_summaries_steps=None,
    )
    bench.look_at_files("model")
    bench.look_at_files("own")


@case()
def chief_only_hooks_come_first(bench):
    with bench.model():
        with bench.session(
            [bench.probe("user")],
            "MonitoredTrainingSession",
            chief_only_hooks=[bench.probe("chief")],
        ) as session:
            bench.run(session)
