"""What `check` says works in the legacy scripts did run there, and equalled TensorFlow 1.

Takes minutes: COMPAT_TEST_ALL_SCRIPTS=1 runs it.
"""

import ast
import collections
import glob
import json
import os
import pathlib
import subprocess
import sys

import pytest
from compare import run_script
from script_cases import CASES, COMPAT_RUN, SCRIPTS, with_script_path

from compat.v1 import gfile

RECORDER = pathlib.Path(__file__).parent / "line_recorder"

#: What the scripts call only where an earlier run of theirs left files.
ELSEWHERE = {"tf.gfile.DeleteRecursively"}


def test_what_only_a_second_run_needs_works(tmp_path):
    (tmp_path / "left" / "inner").mkdir(parents=True)
    gfile.DeleteRecursively(str(tmp_path / "left"))
    assert not (tmp_path / "left").exists()


def executed_lines(directory):
    lines = collections.defaultdict(set)
    for path in glob.glob(str(directory / "*.json")):
        with open(path) as stream:
            for script, seen in json.load(stream).items():
                lines[script] |= set(seen)
    return lines


def spans(path):
    """For each line of a script, the lines of the innermost statement that it is part of."""
    found = {}

    def visit(node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.ExceptHandler)):
                first = min(
                    [child.lineno, *[d.lineno for d in getattr(child, "decorator_list", [])]]
                )
                body = getattr(child, "body", None)
                last = body[0].lineno - 1 if body else child.end_lineno
                for line in range(first, max(first, last) + 1):
                    found[line] = range(first, max(first, last) + 1)
            visit(child)

    visit(ast.parse(pathlib.Path(path).read_text()))
    return found


@pytest.mark.skipif(
    not os.environ.get("COMPAT_TEST_ALL_SCRIPTS"), reason="takes minutes; COMPAT_TEST_ALL_SCRIPTS=1"
)
def test_each_symbol_that_works_was_executed(tmp_path, monkeypatch):
    (tmp_path / "lines").mkdir()
    monkeypatch.setenv("COMPAT_TEST_LINES", os.pathsep.join([SCRIPTS, str(tmp_path / "lines")]))
    monkeypatch.setenv("PYTHONPATH", str(RECORDER))
    for name, runs in CASES.items():
        (tmp_path / name).mkdir()
        for argv in runs:
            run_script(COMPAT_RUN, with_script_path(argv), tmp_path / name)
    lines = executed_lines(tmp_path / "lines")
    check = subprocess.run(
        [sys.executable, "-m", "compat", "check", "--format", "json", *sorted(lines)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ""},
    )
    uses = [f for f in json.loads(check.stdout)["findings"] if f["status"] == "works"]
    around = {path: spans(path) for path in {use["path"] for use in uses}}
    ran, not_run = set(), collections.defaultdict(list)
    for use in uses:
        path, line = use["path"], use["line"]
        if lines[path].isdisjoint(around[path].get(line, [line])):
            not_run[use["symbol"]].append(f"{os.path.relpath(path, SCRIPTS)}:{line}")
        else:
            ran.add(use["symbol"])
    assert len(ran) > 200
    assert {s: at for s, at in not_run.items() if s not in ran | ELSEWHERE} == {}
