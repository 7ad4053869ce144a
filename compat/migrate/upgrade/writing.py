"""Puts a file's new content in its place, all of it or none."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Replaces a file; a reader never sees half of it, and its permissions stay.

    Args:
      path: The file; a link stays a link and its target is replaced.
      content: The new content.

    Raises:
      OSError: If it cannot be written. The file is then as it was.
    """
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        shutil.copymode(target, name)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
