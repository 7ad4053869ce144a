"""The guide: its Python examples run, its commands exist, its links lead somewhere."""

from __future__ import annotations

import contextlib
import importlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest

import compat
from compat.__main__ import COMMANDS

TESTS = pathlib.Path(__file__).parent
GUIDE = TESTS.parent / "migration_guide"

REFERENCE = GUIDE.resolve() / "reference"

PAGES = [page for page in sorted(GUIDE.rglob("*.md")) if "legacy_scripts" not in page.parts]

_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
each_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: str(page.relative_to(GUIDE).with_suffix(""))
)


@pytest.fixture(scope="module")
def runs(request, tmp_path_factory):
    """Runs of the pages that are to be tested, by page: as many at a time as there are CPUs."""
    wanted = [
        item.callspec.params["page"]
        for item in request.session.items
        if getattr(item, "function", None) is test_examples_run
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {
            page: pool.submit(run_page, page, tmp_path_factory.mktemp("page")) for page in wanted
        }
        pool.shutdown(cancel_futures=True)


def run_page(page, directory):
    return subprocess.run(
        [sys.executable, str(TESTS / "guide_page.py"), str(page)],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )


@each_page
def test_examples_run(page, runs):
    run = runs[page].result()
    assert run.returncode == 0, run.stderr[-6000:]


@each_page
def test_commands_exist(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_package").mkdir()
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\n\nprint(tf.constant(1))\n", "utf-8"
    )
    blocks = re.findall(r"^```bash\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    for line in lines:
        words = shlex.split(line, comments=True)
        if "compat" not in words:
            continue
        command, *arguments = words[words.index("compat") + 1 :]
        assert command in COMMANDS, line
        if command == "run":
            continue  # What follows is the script's own.
        if {"train.py", "."} & set(arguments) and command in ("check", "upgrade"):
            assert importlib.import_module(COMMANDS[command][0]).main(arguments) in (0, 1), line
            continue
        with contextlib.suppress(SystemExit):
            importlib.import_module(COMMANDS[command][0]).main(["--help"])
        known = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", capsys.readouterr().out))
        own = arguments[: arguments.index("--")] if "--" in arguments else arguments
        unknown = {word.partition("=")[0] for word in own if word.startswith("-")} - known
        assert not unknown, line


@each_page
def test_links_lead_somewhere(page):
    text = _FENCE.sub("", page.read_text("utf-8"))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", link):
            continue
        target, _, anchor = link.partition("#")
        there = (page.parent / target).resolve() if target else page
        assert there.is_relative_to(GUIDE.resolve()), link
        assert there.is_file(), link
        # The reference's own headings are known when the site is built, which checks them.
        assert not anchor or REFERENCE in there.parents or anchor in anchors(there), link


def anchors(page: pathlib.Path) -> set[str]:
    """The headings of a page, as the site names them in links."""
    found: set[str] = set()
    text = _FENCE.sub("", page.read_text("utf-8"))
    for heading in re.findall(r"^#{1,6} +(.+?) *$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        ascii_only = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
        slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())
        unique, count = slug, 0
        while unique in found:
            count += 1
            unique = f"{slug}_{count}"
        found.add(unique)
    return found


def test_pages_that_errors_name_exist():
    named = set()
    for path in (GUIDE.parent / "compat").rglob("*.py"):
        named |= set(re.findall(r"migration_guide/(\w+\.md)", path.read_text("utf-8")))
    assert named <= {page.name for page in PAGES}


def test_every_hook_has_a_native_equivalent():
    text = (GUIDE / "how_to" / "native_keras.md").read_text("utf-8")
    hooks = [name for name in compat.__all__ if name.endswith(("Hook", "Listener"))]
    assert not [name for name in hooks if f"`{name}`" not in text]
