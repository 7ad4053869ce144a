"""What random hooks, listeners and step functions do besides being called.

An action is a tuple whose first item says what it is; `perform` does it and writes what
came of it into the journal.
"""

from __future__ import annotations

import dataclasses
import os

import tensorflow as tf

from . import feeds as feed_specs
from . import structures
from .errors import make_error

v1 = tf.compat.v1


@dataclasses.dataclass
class Setting:
    """What the actions of one run share."""

    backend: object
    journal: object
    clock: object
    directory: str
    vocabulary: object = None


@dataclasses.dataclass
class Here:
    """Where an action is performed: the place's name and what is at hand there."""

    place: str
    session: object = None
    run_context: object = None
    coordinator: object = None
    hook: object = None


def perform(action, setting, here):
    """Does one action.

    Args:
      action: The action.
      setting: The run's `Setting`.
      here: The place.

    Returns:
      True if the caller should return True (from a listener's `after_save`).
    """
    kind, *details = action
    return _ACTIONS[kind](setting, here, *details)


def _run(setting, here, fetches, feeds):
    result = here.session.run(
        structures.build(fetches, setting.vocabulary),
        feed_dict=feed_specs.build(feeds, setting.vocabulary) if feeds else None,
    )
    setting.journal.value(here.place + " inner run", result)


def _eval(setting, here, key):
    element = setting.vocabulary.element(key)
    if isinstance(element, tf.Operation):
        result = element.run(session=here.session)
    else:
        result = element.eval(session=here.session)
    setting.journal.value(here.place + " eval", result)


def _look(setting, here):
    graph = setting.vocabulary.graph
    session = here.session
    setting.journal.add(
        here.place + " look",
        default_graph=v1.get_default_graph() is graph,
        finalized=graph.finalized,
        default_session=v1.get_default_session() is not None,
        session_graph=session is not None and session.graph is graph,
        session_kind=isinstance(session, v1.Session),
        global_step=v1.train.get_global_step() is not None,
        eager=tf.executing_eagerly(),
    )


def _stop(setting, here):
    if here.run_context is not None:
        here.run_context.request_stop()
    elif here.coordinator is not None:
        here.coordinator.request_stop()


def _coordinator_stop(setting, here):
    here.hook.coordinator.request_stop()


def _coordinator_error(setting, here, kind):
    here.hook.coordinator.request_stop(make_error(kind, here.place + ".coordinator"))


def _raise(setting, here, kind):
    raise make_error(kind, here.place)


def _build(setting, here, key):
    setting.vocabulary.elements[key] = tf.multiply(
        setting.vocabulary.elements["scaled"], 2.0, name=key
    )


def _build_late(setting, here):
    with setting.vocabulary.graph.as_default():
        tf.constant(1.0, name="too_late")


def _clock(setting, here, seconds):
    setting.clock.advance(seconds)


def _save(setting, here, name):
    if here.session is None:
        return
    saver = v1.get_collection("savers_of_programs")[0]
    path = saver.save(here.session, os.path.join(setting.directory, name), global_step=3)
    setting.journal.value(here.place + " saved", path)


def _caught(setting, here, action):
    try:
        perform(action, setting, here)
    except Exception as error:
        setting.journal.error(here.place + " caught", error)


def _return_true(setting, here):
    return True


_ACTIONS = {
    "run": _run,
    "eval": _eval,
    "look": _look,
    "stop": _stop,
    "coordinator stop": _coordinator_stop,
    "coordinator error": _coordinator_error,
    "raise": _raise,
    "build": _build,
    "build late": _build_late,
    "clock": _clock,
    "save": _save,
    "caught": _caught,
    "return true": _return_true,
}
