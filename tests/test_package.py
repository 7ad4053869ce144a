"""The package as a whole: light to import, complete, and private names in one place."""

from __future__ import annotations

import ast
import pathlib
import re
import subprocess
import sys

import pytest

import compat

SOURCES = pathlib.Path(compat.__file__).parent


def test_importing_it_loads_neither_tensorflow_nor_keras():
    code = (
        "import sys, compat, compat.__main__;"
        "assert not {'tensorflow', 'keras', 'tf_keras'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", compat._HOMES)
def test_every_public_name_resolves(name):
    value = getattr(compat, name)
    assert value.__doc__ or issubclass(value, Exception)
    assert name in dir(compat)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        compat.no_such_name  # noqa: B018


def test_private_tensorflow_names_stand_in_one_module():
    users = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        for module in _imported(path)
        if re.match(r"tensorflow\.(python|core|tsl|lite|compiler)\b", module)
    }
    assert users == {"_tf.py"}


def _imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("arguments, code", [(["--help"], 0), ([], 2), (["nonsense"], 2)])
def test_command_line(arguments, code):
    run = subprocess.run(
        [sys.executable, "-m", "compat", *arguments], capture_output=True, text=True, check=False
    )
    assert run.returncode == code
    assert "usage" in run.stdout + run.stderr
