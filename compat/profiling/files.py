"""Writes files so that they appear whole: under a temporary name first, then renamed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import IO, Any

import tensorflow as tf


@contextlib.contextmanager
def whole(path: str | os.PathLike, mode: str = "w") -> Iterator[Any]:
    """Opens a file that replaces `path` when the block ends without an error.

    Args:
      path: Where the file shall be, on any file system that TensorFlow knows; its
        directory is created if need be.
      mode: `"w"` for UTF-8 text, `"wb"` for bytes.

    Yields:
      The file to write to.

    Raises:
      OSError: The file can't be written; `path` is as it was.
    """
    path = os.fspath(path)
    with _remote(path, mode) if "://" in path else _local(path, mode) as file:
        yield file


@contextlib.contextmanager
def _local(path: str, mode: str) -> Iterator[IO]:
    directory, name = os.path.split(path)
    os.makedirs(directory or ".", exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=name + ".", suffix=".tmp", dir=directory or ".")
    try:
        with open(handle, mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def _remote(path: str, mode: str) -> Iterator[Any]:
    temporary = path + ".tmp"
    try:
        tf.io.gfile.makedirs(path.rpartition("/")[0])
        try:
            with tf.io.gfile.GFile(temporary, mode) as file:
                yield file
            tf.io.gfile.rename(temporary, path, overwrite=True)
        finally:
            if tf.io.gfile.exists(temporary):
                tf.io.gfile.remove(temporary)
    except tf.errors.OpError as error:
        raise OSError(f"{path} can't be written: {error}") from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
