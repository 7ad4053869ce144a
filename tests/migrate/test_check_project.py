"""Imports lead to the right file of a code base."""

import pytest

from compat.migrate import collision
from compat.migrate.check import check
from compat.migrate.source.files import discover
from compat.migrate.source.project import Modules


@pytest.fixture
def code_base(tmp_path):
    for name in (
        "train.py",
        "util.py",
        "pkg/__init__.py",
        "pkg/a.py",
        "pkg/sub/__init__.py",
        "pkg/sub/b.py",
        "lib/x.py",
        "lib/y.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path


@pytest.mark.parametrize(
    "path, importer, file, rest",
    [
        ("util", "train.py", "util.py", ""),
        ("util.X.y", "train.py", "util.py", "X.y"),
        ("pkg.a.X", "train.py", "pkg/a.py", "X"),
        ("pkg", "train.py", "pkg/__init__.py", ""),
        ("pkg.Thing", "train.py", "pkg/__init__.py", "Thing"),
        ("pkg.sub.b.X", "pkg/a.py", "pkg/sub/b.py", "X"),
        ("..a.X", "pkg/sub/b.py", "pkg/a.py", "X"),
        (".b", "pkg/sub/__init__.py", "pkg/sub/b.py", ""),
        ("..X", "pkg/sub/b.py", "pkg/__init__.py", "X"),
        ("lib.x.Y", "train.py", "lib/x.py", "Y"),
        ("x.Y", "lib/y.py", "lib/x.py", "Y"),
    ],
)
def test_find(code_base, path, importer, file, rest):
    modules = Modules(discover([str(code_base)]))
    assert modules.find(path, code_base / importer) == (code_base / file, rest)


@pytest.mark.parametrize(
    "path, importer",
    [
        ("numpy.array", "train.py"),
        ("b.X", "train.py"),
        (".nowhere", "train.py"),
        ("train", "train.py"),
    ],
)
def test_find_nothing(code_base, path, importer):
    modules = Modules(discover([str(code_base)]))
    assert modules.find(path, code_base / importer) is None


# A module named compat


def write(path, text="import tensorflow as tf\ntf.constant(1)\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def collisions(*paths):
    return [f for f in check([str(path) for path in paths]).findings if f.code == "C601"]


@pytest.mark.parametrize("own", ["compat.py", "compat/__init__.py", "compat/text.py"])
def test_a_compat_module_beside_a_script_is_in_the_way(tmp_path, own):
    write(tmp_path / own, "x = 1\n")
    script = write(tmp_path / "train.py")
    (finding,) = collisions(tmp_path)
    assert finding.path == script
    assert finding.note == collision.ADVICE
    assert "tf-compat run" in finding.message


def test_it_is_seen_even_if_only_the_script_is_checked(tmp_path):
    write(tmp_path / "compat.py", "x = 1\n")
    assert len(collisions(write(tmp_path / "train.py"))) == 1


def test_a_compat_module_beside_the_package_is_in_the_way(tmp_path):
    write(tmp_path / "compat.py", "x = 1\n")
    write(tmp_path / "pkg" / "__init__.py", "")
    assert len(collisions(write(tmp_path / "pkg" / "model.py"))) == 1


def test_a_compat_module_inside_a_package_is_not_in_the_way(tmp_path):
    write(tmp_path / "pkg" / "__init__.py", "")
    write(tmp_path / "pkg" / "compat.py", "x = 1\n")
    write(tmp_path / "pkg" / "model.py")
    assert collisions(tmp_path) == []


def test_a_module_in_the_way_is_reported_once(tmp_path):
    write(tmp_path / "compat.py", "x = 1\n")
    write(tmp_path / "a.py")
    write(tmp_path / "b.py")
    assert len(collisions(tmp_path)) == 1


def test_code_without_tensorflow_has_nothing_to_collide(tmp_path):
    write(tmp_path / "compat.py", "x = 1\n")
    write(tmp_path / "a.py", "import compat\n")
    assert collisions(tmp_path) == []


def test_this_package_is_not_in_its_own_way():
    root = collision.Path(collision.__file__).parents[2]
    assert collision.in_the_way(root / "script.py") is None
