"""Writes files so that they appear whole: under a temporary name first, then renamed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def whole(path: str | Path, mode: str = "w") -> Iterator[IO]:
    """Opens a file that replaces `path` when the block ends without an error.

    Args:
      path: Where the file shall be; its directory is created if need be.
      mode: `"w"` for UTF-8 text, `"wb"` for bytes.

    Yields:
      The file to write to.

    Raises:
      OSError: The file can't be written; `path` is as it was.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=path.name + ".", suffix=".tmp", dir=path.parent)
    try:
        with open(handle, mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
