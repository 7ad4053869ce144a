"""What `import tensorflow` means to a legacy script: the drop-in namespace.

Only the script and the modules of its own code base see it; libraries that are
installed get the real TensorFlow. Their code is not changed: each of their modules gets
an `__import__` of its own, so imports inside functions count too, and line numbers stay.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Sequence
from typing import Any

#: Top-level packages that a legacy script gets the drop-in namespace for.
_TENSORFLOW = "tensorflow"
_ESTIMATOR = "tensorflow_estimator"

#: What a code base's own package named `compat` is called while it runs.
LOCAL_COMPAT = "_local_compat"


def has_own_compat(root: str) -> bool:
    """Whether a code base has a top-level module or package called `compat` of its own."""
    own = importlib.machinery.PathFinder.find_spec("compat", [root])
    return own is not None and own.origin != sys.modules["compat"].__file__


class ScriptImports:
    """Gives the modules of one code base their own view of TensorFlow."""

    def __init__(self, root: str, tf1: bool):
        """Prepares a code base.

        Args:
          root: Its folder; every module found below it belongs to it.
          tf1: Whether plain `tensorflow` is TF1. If not, it is the installed TensorFlow
            and only its `compat.v1` is replaced.
        """
        self.root = os.path.realpath(root)
        self.tf1 = tf1
        self.builtins = dict(vars(builtins))
        self.builtins["__import__"] = self._import
        self._has_own_compat = has_own_compat(self.root)
        self._importlib = _Importlib(self)

    def install(self) -> None:
        """Makes modules of the code base load with this view."""
        sys.meta_path.insert(0, _LocalFinder(self))

    def owns(self, path: str | None) -> bool:
        """Whether a source file belongs to the code base."""
        if not path:
            return False
        real = os.path.realpath(path)
        inside = os.path.commonpath([real, self.root]) == self.root
        return inside and "site-packages" not in os.path.relpath(real, self.root).split(os.sep)

    def _import(
        self,
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> Any:
        top = name.partition(".")[0]
        if level == 0 and top in (_TENSORFLOW, _ESTIMATOR):
            module = self._tensorflow(name)
            if module is not None:
                if not fromlist:
                    return self._tensorflow(top)
                return _complete(module, name, fromlist)
        if level == 0 and (name == "importlib" or (top == "importlib" and not fromlist)):
            builtins.__import__(name)
            return self._importlib
        if level == 0 and top == "compat" and self._has_own_compat:
            renamed = LOCAL_COMPAT + name.removeprefix("compat")
            module = builtins.__import__(renamed, globals, locals, fromlist, 0)
            return module
        return builtins.__import__(name, globals, locals, fromlist, level)

    def import_module(self, name: str, package: str | None = None) -> Any:
        """What `importlib.import_module` gives; arguments and errors are the same."""
        if name.partition(".")[0] in (_TENSORFLOW, _ESTIMATOR):
            return self._tensorflow(name)
        if name.partition(".")[0] == "compat" and self._has_own_compat:
            name = LOCAL_COMPAT + name.removeprefix("compat")
        return importlib.import_module(name, package)

    def _tensorflow(self, name: str) -> Any:
        """The drop-in module for a dotted name; None leaves it to the normal import."""
        from compat.v1 import paths

        return paths.module_for(name, self.tf1)


def _complete(module: Any, name: str, fromlist: Sequence[str]) -> Any:
    """A module that surely has the names of a `from … import`, or the usual ImportError."""
    for wanted in fromlist:
        if wanted == "*":
            continue
        try:
            getattr(module, wanted)
        except AttributeError as error:
            raise ImportError(f"cannot import name {wanted!r} from {name!r}: {error}") from None
    return module


class _Importlib(types.ModuleType):
    """The code base's `importlib`, for modules that are imported by a string."""

    def __init__(self, imports: ScriptImports):
        super().__init__("importlib", importlib.__doc__)
        self.import_module = imports.import_module

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib, name)

    def __dir__(self) -> list[str]:
        return dir(importlib)


class _LocalFinder(importlib.abc.MetaPathFinder):
    """Finds the code base's modules and gives them its builtins."""

    def __init__(self, imports: ScriptImports):
        self._imports = imports

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname == LOCAL_COMPAT:
            spec = importlib.machinery.PathFinder.find_spec("compat", [self._imports.root])
            if spec is not None and spec.origin:
                spec = importlib.util.spec_from_file_location(
                    LOCAL_COMPAT,
                    spec.origin,
                    submodule_search_locations=spec.submodule_search_locations,
                )
        else:
            # A code base's own top-level modules come before installed ones, as in a script.
            spec = importlib.machinery.PathFinder.find_spec(fullname, path or [self._imports.root])
        if spec is None or not self._imports.owns(spec.origin) or fullname == "compat":
            return None
        if isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _LocalLoader(spec.loader.name, spec.loader.path, self._imports)
        return spec


class _LocalLoader(importlib.machinery.SourceFileLoader):
    """Loads a module with the code base's builtins."""

    def __init__(self, name: str, path: str, imports: ScriptImports):
        super().__init__(name, path)
        self._imports = imports

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__["__builtins__"] = self._imports.builtins
        super().exec_module(module)
