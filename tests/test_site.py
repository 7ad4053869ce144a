"""The guide as a site: its strict build, the reference, the compatibility table."""

from __future__ import annotations

import html
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import compat
from compat.__main__ import COMMANDS
from compat.migrate import elsewhere, lookup

ROOT = pathlib.Path(__file__).parent.parent
GUIDE = ROOT / "migration_guide"
PUBLIC = compat.__all__[1:]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Builds the site; a link that leads nowhere, or a page in no menu, is an error."""
    directory = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(directory)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr[-4000:]
    return directory


def page(site, name):
    return (site / name / "index.html").read_text("utf-8")


def test_nothing_is_loaded_from_elsewhere(site):
    for path in site.rglob("*.html"):
        for tag in re.findall(r"<(?:script|link|img)\b[^>]*>", path.read_text("utf-8")):
            assert not re.search(r"""(src|href)=["']?(https?:)?//""", tag), (path, tag)


def test_notebooks_are_shown_with_their_outputs(site):
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        assert "jp-OutputArea-output" in page(site, f"notebooks/{notebook.stem}"), notebook


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_in_the_reference(site, name):
    pages = "".join(path.read_text("utf-8") for path in (site / "reference").rglob("*.html"))
    home = compat._HOMES[name]
    assert f'id="{home}.{name}"' in pages


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_are_in_the_reference(site, name):
    assert f"usage: python -m compat {name}" in html.unescape(page(site, "reference/commands"))


def test_profiling_and_verifying_are_in_the_reference(site):
    assert 'id="compat.profiling.recording.record"' in page(site, "reference/profiling")
    assert 'id="compat.verify.comparison.compare"' in page(site, "reference/verify")
    assert 'id="compat.estimator.estimator.Estimator"' in page(site, "reference/estimator")


def test_the_table_has_every_name_of_tf1_once(site):
    text = page(site, "reference/compatibility")
    text = text[: text.index('id="tfcontrib"')]
    found = re.findall(r"<code>tf\.([\w.]+)</code>(?=<br>|</td>|</details>)", text)
    symbols = [name for name in found if name in lookup.tf1_names()]
    assert len(symbols) == len(set(symbols))
    assert set(symbols) == lookup.tf1_names()


@pytest.mark.parametrize("name", [name for name in PUBLIC if f"train.{name}" in lookup.tf1_names()])
def test_the_table_says_of_each_hook_where_it_works(site, name):
    row = re.search(
        rf"<tr><td><code>tf\.train\.{name}</code></td>(.*?)</tr>",
        page(site, "reference/compatibility"),
    ).group(1)
    cells = re.findall(r'<td class="(yes|no)"(?: colspan="(\d)")?>', row)
    works = [kind == "yes" for kind, span in cells for _ in range(int(span or 1))]
    answers = lookup.places(f"train.{name}")
    assert list(answers) == list(elsewhere.PLACES)
    assert works == [answer.works for answer in answers.values()]
    assert answers[elsewhere.SESSION].works


def docstring(name):
    """A public name's docstring, also where the class itself is TensorFlow's."""
    value = getattr(compat, name)
    own = inspect.isfunction(value) or value.__module__.startswith("compat.")
    if own:
        init = vars(value).get("__init__") if isinstance(value, type) else None
        return f"{value.__doc__}\n{(init and init.__doc__) or ''}"
    source = pathlib.Path(sys.modules[compat._HOMES[name]].__file__).read_text("utf-8")
    return re.search(rf'^{name} = [^\n]*\n"""(.*?)"""', source, re.MULTILINE | re.DOTALL).group(1)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_describe_their_arguments(name):
    text, value = docstring(name), getattr(compat, name)
    assert len(text.strip()) > 20
    if isinstance(value, type) and issubclass(value, Exception):
        return
    for argument in inspect.signature(value).parameters:
        assert re.search(rf"^ +{argument}: ", text, re.MULTILINE), argument


@pytest.mark.parametrize("row", elsewhere.ROWS, ids=lambda row: row.names[0])
def test_rows_of_the_table_are_about_names_of_tf1(row):
    assert row.note
    assert set(row.places) <= set(elsewhere.PLACES[1:])
    for name in row.names:
        known = lookup.tf1_names() | {f"{space}." for space in lookup.namespaces()}
        assert name in known
