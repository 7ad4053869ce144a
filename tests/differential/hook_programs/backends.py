"""The two sides: TensorFlow's own v1 sessions and hooks, and the product's."""

from __future__ import annotations

import tensorflow as tf


class Backend:
    """A namespace of sessions and hooks under the names of `tf.compat.v1.train`."""

    def __init__(self, name, *modules):
        """Looks names up in the modules, the first that has one wins."""
        self.name = name
        self._modules = modules

    def __getattr__(self, name):
        for module in self._modules:
            if hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(f"{self.name} has no {name}")


def oracle():
    """TensorFlow's own classes."""
    return Backend("tensorflow", tf.compat.v1.train, tf.compat.v1)


def subject():
    """The product's classes."""
    import compat

    return Backend("compat", compat)


def altered():
    """TensorFlow's own classes with one fault: hooks are called from the last to the first."""
    made = oracle()
    session = made.SingularMonitoredSession
    made.SingularMonitoredSession = lambda hooks=None, **arguments: session(
        hooks=list(reversed(hooks or [])), **arguments
    )
    return made


BACKENDS = {"tensorflow": oracle, "compat": subject, "altered": altered}
