"""What the guide's site takes from the package itself when it is built."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import pathlib
from typing import Any
from unittest import mock

import compatibility_page  # MkDocs has this folder on the path while it loads hooks.
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

from compat import __main__ as commands

_ROOT = pathlib.Path(__file__).parents[2]


def on_config(config: Any) -> None:
    """Lists the notebooks in the navigation, before the changelog."""
    pages = [{_title(path): f"notebooks/{path.name}"} for path in _notebooks()]
    if pages:
        config.nav.insert(-1, {"Notebooks": pages})


@event_priority(100)  # Before the plugin that renders notebooks looks for them.
def on_files(files: Files, config: Any) -> None:
    """Takes the notebooks into the site, which are not in the guide's folder."""
    for path in _notebooks():
        name = f"notebooks/{path.name}"
        files.append(File(name, str(_ROOT), config.site_dir, config.use_directory_urls))


def _notebooks() -> list[pathlib.Path]:
    return sorted((_ROOT / "notebooks").glob("*.ipynb"))


def _title(notebook: pathlib.Path) -> str:
    """The heading that a notebook begins with."""
    text = "".join(json.loads(notebook.read_text("utf-8"))["cells"][0]["source"])
    return text.partition("\n")[0].lstrip("# ").replace("`", "")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Puts generated parts in place of the comments that ask for them."""
    if page.file.src_uri == "reference/commands.md":
        return markdown.replace("<!-- the commands' own help -->", _commands())
    if page.file.src_uri == "reference/compatibility.md":
        markdown = markdown.replace("<!-- counts -->", compatibility_page.counts())
        return markdown.replace("<!-- tables -->", compatibility_page.markdown())
    return markdown


def _commands() -> str:
    return "\n\n".join(
        f"## {name}\n\nTo {text}.\n\n```text\n{_help(module)}\n```"
        for name, (module, text) in commands.COMMANDS.items()
    )


def _help(module: str) -> str:
    """What `--help` of a command prints."""
    main = importlib.import_module(module).main
    printed = io.StringIO()
    with (
        mock.patch.dict(os.environ, COLUMNS="88"),
        contextlib.redirect_stdout(printed),
        contextlib.suppress(SystemExit),
    ):
        main(["--help"])
    return printed.getvalue().rstrip()
