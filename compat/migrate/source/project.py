"""Knows the modules of a code base: which file does `from .hooks import Base` mean?"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


class Modules:
    """The modules of some files.

    Args:
      files: The files of the code base.
    """

    def __init__(self, files: Iterable[Path]):
        self._by_name: dict[str, list[Path]] = {}
        self._by_place: dict[str, Path] = {}
        for file in files:
            if file.suffix != ".py":
                continue
            place = Path(os.path.abspath(file))
            parts = list(place.parent.parts[1:])
            if place.name == "__init__.py":
                self._by_place[str(place.parent)] = file
            else:
                self._by_place[str(place.with_suffix(""))] = file
                parts.append(place.stem)
            # Any folder that is no package, the package's parent or above, may be on the path.
            last = len(parts) - 1
            folder = place.parent
            while (folder / "__init__.py").exists() and last > 0:
                folder, last = folder.parent, last - 1
            if place.name == "__init__.py":
                last += 1
            for start in range(last + 1):
                self._by_name.setdefault(".".join(parts[start:]), []).append(file)

    def top_names(self) -> frozenset[str]:
        """First parts of the names by which a module may be imported."""
        tops = {name.partition(".")[0] for name in self._by_name}
        return frozenset(tops | {Path(place).name for place in self._by_place})

    def find(self, path: str, importer: Path) -> tuple[Path, str] | None:
        """Finds the file that a dotted path leads into.

        Args:
          path: As an import in `importer` gives it, `.hooks.Base` or `pkg.hooks.Base`.
          importer: The file with the import.

        Returns:
          The module's file and the rest of the path inside it; None if it is not here.
        """
        if path.startswith("."):
            return self._relative(path, importer)
        beside = self._relative("." + path, importer)
        if beside is not None and beside[1] != path:
            return beside
        parts = path.split(".")
        for count in range(len(parts), 0, -1):
            files = [f for f in self._by_name.get(".".join(parts[:count]), ()) if f != importer]
            if files:
                nearest = max(files, key=lambda file: _shared(file, importer))
                return nearest, ".".join(parts[count:])
        return None

    def _relative(self, path: str, importer: Path) -> tuple[Path, str] | None:
        rest = path.lstrip(".")
        folder = Path(os.path.abspath(importer)).parent
        for _ in range(len(path) - len(rest) - 1):
            folder = folder.parent
        parts = rest.split(".") if rest else []
        for count in range(len(parts), -1, -1):
            file = self._by_place.get(str(folder.joinpath(*parts[:count])))
            if file is not None and file != importer:
                return file, ".".join(parts[count:])
        return None


def _shared(first: Path, second: Path) -> int:
    pairs = zip(Path(os.path.abspath(first)).parts, Path(os.path.abspath(second)).parts)  # noqa: B905
    count = 0
    for left, right in pairs:
        if left != right:
            break
        count += 1
    return count
