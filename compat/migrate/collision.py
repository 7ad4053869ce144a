"""Tells whether a code base's own module named `compat` is in the way of the import swap.

`import compat.v1 as tf` finds whatever `compat` comes first on the path, and the folder
of the script comes before the installed packages.
"""

from __future__ import annotations

import os
from pathlib import Path

#: What to write instead.
ADVICE = (
    "`import compat.v1` would find this module instead of the package: keep "
    "`import tensorflow as tf` and start the program with "
    "`tf-compat run` (`python -m compat` would find that module, too)"
)


def _is_this_package(place: Path) -> bool:
    return place.resolve() == Path(__file__).resolve().parents[1]


def _own_compat(folder: Path) -> Path | None:
    """A module or package named compat in a folder, apart from this package."""
    file, package = folder / "compat.py", folder / "compat"
    if file.is_file():
        return file
    if package.is_dir() and not _is_this_package(package) and any(package.glob("*.py")):
        return package
    return None


def in_the_way(file: Path) -> Path | None:
    """Finds what `import compat` in a file would find before this package.

    Args:
      file: A source file of the code base.

    Returns:
      The other module: beside the file, if the file is no part of a package, or in the
      folder its package is imported from; None if nothing is in the way.
    """
    folder = Path(os.path.abspath(file)).parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return _own_compat(folder)
