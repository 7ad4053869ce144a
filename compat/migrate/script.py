"""A legacy script as it is executed: in this process, and in processes that it starts."""

from __future__ import annotations

import dataclasses
import importlib.machinery
import json
import os
import types
from typing import Any

from compat.migrate.code import NOTEBOOK, compiled
from compat.migrate.imports import ScriptImports

#: Tells child processes, which start as new interpreters, what their main module is.
_ENVIRONMENT = "COMPAT_RUN_SCRIPT"
_CHILD = "compat.migrate.child"


@dataclasses.dataclass(frozen=True)
class Script:
    """What is run, and how.

    Attributes:
      path: The source file.
      module: The module's dotted name, if it is run by name.
      root: The folder of the code base.
      tf1: Whether plain `tensorflow` is TF1.
    """

    path: str
    module: str | None
    root: str
    tf1: bool

    def execute(self, namespace: dict[str, Any], code: list[types.CodeType] | None = None) -> None:
        """Runs the script in a module's namespace.

        Args:
          namespace: The module's dict; `__name__` is there already.
          code: The compiled source, in parts; compiled from `path` if None.

        Raises:
          Exception: Whatever the script raises.
        """
        from compat.v1 import graph_mode

        if code is None:
            code = compiled(self.path)
        imports = ScriptImports(self.root, self.tf1)
        imports.install()
        os.environ[_ENVIRONMENT] = json.dumps(dataclasses.asdict(self))
        namespace["__file__"] = self.path
        namespace["__package__"] = self.module.rpartition(".")[0] if self.module else None
        namespace["__builtins__"] = imports.builtins
        # multiprocessing starts a child with this module instead of the bare script.
        namespace["__spec__"] = importlib.machinery.ModuleSpec(_CHILD, None)
        if self.tf1:
            graph_mode.enter()
        if self.path.endswith(NOTEBOOK):
            namespace.setdefault("display", print)  # What IPython puts into each notebook.
        for part in code:
            exec(part, namespace)

    @classmethod
    def of_parent(cls) -> Script:
        """The script that the parent process runs."""
        return cls(**json.loads(os.environ[_ENVIRONMENT]))
