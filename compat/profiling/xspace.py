"""Finds and reads what the profiler wrote: `*.xplane.pb` files, each one XSpace.

A capture lies in `LOGDIR/plugins/profile/RUN/HOST.xplane.pb`, one file a host. An XSpace
has planes (`/host:CPU`, `/device:GPU:0`), a plane has lines (threads or streams), a line
has events with a start and a duration in picoseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from compat import _tf

SUFFIX = ".xplane.pb"
#: Beside a capture that `ProfilerHook(keep_xplane=True)` kept: the graph that ran.
GRAPH_SUFFIX = ".graph.pb"


def find(path: str | Path) -> list[Path]:
    """The capture's files: the file itself, or those of the newest run below a directory.

    Args:
      path: An `*.xplane.pb` file or a directory that a profiler wrote to.

    Returns:
      One path per host, sorted.

    Raises:
      FileNotFoundError: There is no capture at `path`.
    """
    path = Path(path)
    if path.is_file():
        return [path]
    files = [file for file in path.rglob("*" + SUFFIX) if file.is_file()] if path.is_dir() else []
    if not files:
        raise FileNotFoundError(
            f"No profiler capture found; got {str(path)!r}. Pass an *{SUFFIX} file, or the "
            "log directory given to tf.profiler.experimental.start."
        )
    newest = max(files, key=lambda file: file.stat().st_mtime).parent
    return sorted(file for file in files if file.parent == newest)


def graph_beside(path: Path) -> Path | None:
    """The graph's file beside a capture's, if there is one."""
    graph = path.with_name(path.name.removesuffix(SUFFIX) + GRAPH_SUFFIX)
    return graph if graph.is_file() else None


def read(path: str | Path) -> Any:
    """Reads one XSpace.

    Args:
      path: An `*.xplane.pb` file.

    Returns:
      The XSpace proto.

    Raises:
      OSError: The file can't be read.
      ValueError: The file is not an XSpace.
    """
    space = _tf.new_xspace()
    data = Path(path).read_bytes()
    try:
        space.ParseFromString(data)
    except Exception as error:  # The proto runtime's own DecodeError is not public.
        raise ValueError(
            f"Not a profiler capture; got {str(path)!r}. Pass an *{SUFFIX} file."
        ) from error
    return space


class PlaneReader:
    """The values of a plane's stats, which are stored by number."""

    def __init__(self, plane: Any):
        self._names = {key: entry.name for key, entry in plane.stat_metadata.items()}

    def id_of(self, stat: str) -> int:
        """The number under which a stat of that name is stored; -1 if there is none."""
        for key, name in self._names.items():
            if name == stat:
                return key
        return -1

    def value(self, stat: Any) -> Any:
        """A stat's value; strings may be stored once and referred to."""
        kind = stat.WhichOneof("value")
        if kind == "ref_value":
            return self._names.get(stat.ref_value, "")
        return getattr(stat, kind) if kind else None

    def values(self, stats: Any) -> dict[str, Any]:
        """All values by name."""
        return {self._names.get(stat.metadata_id, ""): self.value(stat) for stat in stats}

    def text_finder(self, stat: str) -> Callable[[Any], str | None]:
        """A function that gives one stat of an event as text, for events that are many."""
        wanted, names = self.id_of(stat), self._names

        def find_in(event: Any) -> str | None:
            for candidate in event.stats:
                if candidate.metadata_id == wanted:
                    return candidate.str_value or names.get(candidate.ref_value, "")
            return None

        return find_in

    def number_finder(self, stat: str) -> Callable[[Any], int | None]:
        """A function that gives one stat of an event as a whole number."""
        wanted = self.id_of(stat)

        def find_in(event: Any) -> int | None:
            for candidate in event.stats:
                if candidate.metadata_id == wanted:
                    return candidate.int64_value or candidate.uint64_value
            return None

        return find_in
