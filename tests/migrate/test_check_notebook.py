"""Notebooks are handled like scripts: all cells are one module, and keep their layout."""

import json

import pytest

from compat.migrate.check import check
from compat.migrate.source.notebook import Notebook, NotebookError


def notebook(*cells, **style):
    content = {
        "cells": [
            {
                "cell_type": "markdown" if text.startswith("#!md") else "code",
                "metadata": {},
                "source": text.splitlines(keepends=True),
                **({} if text.startswith("#!md") else {"outputs": [], "execution_count": None}),
            }
            for text in cells
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    style = {"indent": 1, "ensure_ascii": False, **style}
    return json.dumps(content, **style) + "\n"


def test_cells_are_joined_and_markdown_is_left_out():
    book = Notebook(notebook("a = 1", "#!md # text", "b = 2\nc = 3"))
    lines = [line for line in book.source.splitlines() if not line.startswith("# ----")]
    assert lines == ["a = 1", "b = 2", "c = 3"]


@pytest.mark.parametrize(
    "style",
    [
        {"indent": 2},
        {"indent": None},
        {"ensure_ascii": True},
        {"indent": None, "separators": (",", ":")},
    ],
)
def test_an_unchanged_notebook_is_the_same_text(style):
    text = notebook("a = 'ä'", "b", **style)
    book = Notebook(text)
    assert book.with_source(book.source) == text


@pytest.mark.parametrize(
    "style",
    [
        {"indent": 2},
        {"indent": None},
        {"ensure_ascii": True},
        {"indent": None, "separators": (",", ":")},
    ],
)
def test_only_the_changed_cell_changes(style):
    text = notebook("a = 'ä'", "b = 2", "c", **style)
    book = Notebook(text)
    assert book.with_source(book.source.replace("b = 2", "b = 3")) == text.replace("b = 2", "b = 3")


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "!pip install tensorflow",
        "tf.Session?",
        "files = !ls",
        "here = %pwd",
        "?help",
        "    %time x",
    ],
)
def test_lines_for_ipython_are_kept_and_parse(line):
    body = f"if a:\n    b\n{line}\n    c" if line.startswith(" ") else f"{line}\na = 1"
    text = notebook(body)
    book = Notebook(text)
    compile(book.source, "x", "exec")
    assert book.with_source(book.source) == text


@pytest.mark.parametrize("cell", ["x = (1\n     % 2)", 'x = """\n%d\n"""', "a = b if c else d"])
def test_cells_that_are_python_are_not_touched_by_the_masking(cell):
    assert cell in Notebook(notebook(cell)).source


def test_cells_in_other_languages_are_left_out():
    book = Notebook(notebook("%%bash\nls", "%%time\na = 1"))
    assert "ls" not in book.source
    assert "a = 1" in book.source


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"worksheets": []}', "not json"])
def test_what_is_no_notebook_is_an_error(text):
    with pytest.raises(NotebookError):
        Notebook(text)


def test_a_lost_cell_is_an_error():
    book = Notebook(notebook("a", "b"))
    with pytest.raises(NotebookError):
        book.with_source("a\n")


def test_check_names_the_cell_and_its_line(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text(
        notebook("import tensorflow as tf", "#!md text", "%time 1\n\ntf.train.Server({})")
    )
    report = check([str(path)])
    (finding,) = report.findings
    assert (finding.code, finding.cell, finding.line) == ("C401", 3, 3)
    assert finding.place.endswith("x.ipynb:cell 3:3:1")


def test_check_honours_comments_in_cells(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text(
        notebook("import tensorflow as tf", "tf.train.Server({})  # compat: ignore[C401]")
    )
    assert check([str(path)]).findings == []


def test_check_finds_hook_classes_in_cells(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text(
        notebook("import tensorflow as tf", "\nclass H(tf.train.SessionRunHook):\n    pass")
    )
    (hook,) = check([str(path)]).hooks
    assert (hook.name, hook.cell, hook.line) == ("H", 2, 2)


@pytest.mark.parametrize(
    ("text", "code"),
    [('{"cells": [', "C903"), ("", "C903"), (notebook("print 'x'"), "C902")],
    ids=["cut short", "empty", "broken cell"],
)
def test_what_cannot_be_read_is_reported_without_tensorflow_in_it_too(tmp_path, text, code):
    path = tmp_path / "x.ipynb"
    path.write_text(text)
    assert [finding.code for finding in check([str(path)]).findings] == [code]


@pytest.mark.parametrize(
    "metadata", [{"language_info": {"name": "R"}}, {"kernelspec": {"language": "julia"}}]
)
def test_a_notebook_of_another_language_has_no_python_in_it(tmp_path, metadata):
    content = json.loads(notebook("library(tensorflow)\nf <- function(x) { x }"))
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps({**content, "metadata": metadata}))
    report = check([str(path)])
    assert not report.findings


def test_a_broken_cell_is_reported(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text(notebook("import tensorflow as tf", "print 'x'"))
    report = check([str(path)])
    assert [finding.code for finding in report.findings] == ["C902"]
