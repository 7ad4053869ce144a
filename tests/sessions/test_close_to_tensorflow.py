"""Public attributes and classes of sessions, held against `tf.compat.v1.train` itself."""

import inspect

import pytest
import tensorflow as tf

import compat

train = tf.compat.v1.train

CLASSES = [
    "ChiefSessionCreator",
    "MonitoredSession",
    "Scaffold",
    "SessionManager",
    "SingularMonitoredSession",
    "WorkerSessionCreator",
]
HOOKS = [
    "CheckpointSaverHook",
    "FeedFnHook",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "LoggingTensorHook",
    "NanTensorHook",
    "ProfilerHook",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
]


def _positional(function):
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]


@pytest.mark.parametrize("name", [*CLASSES, *HOOKS, "MonitoredTrainingSession"])
def test_arguments_in_order(name):
    assert _positional(getattr(compat, name)) == _positional(getattr(train, name))


@pytest.mark.parametrize("name", [*CLASSES, *HOOKS])
def test_public_members(name):
    ours, theirs = getattr(compat, name), getattr(train, name)
    missing = [member for member in dir(theirs) if not member.startswith("_")]
    assert [member for member in missing if not hasattr(ours, member)] == []


@pytest.mark.parametrize("name", HOOKS)
def test_hooks_are_tensorflows_own(name):
    assert issubclass(getattr(compat, name), getattr(train, name))
    assert issubclass(getattr(compat, name), compat.SessionRunHook)


def test_step_context():
    assert compat.MonitoredSession.StepContext is train.MonitoredSession.StepContext
