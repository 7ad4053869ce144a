"""`python -m compat run SCRIPT`: an unmodified TF1 script or notebook on eager TensorFlow 2."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import sys
import traceback
import types

from compat.migrate.code import compiled, python_source
from compat.migrate.imports import has_own_compat
from compat.migrate.script import Script

_PROGRAM = "python -m compat run"


def main(argv: list[str]) -> int:
    """Runs a script or module whose `import tensorflow` means TF1.

    Args:
      argv: Options, the script (or `-m` and a module), and the script's own arguments.

    Returns:
      0 if the script ended normally; 2 if it could not be started.

    Raises:
      SystemExit: The script ended itself.
    """
    parser = argparse.ArgumentParser(prog=_PROGRAM, description=__doc__)
    style = parser.add_mutually_exclusive_group()
    style.add_argument(
        "--tf1", action="store_true", help="`import tensorflow` is TF1 (the default for TF1 code)"
    )
    style.add_argument(
        "--v1",
        action="store_true",
        help="`import tensorflow` is TF2 and only its compat.v1 is replaced",
    )
    parser.add_argument("-m", action="store_true", dest="module", help="run a module by its name")
    parser.add_argument("script", help="path of a script or notebook, or a module's name after -m")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own arguments")
    options = parser.parse_args(argv)

    if options.module:
        sys.path.insert(0, os.getcwd())
        path = _module_path(options.script)
        sys.path.pop(0)
    else:
        path = options.script
        if os.path.isdir(path):
            path = os.path.join(path, "__main__.py")
    if path is None or not os.path.isfile(path):
        print(f"{_PROGRAM}: can't find {options.script!r}; give a script's path", file=sys.stderr)
        return 2

    try:
        code = compiled(os.path.abspath(path))
        text = python_source(path)
    except SyntaxError as error:
        print(f"{_PROGRAM}: {error.filename}:{error.lineno}: {error.msg}", file=sys.stderr)
        print("Python 2 code? Convert it to Python 3 first.", file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        print(f"{_PROGRAM}: {path}: {error}", file=sys.stderr)
        return 2

    root = os.getcwd() if options.module else os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, root)
    if has_own_compat(root):
        # Child processes look this package up again and must not find the other one.
        sys.path.insert(0, os.path.dirname(os.path.dirname(sys.modules["compat"].__file__ or "")))
    sys.argv = [path, *options.arguments]
    script = Script(
        path=os.path.abspath(path),
        module=options.script if options.module else None,
        root=root,
        tf1=options.tf1 or (not options.v1 and not _is_tf2_style(text)),
    )
    main_module = types.ModuleType("__main__")
    sys.modules["__main__"] = main_module
    try:
        script.execute(main_module.__dict__, code)
    except SystemExit:
        raise
    except BaseException as error:
        _report(error, script.path)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _report(error: BaseException, path: str) -> None:
    """Shows an error as Python would have: from the script's own first line on."""
    trace = error.__traceback__
    # The cells of a notebook are named after it.
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(path):
        trace = trace.tb_next
    shown = error.with_traceback(trace or error.__traceback__)
    if sys.excepthook is sys.__excepthook__:
        traceback.print_exception(shown)  # Which finds the lines of a notebook's cells, too.
    else:
        sys.excepthook(type(shown), shown, shown.__traceback__)


def _is_tf2_style(text: str) -> bool:
    """Whether a script uses TensorFlow 2 as `tf` and TF1 only as `tf.compat.v1`."""
    return bool(
        re.search(r"^\s*import tensorflow as \w+\s*$", text, re.MULTILINE)
        and re.search(r"\b\w+\.compat\.v1\b", text)
    )


def _module_path(name: str) -> str | None:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except ModuleNotFoundError:
        return None
    return spec.origin if spec else None
