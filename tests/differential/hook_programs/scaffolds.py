"""Scaffolds of programs: each option sets some of the constructor's arguments."""

from __future__ import annotations

import tensorflow as tf

from .errors import make_error

v1 = tf.compat.v1


def make_scaffold(options, setting):
    """Makes a `Scaffold` of the back end; None if there are no options.

    Args:
      options: Some of `SCAFFOLD_OPTIONS`.
      setting: The run's `Setting`.
    """
    if not options:
        return None
    arguments = {}
    for option in options:
        if option in _ARGUMENTS:
            arguments.update(_ARGUMENTS[option](setting))
    scaffold = setting.backend.Scaffold(**arguments)
    if "copied" in options:
        scaffold = setting.backend.Scaffold(copy_from_scaffold=scaffold)
    return scaffold


def _init_fn(setting):
    def init_fn(scaffold, session):
        setting.journal.add("init_fn", scaffold=type(scaffold).__name__)
        step = session.run(setting.vocabulary.element("weights"))
        setting.journal.value("init_fn weights", step)

    return {"init_fn": init_fn}


def _failing_init_fn(setting):
    def init_fn(scaffold, session):
        raise make_error("ValueError", "init_fn")

    return {"init_fn": init_fn}


def _init_feed(setting):
    start = v1.placeholder(tf.float32, [3], name="start_weights")
    init_op = tf.group(
        v1.assign(setting.vocabulary.element("weights"), start),
        setting.vocabulary.element("step").initializer,
    )
    return {"init_op": init_op, "init_feed_dict": {start: [4.0, 5.0, 6.0]}}


def _init_without_feed(setting):
    arguments = _init_feed(setting)
    del arguments["init_feed_dict"]
    return arguments


def _never_ready(setting):
    return {"ready_op": tf.constant(["weights"], name="never_ready")}


def _always_ready(setting):
    return {"ready_op": tf.constant([], tf.string, name="always_ready")}


def _never_ready_for_local(setting):
    return {"ready_for_local_init_op": tf.constant(["step"], name="never_ready_local")}


def _local_init(setting):
    local = v1.get_variable(
        "local_number", [], collections=[v1.GraphKeys.LOCAL_VARIABLES], trainable=False
    )
    with tf.control_dependencies([v1.tables_initializer(), v1.local_variables_initializer()]):
        ready = v1.assign(local, 3.0)
    setting.vocabulary.elements["local_number"] = local
    return {"local_init_op": ready}


def _few_kept(setting):
    return {"saver": v1.train.Saver(max_to_keep=1)}


def _part_saved(setting):
    return {"saver": v1.train.Saver([setting.vocabulary.element("step")])}


def _summary(setting):
    return {"summary_op": v1.summary.scalar("of_scaffold", tf.constant(2.0))}


_ARGUMENTS = {
    "init_fn": _init_fn,
    "failing_init_fn": _failing_init_fn,
    "init_feed": _init_feed,
    "init_without_feed": _init_without_feed,
    "never_ready": _never_ready,
    "always_ready": _always_ready,
    "never_ready_for_local": _never_ready_for_local,
    "local_init": _local_init,
    "few_kept": _few_kept,
    "part_saved": _part_saved,
    "summary": _summary,
}

#: "plain" sets nothing; "copied" goes through `copy_from_scaffold`.
SCAFFOLD_OPTIONS = [*_ARGUMENTS, "plain", "copied"]
