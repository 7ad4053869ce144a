"""The package as a whole: light to import, complete, and private names in one place."""

from __future__ import annotations

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
    assert getattr(compat, name).__doc__
    assert name in dir(compat)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        compat.no_such_name  # noqa: B018


def test_private_tensorflow_names_stand_in_one_module():
    users = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if re.search(r"^\s*(from|import) +tensorflow\.(python|core|tsl)", path.read_text(), re.M)
    }
    assert users == {"_tf.py"}


@pytest.mark.parametrize("arguments, code", [(["--help"], 0), ([], 2), (["nonsense"], 2)])
def test_command_line(arguments, code):
    run = subprocess.run(
        [sys.executable, "-m", "compat", *arguments], capture_output=True, text=True, check=False
    )
    assert run.returncode == code
    assert "usage" in run.stdout + run.stderr
