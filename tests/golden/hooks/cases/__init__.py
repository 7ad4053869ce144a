"""The cases: one module a hook or session, each function a row of its table."""

from __future__ import annotations

import importlib
import pkgutil

#: Name ("stop_at_step.last_step") -> (function of a bench, names of its surfaces).
CASES = {}


def case(*surfaces):
    """Registers a case; it runs on the named surfaces, or on both."""

    def register(function):
        module = function.__module__.rpartition(".")[2]
        name = module + "." + function.__name__
        CASES[name] = (function, surfaces or ("graph", "step"))
        return function

    return register


for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(__name__ + "." + _module)
