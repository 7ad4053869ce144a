"""Finds what a run left behind: checkpoints, event files, logs and timelines.

Everything is found from the files alone; nothing is written. A path may also be a
single checkpoint (its prefix or any of its files), event file, timeline or log.
"""

from __future__ import annotations

import collections
import gzip
import os
import re
from dataclasses import dataclass, field

#: The last bytes of a checkpoint index, which is a sorted string table.
_TABLE_MAGIC = bytes.fromhex("57fb808b247547db")
_SHARD = re.compile(r"(.+)\.data-(\d{5})-of-(\d{5})$")
_V1_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})$")
_TF_NUMBER = re.compile(r"-(\d+)$")
_KERAS_NUMBER = re.compile(r"(\d+)(?!.*\d)")
#: Keras users put the loss into the file's name.
_DECIMAL = re.compile(r"[-_=]?\d+\.\d+")
_EXPORT = re.compile(r"\d{10}$")
_LOG_NAME = re.compile(
    r"(.*\.(log|out|err|csv)|(stdout|stderr|log|train|eval)[^.]*(\.txt)?)$", re.I
)
_NOT_LOGS = (".json", ".pbtxt", ".pb", ".meta", ".py", ".npy", ".npz", ".png", ".profile-empty")


@dataclass
class CheckpointFile:
    """One checkpoint on disk.

    Attributes:
      path: The prefix (TensorFlow formats) or the file (Keras formats).
      form: `v2`, `v1`, `h5` or `keras`.
      number: The number in its name, None without one.
      missing: Data files that the name promises and that aren't there.
    """

    path: str
    form: str
    number: int | None
    missing: list[str] = field(default_factory=list)


@dataclass
class Run:
    """What one path holds; the keys are relative to it.

    Attributes:
      path: As given.
      checkpoints: Directory and base name without its number -> checkpoints.
      events: Directory -> event files in the order they were written.
      logs: File -> path.
      timelines: File -> path.
      damaged: (file, what is wrong) of what can't be read.
      single: Whether the path is one file (or one checkpoint), not a directory.
    """

    path: str
    checkpoints: dict[str, list[CheckpointFile]] = field(default_factory=dict)
    events: dict[str, list[str]] = field(default_factory=dict)
    logs: dict[str, str] = field(default_factory=dict)
    timelines: dict[str, str] = field(default_factory=dict)
    damaged: list[tuple[str, str]] = field(default_factory=list)
    single: bool = False

    def holds(self) -> list[str]:
        """The parts of which there is something."""
        return [
            part
            for part in ("checkpoints", "events", "logs", "timelines")
            if getattr(self, part) or (part == "checkpoints" and self.damaged)
        ]


def find(path: str) -> Run:
    """Looks through a directory, or at a single file or checkpoint.

    Args:
      path: A directory, file or checkpoint prefix.

    Returns:
      What is there.

    Raises:
      FileNotFoundError: If there is nothing under that path.
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        run = Run(path)
        for directory, subdirectories, names in os.walk(path):
            subdirectories.sort()
            _add_directory(run, directory, sorted(names))
        _rename_exports(run)
        return run
    run = Run(path, single=True)
    prefix = _prefix_of(path)
    directory, base = os.path.split(prefix)
    if os.path.isdir(directory or "."):
        names = [n for n in sorted(os.listdir(directory or ".")) if _belongs(n, base)]
        _add_directory(run, directory, names)
        _keep_names_short(run)
    if not run.holds():
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no run, file or checkpoint at {path!r}")
        run.logs[""] = path
    return run


def _prefix_of(path: str) -> str:
    shard = _SHARD.match(path) or _V1_SHARD.match(path)
    if shard:
        return shard.group(1)
    return path.removesuffix(".index").removesuffix(".meta")


def _belongs(name: str, base: str) -> bool:
    return name == base or _prefix_of(name) == base


def _keep_names_short(run: Run) -> None:
    """A single file needs no place: two of them are compared whatever their names are."""
    for kind in ("checkpoints", "events", "logs", "timelines"):
        found = getattr(run, kind)
        if len(found) == 1:
            setattr(run, kind, {"": next(iter(found.values()))})


def _add_directory(run: Run, directory: str, names: list[str]) -> None:
    root = run.path if not run.single else directory
    place = os.path.relpath(directory or ".", root or ".")
    place = "" if place == "." else place.replace(os.sep, "/")
    here = set(names)
    left = _add_bundles(run, directory, place, names)
    left = _add_v1(run, directory, place, left)
    for name in left:
        path = os.path.join(directory, name)
        relative = f"{place}/{name}" if place else name
        if name.endswith((".h5", ".hdf5", ".keras")):
            form = "keras" if name.endswith(".keras") else "h5"
            _add_checkpoint(run, place, name, CheckpointFile(path, form, None))
        elif "tfevents" in name and not name.endswith(_NOT_LOGS):
            run.events.setdefault(place, []).append(path)
        elif _is_timeline(path, name):
            run.timelines[relative] = path
        elif _LOG_NAME.match(name) and not name.endswith(_NOT_LOGS):
            run.logs[relative] = path
    _check_state(run, directory, place, here)


def _add_checkpoint(run: Run, place: str, name: str, file: CheckpointFile) -> None:
    if file.form in ("h5", "keras"):
        name = _DECIMAL.sub("", name.removesuffix(".h5"))
        number = _KERAS_NUMBER.search(name)
    else:
        number = _TF_NUMBER.search(name)
    family = name
    if number:
        file.number = int(number.group(1))
        family = (name[: number.start()] + name[number.end() :]).rstrip("-_")
    run.checkpoints.setdefault(f"{place}/{family}" if place else family, []).append(file)


def _add_bundles(run: Run, directory: str, place: str, names: list[str]) -> list[str]:
    """Takes the V2 checkpoints out of a directory's files: an index and its data files."""
    shards: dict[str, dict[int, set[int]]] = collections.defaultdict(dict)
    for name in names:
        match = _SHARD.match(name)
        if match:
            base, shard, total = match.group(1), int(match.group(2)), int(match.group(3))
            shards[base].setdefault(total, set()).add(shard)
    used = set()
    for name in names:
        base = name.removesuffix(".index")
        if base == name:
            continue
        path = os.path.join(directory, base)
        if base not in shards and not _is_table(os.path.join(directory, name)):
            continue
        # With every data file gone, one is the usual number of them.
        total = max(shards[base]) if base in shards else 1
        have = shards[base].get(total, set())
        lost = [f"{base}.data-{i:05d}-of-{total:05d}" for i in range(total) if i not in have]
        _add_checkpoint(run, place, base, CheckpointFile(path, "v2", None, lost))
        used |= {name, base + ".meta"}
    for base in shards:
        if base + ".index" not in names:
            relative = f"{place}/{base}" if place else base
            run.damaged.append((f"{relative}.index", "missing, so its data files can't be read"))
    return [n for n in names if n not in used and not _SHARD.match(n)]


