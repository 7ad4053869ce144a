"""Reads the event files of one directory as a stream, and keeps what can be compared.

Summaries count the same whether TF1 wrote them as `simple_value`, histogram or image,
or TF2 as tensors with a plugin's name. Of scalars the values are kept (16 bytes each),
of histograms count, range and energy, of images their size, of texts the text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from compat.verify.series import Series

#: Speeds: they depend on the clock, not on the training.
CLOCK_NAME = re.compile(
    r"(/sec|_?(steps|examples|samples|batches)_per_sec(ond)?|_(secs|seconds|ms))$"
)
_GRAPH = "graph"
_RUN_METADATA = "run_metadata/"
#: Tensors up to this size are kept whole, larger ones by count, range and norm.
_WHOLE = 4096
_OFFSET = re.compile(r"record at (\d+)")

Progress = Callable[[str, int, int], None]


@dataclass
class EventLog:
    """What the event files of one directory hold.

    Attributes:
      tags: Tag -> its records, in the order of the files.
      damaged: (file, what is wrong and how much could be read).
      records: Events read.
    """

    tags: dict[str, Series] = field(default_factory=dict)
    damaged: list[tuple[str, str]] = field(default_factory=list)
    records: int = 0


def read_events(paths: list[str], progress: Progress) -> EventLog:
    """Reads event files in the order given.

    Args:
      paths: Event files of one directory, oldest first.
      progress: Called with a text, bytes read and bytes in all.

    Returns:
      The records by tag; a damaged file is read up to the damage.
    """
    log = EventLog()
    total = sum(os.path.getsize(path) for path in paths)
    done = 0
    for path in paths:
        read = 0
        for event, size in _events(path, log):
            read += size
            log.records += 1
            if log.records % 5000 == 0:
                progress(os.path.basename(path), done + read, total)
            _add(log, event, os.path.basename(path))
        done += os.path.getsize(path)
        progress(os.path.basename(path), done, total)
    for series in log.tags.values():
        series.close()
    return log


def _events(path: str, log: EventLog) -> Iterator[tuple[Any, int]]:
    """The events of one file with their sizes in bytes, up to the first damage."""
    import tensorflow as tf
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto import event_pb2

    # tf.data, which the notice recommends, reads records one by one 100 times slower.
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")
    try:
        records = tf.compat.v1.io.tf_record_iterator(path)
    finally:
        logger.setLevel(level)
    count = 0
    try:
        for record in records:
            event = event_pb2.Event.FromString(record)
            count += 1
            yield event, len(record)
    except (tf.errors.OpError, DecodeError) as error:
        log.damaged.append((path, _damage(path, str(error), count)))


def _damage(path: str, error: str, count: int) -> str:
    offset = _OFFSET.search(error)
    size = os.path.getsize(path)
    where = f" at byte {int(offset.group(1)):,} of {size:,}" if offset else ""
    what = "truncated" if "truncated" in error else "corrupt"
    return f"{what}{where}; the {count:,} records before it were compared"


def _add(log: EventLog, event: Any, file: str) -> None:
    what = event.WhichOneof("what")
    if what == "summary":
        for value in event.summary.value:
            _add_summary(log, event.step, value, file)
    elif what in ("graph_def", "meta_graph_def"):
        # A writer stores the graph again after each restart: its presence is what counts.
        if _GRAPH not in log.tags:
            log.tags[_GRAPH] = Series("graph")
            log.tags[_GRAPH].add(0, "", file)
    elif what == "tagged_run_metadata":
        tag = _RUN_METADATA + event.tagged_run_metadata.tag
        log.tags.setdefault(tag, Series("run metadata")).add(event.step, "", file)


def _add_summary(log: EventLog, step: int, value: Any, file: str) -> None:
    what = value.WhichOneof("value")
    if what == "simple_value":
        _series(log, value.tag, "scalar").add(step, value.simple_value, file)
        return
    if what == "histo":
        histo = value.histo
        kept = np.array([histo.num, histo.min, histo.max, histo.sum_squares])
        _series(log, value.tag, "histogram").add(step, kept, file)
        return
    from tensorboard import data_compat
    from tensorboard.util import tensor_util

    value = data_compat.migrate_value(value)
    plugin = value.metadata.plugin_data.plugin_name
    if plugin.startswith("graph_"):
        log.tags.setdefault(_GRAPH, Series("graph")).add(0, "", file)
        return
    if value.WhichOneof("value") != "tensor":
        return
    known = log.tags.get(value.tag)
    kind = _PLUGINS.get(plugin) or (known.kind if known else "tensor")
    array = tensor_util.make_ndarray(value.tensor)
    if kind == "tensor" and array.size == 1 and array.dtype.kind in "fiu":
        kind = "scalar"
    elif kind == "tensor" and array.dtype.kind in "OSU":
        kind = "text"
    _series(log, value.tag, kind).add(step, _kept(kind, array), file)


_PLUGINS = {
    "scalars": "scalar",
    "histograms": "histogram",
    "images": "image",
    "audio": "audio",
    "text": "text",
}


def _kept(kind: str, array: np.ndarray) -> Any:
    if kind == "scalar":
        return float(array.reshape(-1)[0])
    if kind == "histogram":
        if array.size == 0:
            return np.zeros(3)
        return np.array([array[:, 2].sum(), array[0, 0], array[-1, 1]])
    if kind == "image":
        width, height = (int(array[i]) for i in (0, 1))
        return f"{width}x{height}, {array.size - 2} images"
    if kind == "audio":
        return f"{array.size // 2} clips"
    if array.dtype.kind in "OSU":
        texts = [t.decode("utf-8", "replace") for t in array.reshape(-1).tolist()]
        return texts[0] if len(texts) == 1 else str(texts)
    if array.size > _WHOLE:
        flat = array.reshape(-1).astype(np.float64)
        return np.array([flat.size, flat.min(), flat.max(), float(np.linalg.norm(flat))])
    return array.reshape(-1).astype(np.float64)


def _series(log: EventLog, tag: str, kind: str) -> Series:
    found = log.tags.get(tag)
    if found is None:
        found = log.tags[tag] = Series(kind)
    return found
