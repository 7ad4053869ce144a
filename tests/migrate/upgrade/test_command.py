"""The command line of `upgrade`: diff and write, exit codes, what is never touched."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from compat.migrate import collision
from compat.migrate.upgrade import main, writing
from compat.migrate.upgrade.registry import MODES, all_fixers

CORPUS = Path(__file__).parents[1] / "corpus"
OLD = "import tensorflow as tf\ntf.constant(1)\n"
NEW = "import compat.v1 as tf\ntf.constant(1)\n"


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(OLD)
    return path


def test_the_diff_is_the_default_and_changes_nothing(script, capsys):
    assert main(["train.py"]) == 1
    shown = capsys.readouterr()
    assert "-import tensorflow as tf\n+import compat.v1 as tf\n" in shown.out
    assert "1 of 1 file would change" in shown.err
    assert script.read_text() == OLD


def test_write_changes_the_file_once(script, capsys):
    assert main(["train.py", "--write"]) == 1
    assert script.read_text() == NEW
    assert "1 of 1 file changed" in capsys.readouterr().out
    before = script.stat()
    assert main(["train.py", "--write"]) == 0
    assert script.stat().st_mtime_ns == before.st_mtime_ns


def test_the_diff_is_a_patch(script, capsys, tmp_path):
    script.write_text(OLD + "x = 'no newline at the end'")
    main(["train.py"])
    patch = capsys.readouterr().out
    done = subprocess.run(
        ["git", "apply", "-"], input=patch, text=True, cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert script.read_text() == NEW + "x = 'no newline at the end'"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", sorted(os.listdir(CORPUS / "broken")))
def test_a_file_that_is_not_python_3_stays_byte_for_byte(tmp_path, capsys, name, mode):
    path = tmp_path / name
    content = (CORPUS / "broken" / name).read_bytes()
    path.write_bytes(content)
    assert main([str(path), "--write", "--to", mode]) == 2
    assert path.read_bytes() == content
    assert "not touched:" in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"import tensorflow\nx = '\xe9'\n", b"\x00tensorflow"])
def test_an_unreadable_file_stays_byte_for_byte(tmp_path, capsys, content):
    path = tmp_path / "x.py"
    path.write_bytes(content)
    assert main([str(path), "--write"]) == 2
    assert path.read_bytes() == content


def test_a_file_whose_layout_would_be_lost_stays(tmp_path, capsys):
    path = tmp_path / "x.py"
    path.write_bytes(b"import tensorflow as tf\n\x0ctf.constant(1)\n")
    assert main([str(path), "--write"]) == 2
    assert path.read_bytes().startswith(b"import tensorflow")


def test_good_files_are_written_beside_a_bad_one(script, tmp_path, capsys):
    (tmp_path / "bad.py").write_text("import tensorflow\nprint 'x'\n")
    assert main([".", "--write"]) == 2
    assert script.read_text() == NEW


def test_exit_code_0_if_there_is_nothing_to_do(tmp_path, capsys):
    (tmp_path / "x.py").write_text("import numpy\n")
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("arguments", [[], ["no/such/path"]])
def test_exit_code_2_without_files(arguments, capsys):
    assert main(arguments) == 2


def test_diff_and_write_exclude_each_other(script, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["train.py", "--diff", "--write"])
    assert caught.value.code == 2


def test_permissions_and_links_are_kept(script, tmp_path, capsys):
    script.chmod(0o755)
    link = tmp_path / "link.py"
    link.symlink_to(script)
    main([str(link), "--write"])
    assert link.is_symlink()
    assert script.read_text() == NEW
    assert stat.S_IMODE(script.stat().st_mode) == 0o755


def test_no_other_file_is_left_behind(script, tmp_path, capsys):
    main([".", "--write"])
    assert os.listdir(tmp_path) == ["train.py"]


def test_a_write_that_fails_leaves_the_file(script, tmp_path, monkeypatch, capsys):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "replace", fail)
    assert main(["train.py", "--write"]) == 2
    assert script.read_text() == OLD
    assert os.listdir(tmp_path) == ["train.py"]
    assert "No space left" in capsys.readouterr().out


def test_line_ends_and_encodings_are_kept(tmp_path, capsys):
    path = tmp_path / "x.py"
    path.write_bytes(b"# coding: latin-1\r\nimport tensorflow as tf\r\nx = '\xe9'\r\n")
    main([str(path), "--write"])
    assert path.read_bytes() == b"# coding: latin-1\r\nimport compat.v1 as tf\r\nx = '\xe9'\r\n"


def test_json_has_edits_remarks_errors_and_the_diff(script, tmp_path, capsys):
    script.write_text(OLD + "tf.train.Server({})\n")
    (tmp_path / "bad.py").write_text("import tensorflow\nprint 'x'\n")
    assert main([".", "--format", "json"]) == 2
    content = json.loads(capsys.readouterr().out)
    bad, good = content["files"]
    assert bad["error"] == {
        "code": "C902",
        "line": 2,
        "text": "Python 2 syntax: convert the file to Python 3 first",
    }
    assert good["changed"] and good["applied"] == [{"cell": None, "line": 1, "code": "U101"}]
    assert [(item["line"], item["code"]) for item in good["left"]] == [(3, "C401")]
    assert "+import compat.v1 as tf" in good["diff"]


def test_the_report_says_what_is_left(script, capsys):
    script.write_text(OLD + "tf.train.Server({})\n")
    main(["train.py", "--write"])
    out = capsys.readouterr().out
    assert "left to you:\n  train.py:3  C401 tf.train.Server" in out


def test_select_and_ignore(script, capsys):
    assert main(["train.py", "--ignore", "U101"]) == 0
    assert main(["train.py", "--select", "U104"]) == 0
    assert main(["train.py", "--select", "U1"]) == 1


def test_fixers_are_listed_with_unique_codes(capsys):
    assert main(["--fixers"]) == 0
    out = capsys.readouterr().out
    titles = {}
    for fixer in all_fixers():
        assert titles.setdefault(fixer.code, fixer.title) == fixer.title
        assert fixer.code in out
        assert set(fixer.modes) <= set(MODES)


def test_every_fixer_has_a_test_file():
    package = Path(sys.modules[main.__module__].__file__).parent / "fixers"
    names = {path.stem for path in package.glob("*.py")} - {"__init__"}
    tests = {
        path.stem.removeprefix("test_")
        for path in (Path(__file__).parent / "fixers").glob("test_*.py")
    }
    assert names == tests


def test_a_code_base_with_a_compat_of_its_own_is_left(tmp_path, capsys):
    (tmp_path / "compat.py").write_text("x = 1\n")
    script = tmp_path / "train.py"
    script.write_text(OLD)
    assert main([str(script), "--write"]) == 0
    assert script.read_text() == OLD
    assert collision.ADVICE in capsys.readouterr().out


def notebook(*cells):
    content = {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": cell.splitlines(keepends=True),
            }
            for cell in cells
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1) + "\n"


def test_notebooks_are_upgraded_cell_by_cell(tmp_path, capsys):
    path = tmp_path / "x.ipynb"
    path.write_text(notebook("%matplotlib inline\nimport tensorflow as tf", "", "tf.mul(1, 2)"))
    assert main([str(path), "--write"]) == 1
    assert path.read_text() == notebook(
        "%matplotlib inline\nimport compat.v1 as tf", "", "tf.multiply(1, 2)"
    )
    assert main([str(path), "--write"]) == 0


def test_imports_that_are_added_go_below_the_import_of_their_cell(tmp_path, capsys):
    path = tmp_path / "x.ipynb"
    path.write_text(
        notebook("import tensorflow as tf", "class H(tf.train.SessionRunHook):\n    pass")
    )
    main([str(path), "--write", "--to", "keras"])
    assert path.read_text() == notebook(
        "import compat.v1 as tf\nimport compat", "class H(compat.SessionRunHook):\n    pass"
    )


def test_remarks_of_a_notebook_name_the_cell(tmp_path, capsys):
    path = tmp_path / "x.ipynb"
    path.write_text(notebook("import tensorflow as tf", "\ntf.train.Server({})"))
    main([str(path)])
    assert "x.ipynb:cell 2:2  C401" in capsys.readouterr().err


def test_a_notebook_that_is_none_stays(tmp_path, capsys):
    path = tmp_path / "x.ipynb"
    path.write_text("{}")
    assert main([str(path), "--write"]) == 2
    assert path.read_text() == "{}"


def test_tensorflow_is_not_loaded_and_it_starts_fast(script, tmp_path):
    program = (
        "import sys, time; from compat.__main__ import main; main(['upgrade', 'train.py']); "
        "heavy = [m for m in ('tensorflow', 'keras', 'numpy') if m in sys.modules]; "
        "assert not heavy, heavy; assert time.process_time() < 1.0, time.process_time()"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_many_files_in_several_processes(tmp_path, capsys):
    for number in range(40):
        (tmp_path / f"m{number}.py").write_text(OLD)
    assert main([str(tmp_path), "--write", "--jobs", "2"]) == 1
    assert {path.read_text() for path in tmp_path.glob("*.py")} == {NEW}
