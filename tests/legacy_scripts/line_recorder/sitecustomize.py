"""On the path of a script's interpreter: notes which lines of the scripts ran."""

import atexit
import json
import os
import sys
import threading

_scripts, _directory = os.environ["COMPAT_TEST_LINES"].split(os.pathsep)
_lines = {}


def _on_call(frame, event, argument):
    path = frame.f_code.co_filename
    if not path.startswith(_scripts):
        return None
    seen = _lines.setdefault(path, set())
    seen.add(frame.f_lineno)

    def on_line(frame, event, argument):
        seen.add(frame.f_lineno)
        return on_line

    return on_line


def _write():
    with open(os.path.join(_directory, f"{os.getpid()}.json"), "w") as stream:
        json.dump({path: sorted(lines) for path, lines in _lines.items()}, stream)


atexit.register(_write)
threading.settrace(_on_call)
sys.settrace(_on_call)
