"""Files are read exactly, and what is not Python 3 is described."""

import sys
from pathlib import Path

import libcst as cst
import pytest

from compat.migrate.source.files import MissingPath, discover
from compat.migrate.source.ignores import Ignores
from compat.migrate.source.positions import Positions
from compat.migrate.source.reading import Source, SourceError
from compat.migrate.source.tree import descendants


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x = 1",
        b"x = 1\n",
        b"x = 1\r\ny = 2\r\n",
        b"\xef\xbb\xbfx = 1\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        "x = 'ä€'\n".encode(),
        b"if x:\n\ty = 1\n",
        b"match x:\n    case 1:\n        pass\n",
        b"x = " + b" + ".join([b"1"] * 1500) + b"\n",
    ],
)
def test_what_is_read_is_written_back_byte_for_byte(content):
    source = Source(Path("x.py"), content)
    assert source.with_module(source.module) == content


@pytest.mark.parametrize(
    "text, code, line",
    [
        ("print 'x'\n", "C902", 1),
        ("import os\nprint x\n", "C902", 2),
        ("print >>f, x\n", "C902", 1),
        ("try:\n    pass\nexcept E, e:\n    pass\n", "C902", 3),
        ("raise E, 'x'\n", "C902", 1),
        ("exec 'x' in d\n", "C902", 1),
        ("x = 0777\n", "C902", 1),
        ("x = 10L\n", "C902", 1),
        ("x = `y`\n", "C902", 1),
        ("a <> b\n", "C902", 1),
        ("x = ur'y'\n", "C902", 1),
        ("def f(a, (b, c)):\n    pass\n", "C902", 1),
        ("x = (\n", "C901", 1),
        ("def f(:\n    pass\n", "C901", 2),
        ("x = 1\n  y = 2\n", "C901", 2),
    ],
)
def test_what_is_not_python_3_is_described(text, code, line):
    with pytest.raises(SourceError) as caught:
        Source(Path("x.py"), text.encode())
    assert (caught.value.code, caught.value.line) == (code, line)


@pytest.mark.parametrize(
    "text",
    [
        '"""\nprint >>f, x\ntry: pass\nexcept E, e: pass\n"""\n',
        "print(1 >> 2)\n",
        "try:\n    pass\nexcept (E, e):\n    pass\n",
    ],
)
def test_what_only_looks_like_python_2_is_read(text):
    Source(Path("x.py"), text.encode())


@pytest.mark.parametrize("content", [b"x = '\xe9'\n", b"# coding: no-such-code\nx = 1\n"])
def test_unknown_encodings_are_unreadable(content):
    with pytest.raises(SourceError) as caught:
        Source(Path("x.py"), content)
    assert caught.value.code == "C903"


def test_a_layout_that_would_not_be_kept_is_not_written():
    source = Source(Path("x.py"), b"x = 1\n\x0cy = 2\n")
    with pytest.raises(SourceError, match="layout"):
        source.with_module(source.module)


def test_a_file_that_cannot_be_opened_is_unreadable(tmp_path):
    with pytest.raises(SourceError) as caught:
        Source(tmp_path / "gone.py")
    assert caught.value.code == "C903"


# Positions and comments


def names_in(module):
    return [node for node in descendants(module) if isinstance(node, cst.Name)]


@pytest.mark.parametrize(
    "text",
    [
        "a = b\n",
        "# c\n\n\na = b  # d\n\nif a:\n    b = (\n        c,\n        d)\n",
        "x = '''\n\n'''\na\n",
        "a \\\n  = b\n",
        "@a\n# c\ndef f(b, c=1):\n    return d\n",
        "class A(B):\n\tx = y\n",
        "x = [\r\n  a,\r\n]\r\nb\r\n",
        "a; b; c\n",
    ],
)
def test_positions_are_those_of_libcst(text):
    module = cst.parse_module(text)
    wrapper = cst.MetadataWrapper(module, unsafe_skip_copy=True)
    expected = wrapper.resolve(cst.metadata.PositionProvider)
    positions = Positions(module, names_in(module))
    for node in names_in(module):
        start = expected[node].start
        assert positions[node] == (start.line, start.column + 1)


@pytest.mark.parametrize(
    "text, code, line, silenced",
    [
        ("x  # compat: ignore\n", "C401", 1, True),
        ("x  # compat: ignore[C401]\n", "C401", 1, True),
        ("x  # compat: ignore[C4]\n", "C401", 1, True),
        ("x  # compat: ignore[C401, C403]\n", "C403", 1, True),
        ("x  # compat: ignore[C402]\n", "C401", 1, False),
        ("x  #compat:ignore[C401]\n", "C401", 1, True),
        ("x\ny  # compat: ignore\n", "C401", 1, False),
        ("# compat: ignore[C401]\nx\n", "C401", 2, True),
        ("# compat: ignore[C401]\nx\ny\n", "C401", 3, False),
        ("if x:\n    # compat: ignore[C401]\n    y\n", "C401", 3, True),
        ("x\n# compat: ignore-file[C401]\n", "C401", 1, True),
        ("x\n# compat: ignore-file\n", "C101", 1, True),
        ("x\n# compat: ignore-file[C402]\n", "C401", 1, False),
        ("x = '# compat: ignore'\n", "C401", 1, False),
    ],
)
def test_ignore_comments(text, code, line, silenced):
    comments = Positions(cst.parse_module(text), ()).comments
    assert Ignores(comments).silences(code, line) is silenced


# Finding files


@pytest.fixture
def tree(tmp_path):
    for name in (
        "a.py",
        "b.ipynb",
        "c.txt",
        "script",
        "pkg/d.py",
        ".hidden/e.py",
        "venv/f.py",
        "__pycache__/g.py",
        "lib/site-packages/h.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "venv" / "pyvenv.cfg").write_text("")
    return tmp_path


def test_folders_are_searched_for_sources_and_notebooks(tree):
    found = {path.relative_to(tree).as_posix() for path in discover([str(tree)])}
    assert found == {"a.py", "b.ipynb", "pkg/d.py"}


def test_files_named_directly_are_taken_whatever_their_name(tree):
    assert discover([str(tree / "script"), str(tree / "script")]) == [tree / "script"]


@pytest.mark.parametrize("pattern", ["pkg", "pkg/*", "d.py", "*/pkg/d.py"])
def test_excluded_files_are_left_out(tree, pattern):
    found = {path.name for path in discover([str(tree)], [pattern])}
    assert found == {"a.py", "b.ipynb"}


def test_a_missing_path_is_an_error(tree):
    with pytest.raises(MissingPath, match="nowhere"):
        discover([str(tree / "nowhere")])


def test_reading_raises_the_recursion_limit_for_deep_trees():
    Source(Path("x.py"), b"x = " + b"(" * 60 + b"1" + b")" * 60 + b"\n")
    assert sys.getrecursionlimit() >= 10_000
