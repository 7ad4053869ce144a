"""Finds the Python files and notebooks below some paths."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

SUFFIXES = (".py", ".ipynb")
# Folders that hold other people's code or build products.
_SKIPPED = {"__pycache__", "node_modules", "site-packages", "dist-packages"}


class MissingPath(Exception):
    """A path that does not exist."""


def discover(paths: Iterable[str], exclude: Sequence[str] = ()) -> list[Path]:
    """Lists the files to look at.

    Args:
      paths: Files and folders. A file is taken whatever its name; folders are searched
        for `.py` and `.ipynb` files, without hidden folders and virtual environments.
      exclude: Shell patterns; a file whose path, or a part of it, matches one is left out.

    Returns:
      The files, each once, sorted.

    Raises:
      MissingPath: If a path does not exist.
    """
    found: dict[Path, None] = {}
    for name in paths:
        path = Path(name)
        if path.is_dir():
            found.update(dict.fromkeys(_below(path, exclude)))
        elif path.exists():
            found[path] = None
        else:
            raise MissingPath(f"no such file or folder: {name}")
    return sorted(found)


def _below(top: Path, exclude: Sequence[str]) -> list[Path]:
    found = []
    for folder, folders, names in os.walk(top):
        here = Path(folder)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _SKIPPED
            and not (here / name / "pyvenv.cfg").exists()
            and not _excluded(here / name, top, exclude)
        )
        found += [
            here / name
            for name in names
            if name.endswith(SUFFIXES) and not _excluded(here / name, top, exclude)
        ]
    return found


def _excluded(path: Path, top: Path, exclude: Sequence[str]) -> bool:
    relative = path.relative_to(top)
    return any(
        fnmatch.fnmatch(text, pattern)
        for pattern in exclude
        for text in (str(path), str(relative), path.name)
    )