def _add_v1(run: Run, directory: str, place: str, names: list[str]) -> list[str]:
    """Takes out the V1 checkpoints: tables under the checkpoint's own name."""
    left, families = [], collections.defaultdict(list)
    for name in names:
        path = os.path.join(directory, name)
        known = name.endswith((".index", ".meta", *_NOT_LOGS)) or "tfevents" in name
        if known or name == "checkpoint" or not _is_table(path):
            left.append(name)
            continue
        match = _V1_SHARD.match(name)
        families[match.group(1) if match else name].append((name, match))
    for base, files in families.items():
        match = files[0][1]
        if match is None:
            file = CheckpointFile(os.path.join(directory, base), "v1", None)
        else:
            total = int(match.group(3))
            here = {name for name, _ in files}
            wanted = [f"{base}-{i:05d}-of-{total:05d}" for i in range(total)]
            pattern = os.path.join(directory, f"{base}-?????-of-{total:05d}")
            file = CheckpointFile(pattern, "v1", None, [n for n in wanted if n not in here])
        _add_checkpoint(run, place, base, file)
    return left


def _is_table(path: str) -> bool:
    try:
        with open(path, "rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            if size < 48:
                return False
            stream.seek(size - len(_TABLE_MAGIC))
            return stream.read() == _TABLE_MAGIC
    except OSError:
        return False


def _is_timeline(path: str, name: str) -> bool:
    if not name.endswith((".json", ".json.gz", ".ctf")):
        return False
    opener = gzip.open if name.endswith(".gz") else open
    try:
        with opener(path, "rb") as stream:
            return b'"traceEvents"' in stream.read(1 << 16)
    except (OSError, EOFError):
        return "trace" in name or "timeline" in name


def _check_state(run: Run, directory: str, place: str, names: set[str]) -> None:
    """The `checkpoint` file tells which checkpoint is the latest; it should be there."""
    if "checkpoint" not in names or run.single:
        return
    with open(os.path.join(directory, "checkpoint"), "rb") as stream:
        found = re.search(rb'^model_checkpoint_path: "(.*)"', stream.read(1 << 20), re.M)
    if not found:
        return
    latest = os.path.basename(found.group(1).decode("utf-8", "replace"))
    files = [f for group in run.checkpoints.values() for f in group]
    here = any(
        os.path.dirname(f.path) == directory and os.path.basename(f.path).startswith(latest)
        for f in files
    )
    relative = f"{place}/{latest}" if place else latest
    if not here and not any(name.startswith(relative) for name, _ in run.damaged):
        run.damaged.append((relative, "missing, although the `checkpoint` file names it"))


def _rename_exports(run: Run) -> None:
    """Exports lie in directories named by the second they were made; their order counts."""
    for kind in ("checkpoints", "events", "logs", "timelines"):
        found = getattr(run, kind)
        stamps: dict[str, list[str]] = {}
        for key in found:
            parts = key.split("/")
            for i, part in enumerate(parts[:-1]):
                if _EXPORT.match(part):
                    seen = stamps.setdefault("/".join(parts[:i]), [])
                    if part not in seen:
                        seen.append(part)
        if stamps:
            setattr(run, kind, {_without_stamp(key, stamps): found[key] for key in found})


def _without_stamp(key: str, stamps: dict[str, list[str]]) -> str:
    parts = key.split("/")
    for i in range(len(parts) - 1):
        seen = stamps.get("/".join(parts[:i]), [])
        if parts[i] in seen:
            return "/".join([*parts[:i], f"export-{seen.index(parts[i]) + 1}", *parts[i + 1 :]])
    return key
