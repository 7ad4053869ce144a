"""Input functions from arrays and data frames; stands for `tf.estimator.inputs`.

Rows pass through a queue, filled by a thread while the session runs, as in TF1.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """An input function that gives the rows of arrays in batches.

    Args:
      x: An array, or a dict of arrays, all of the same length.
      y: The labels, in the same way; None for none.
      batch_size: Rows in a batch.
      num_epochs: How often all rows are given; None for no end.
      shuffle: Whether to shuffle; must be given.
      queue_capacity: Rows that the queue holds.
      num_threads: Threads that fill it; each gives all epochs.

    Returns:
      The function: () -> features, or (features, labels).

    Raises:
      ValueError: `shuffle` is not given, or an array is empty or of another length.
      TypeError: `x` is neither an array nor a dict.
    """
    _check_shuffle(shuffle)

    def input_fn() -> Any:
        features = _arrays(x, "x")
        labels = {} if y is None else _labels(y)
        shared = sorted(features.keys() & labels.keys())
        if shared:
            raise ValueError(f"x and y must have different keys; both have {shared}.")
        columns = {**features, **labels}
        _check_lengths(columns)
        tensors = _batches(
            [np.asarray(column) for column in columns.values()],
            batch_size,
            num_epochs,
            shuffle,
            queue_capacity,
            num_threads,
        )
        named = dict(zip(columns, tensors, strict=True))
        inputs = {key: named[key] for key in features} if isinstance(x, dict) else tensors[0]
        if y is None:
            return inputs
        return inputs, {key: named[key] for key in labels} if isinstance(y, dict) else tensors[-1]

    return input_fn


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """An input function that gives the rows of a `pandas.DataFrame` in batches.

    Args:
      x: The data frame.
      y: A `Series`, or a `DataFrame`, with the same index; None for none.
      batch_size: Rows in a batch.
      num_epochs: How often all rows are given; None for no end.
      shuffle: Whether to shuffle; must be given.
      queue_capacity: Rows that the queue holds; about all of them if None.
      num_threads: Threads that fill it; each gives all epochs.
      target_column: A name for `y` that no column of `x` has.

    Returns:
      The function: () -> features, or (features, labels).

    Raises:
      ValueError: `shuffle` is not given, or the indexes differ, or the name is taken.
      TypeError: The name is not a string.
    """
    _check_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise TypeError(f"target_column must be a string; got {target_column!r}.")
    if y is not None:
        if target_column in x:
            raise ValueError(f"x already has a column {target_column!r}; give another name.")
        if not np.array_equal(x.index, y.index):
            raise ValueError(f"x and y must have one index; got {x.index!r} and {y.index!r}.")
    features = {name: x[name].to_numpy() for name in x}
    several = hasattr(y, "columns")
    labels = {} if y is None else dict(y.items()) if several else {target_column: y}
    labels = {name: column.to_numpy() for name, column in labels.items()}
    capacity = queue_capacity or (4 if shuffle else 1) * len(x)

    def input_fn() -> Any:
        tensors = _batches(
            [*features.values(), *labels.values()],
            batch_size,
            num_epochs,
            shuffle,
            capacity,
            num_threads,
            min_after_dequeue=max(capacity / 4, 1),
        )
        inputs = dict(zip(features, tensors, strict=False))
        if y is None:
            return inputs
        targets = dict(zip(labels, tensors[len(features) :], strict=True))
        return inputs, targets if several else tensors[-1]

    return input_fn


def _batches(
    columns: list[np.ndarray],
    batch_size: int,
    num_epochs: int | None,
    shuffle: bool | None,
    capacity: int,
    num_threads: int,
    min_after_dequeue: float | None = None,
) -> list[tf.Tensor]:
    """Batches of columns, taken from a queue that threads fill."""
    if num_threads > 1 and (num_epochs is not None or not shuffle):
        v1.logging.warning(
            "%d threads give %s each, in no certain order; use one thread for exact epochs.",
            num_threads,
            "all rows" if num_epochs is None else f"{num_epochs} epochs",
        )
    with v1.name_scope("enqueue_input"):
        # The row number comes first, as in TF1; nothing uses it.
        dtypes = [tf.int64, *[_dtype(column) for column in columns]]
        shapes = [(), *[column.shape[1:] for column in columns]]
        if shuffle:
            minimum = int(capacity / 4 if min_after_dequeue is None else min_after_dequeue)
            queue = v1.RandomShuffleQueue(capacity, minimum, dtypes=dtypes, shapes=shapes)
        else:
            minimum = 0
            queue = v1.FIFOQueue(capacity, dtypes=dtypes, shapes=shapes)
        rows = len(columns[0])
        readers = [
            _Reader(columns, batch_size, num_epochs, random.randrange(rows) if shuffle else 0)
            for _ in range(num_threads)
        ]
        v1.train.add_queue_runner(
            _RowsQueueRunner(
                readers,
                queue,
                [queue.enqueue_many(v1.py_func(reader, [], dtypes)) for reader in readers],
            )
        )
        waiting = tf.cast(tf.maximum(0, queue.size() - minimum), tf.float32)
        v1.summary.scalar(
            f"queue/{queue.name}fraction_over_{minimum}_of_{capacity - minimum}_full",
            waiting * (1.0 / (capacity - minimum)),
        )
    take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
    return take(batch_size)[1:]


def row_numbers(
    rows: int, batch_size: int, num_epochs: int | None, start: int
) -> Iterator[np.ndarray]:
    """Row numbers batch by batch; a batch may reach into the next epoch, the last is cut.

    Args:
      rows: How many rows there are.
      batch_size: Rows in a batch.
      num_epochs: How often all rows are given; None for no end.
      start: The first row.

    Yields:
      Arrays of row numbers.
    """
    total = None if num_epochs is None else rows * num_epochs
    given = 0
    while total is None or given < total:
        count = batch_size if total is None else min(batch_size, total - given)
        yield (start + given + np.arange(count)) % rows
        given += count


class _Reader:
    """Gives the next rows each time it is called; its StopIteration closes the queue."""

    def __init__(
        self, columns: list[np.ndarray], batch_size: int, num_epochs: int | None, start: int
    ):
        self._columns = columns
        self._order = (len(columns[0]), batch_size, num_epochs, start)
        self.restart()

    def restart(self) -> None:
        """Goes back to the first row."""
        self._numbers = row_numbers(*self._order)

    def __call__(self) -> list[np.ndarray]:
        chosen = next(self._numbers)
        return [chosen.astype(np.int64), *[column[chosen] for column in self._columns]]


class _RowsQueueRunner(tf.compat.v1.train.QueueRunner):
    """Starts with the first row in each session, so that a graph can be evaluated again."""

    def __init__(self, readers: list[_Reader], queue: Any, enqueue_ops: list):
        super().__init__(queue, enqueue_ops)
        self._readers = readers

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list:
        """See the base class."""
        for reader in self._readers:
            reader.restart()
        return super().create_threads(sess, coord, daemon, start)


def _dtype(column: np.ndarray) -> tf.DType:
    return tf.string if column.dtype.kind in "OUS" else tf.as_dtype(column.dtype)


def _check_shuffle(shuffle: Any) -> None:
    if not isinstance(shuffle, bool):
        raise ValueError(f"shuffle must be True (for training) or False; got {shuffle!r}.")


def _arrays(x: Any, name: str) -> dict[str, Any]:
    if isinstance(x, dict):
        if not x:
            raise ValueError(f"{name} must have at least one array; got an empty dict.")
        return dict(sorted(x.items()))
    if isinstance(x, np.ndarray):
        if x.size == 0:
            raise ValueError(f"{name} must have rows; got an empty array.")
        return {"": x}
    raise TypeError(f"{name} must be an array or a dict of arrays; got a {type(x).__name__}.")


def _labels(y: Any) -> dict:
    # A key of its own for labels without one: it can't be that of a feature.
    return _arrays(y, "y") if isinstance(y, dict) else {("y",): y}


def _check_lengths(columns: dict) -> None:
    if len({column.shape[0] for column in columns.values()}) > 1:
        shapes = {key: column.shape for key, column in columns.items()}
        raise ValueError(f"All arrays of x and y must have the same length; got shapes {shapes}.")
