"""The command line of `check`: formats, options, exit codes, start-up."""

import json
import os
import subprocess
import sys
import time

import jsonschema
import pytest

from compat.migrate import check as check_module
from compat.migrate import symbols
from compat.migrate.check import main

SCRIPT = """\
import tensorflow as tf


class H(tf.train.SessionRunHook):
    def before_run(self, run_context):
        return tf.train.SessionRunArgs("acc:0")


x = tf.constant(1)
with tf.Session() as sess:
    sess.run(tf.contrib.slim.conv2d(x))
tf.train.Server({})
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    return "train.py"


def write(path, text):
    path.write_text("import tensorflow as tf\n" + text)
    return str(path)


@pytest.mark.parametrize(
    "text, options, code",
    [
        ("tf.constant(1)\n", [], 0),
        ("tf.Session()\n", [], 0),
        ("tf.Session()\n", ["--fail-on", "differs"], 1),
        ("tf.tpu.rewrite(1)\n", [], 1),
        ("tf.tpu.rewrite(1)\n", ["--fail-on", "unsupported"], 0),
        ("tf.train.Server({})\n", ["--fail-on", "unsupported"], 1),
        ("tf.train.Server({})\n", ["--fail-on", "never"], 0),
        ("tf.train.Server({})\n", ["--ignore", "C4"], 0),
        ("tf.train.Server({})\n", ["--ignore", "C403,C401"], 0),
        ("tf.train.Server({})\n", ["--select", "C1"], 0),
        ("tf.train.Server({})\n", ["--select", "C401"], 1),
        ("tf.train.Server({})  # compat: ignore[C401]\n", [], 0),
        ("print 'x'\n", ["--fail-on", "never"], 2),
    ],
)
def test_exit_code(tmp_path, capsys, text, options, code):
    assert main([write(tmp_path / "x.py", text), *options]) == code


def test_exit_code_2_for_a_missing_path(capsys):
    assert main(["no/such/path"]) == 2
    assert "no/such/path" in capsys.readouterr().err


def test_exit_code_2_without_paths(capsys):
    assert main([]) == 2


def test_exit_code_2_for_an_unknown_rule(script, capsys):
    with pytest.raises(SystemExit) as caught:
        main([script, "--select", "C777"])
    assert caught.value.code == 2
    assert "C777" in capsys.readouterr().err


def test_an_empty_folder_is_fine(tmp_path, capsys):
    assert main([str(tmp_path)]) == 0
    assert "0 files checked" in capsys.readouterr().out


def test_text_has_a_line_for_every_problem_and_every_symbol(script, capsys):
    main([script])
    out = capsys.readouterr().out
    assert "10:6     C201 [works, behaves differently] tf.Session" in out
    assert "12:1     C401 [not supported] tf.train.Server" in out
    assert "use tf.distribute" in out
    assert "tf.constant (9)" in out
    assert "train.py:4  C501 H (tf.train.SessionRunHook): before_run" in out
    assert "Keras fit: with changes" in out
    assert "2  uses of 2 symbols: not supported" in out


def test_json_has_every_finding(script, capsys):
    main([script, "--format", "json"])
    content = json.loads(capsys.readouterr().out)
    assert content["counts"]["unsupported"] == 2
    found = {(f["line"], f["code"], f["status"], f["symbol"]) for f in content["findings"]}
    assert found == {
        (4, "C102", "works", "tf.train.SessionRunHook"),
        (6, "C102", "works", "tf.train.SessionRunArgs"),
        (9, "C101", "works", "tf.constant"),
        (10, "C201", "differs", "tf.Session"),
        (11, "C403", "unsupported", "tf.contrib.slim.conv2d"),
        (12, "C401", "unsupported", "tf.train.Server"),
    }
    (hook,) = content["hooks"]
    assert hook["surfaces"]["graph session"] == {"answer": "yes", "reasons": []}
    assert hook["surfaces"]["Keras fit"]["answer"] == "with changes"


# The parts of the SARIF 2.1.0 schema that code hosts insist on.
SARIF = {
    "type": "object",
    "required": ["version", "runs", "$schema"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name", "rules"],
                                "properties": {
                                    "rules": {"items": {"required": ["id", "shortDescription"]}}
                                },
                            }
                        },
                    },
                    "results": {
                        "items": {
                            "required": ["ruleId", "ruleIndex", "level", "kind", "message"],
                            "properties": {
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "kind": {"enum": ["pass", "fail", "informational"]},
                                "message": {"required": ["text"]},
                                "locations": {
                                    "minItems": 1,
                                    "items": {
                                        "properties": {
                                            "physicalLocation": {
                                                "required": ["artifactLocation", "region"],
                                                "properties": {
                                                    "region": {
                                                        "properties": {
                                                            "startLine": {
                                                                "type": "integer",
                                                                "minimum": 1,
                                                            }
                                                        }
                                                    }
                                                },
                                            }
                                        }
                                    },
                                },
                            },
                        }
                    },
                },
            },
        },
    },
}


def test_sarif_is_what_code_hosts_read(script, capsys):
    main([script, "--format", "sarif"])
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SARIF)
    run = content["runs"][0]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        # A level other than none belongs to failures alone.
        assert (result["level"] == "none") == (result["kind"] != "fail")
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri == "train.py"


def test_markdown_is_made_of_tables(script, capsys):
    main([script, "--format", "markdown"])
    out = capsys.readouterr().out
    assert "| works unchanged | 3 | 3 |" in out
    assert "## Not supported" in out
    for block in out.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({row.replace("\\|", "").count("|") for row in rows}) <= 1


def test_output_goes_to_a_file(script, tmp_path, capsys):
    main([script, "--format", "json", "--output", "report.json"])
    assert capsys.readouterr().out == ""
    assert json.loads((tmp_path / "report.json").read_text())["files"] == 1


def test_output_that_cannot_be_written_is_an_error_of_its_own(script, capsys):
    assert main([script, "--output", "no/such/folder/report.json"]) == 2
    assert "no/such/folder/report.json" in capsys.readouterr().err


def test_rules_are_listed(capsys):
    assert main(["--rules"]) == 0
    out = capsys.readouterr().out
    assert all(code in out for code in symbols.RULES)


def test_excluded_files_are_not_read(script, tmp_path, capsys):
    (tmp_path / "bad.py").write_text("print 'x'\n")
    assert main([".", "--exclude", "bad.py", "--fail-on", "never"]) == 0


def run_command(*arguments, cwd):
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=os.environ)


def test_tensorflow_is_not_loaded(script, tmp_path):
    program = (
        "import sys; from compat.__main__ import main; code = main(['check', 'train.py']); "
        "heavy = [m for m in ('tensorflow', 'keras', 'tf_keras', 'numpy') if m in sys.modules]; "
        "assert code == 1 and not heavy, heavy"
    )
    done = run_command("-c", program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_it_starts_in_well_under_a_second(script, tmp_path):
    # CPU time of the process, so that a busy machine does not decide the test.
    program = (
        "import time; from compat.__main__ import main; main(['check', 'train.py']); "
        "import sys; sys.exit(0 if time.process_time() < 1.0 else 3)"
    )
    assert run_command("-c", program, cwd=tmp_path).returncode == 0


def test_the_module_runs_as_a_command(script, tmp_path):
    done = run_command("-m", "compat", "check", "train.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "tf.train.Server" in done.stdout
    assert done.stderr == ""


def test_no_progress_off_a_terminal(tmp_path, capsys):
    for number in range(250):
        write(tmp_path / f"m{number}.py", "tf.constant(1)\n")
    began = time.process_time()
    assert main([str(tmp_path), "--jobs", "1"]) == 0
    assert capsys.readouterr().err == ""
    assert time.process_time() - began < 20


def test_a_terminal_sees_progress(tmp_path, monkeypatch):
    shown = []

    def track(items, **options):
        shown.append(options["total"])
        yield from items

    monkeypatch.setattr("rich.progress.track", track)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    for number in range(200):
        write(tmp_path / f"m{number}.py", "tf.constant(1)\n")
    check_module.check([str(tmp_path)], jobs=1, quiet=False)
    check_module.check([str(tmp_path)], jobs=1, quiet=True)
    assert shown == [200]
