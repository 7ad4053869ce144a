"""Tells TF1 code from code that takes TF2 as `tf` and TF1 as `tf.compat.v1`.

In the first kind every name is TF1's, so its import can be swapped. In the second (what
TensorFlow's upgrade script leaves behind) plain names are TF2's and must stay so.
"""

from __future__ import annotations

from collections.abc import Iterable

from compat.migrate import lookup

# In the 2.x API until TensorFlow 2.15, so no sign of either kind.
_NEUTRAL = ("estimator",)


def is_tf2_style(paths: Iterable[str]) -> bool:
    """Whether a file takes TF2 as `tf`.

    Args:
      paths: The dotted paths that the file's names lead to.

    Returns:
      True if it uses names of the 2.x API or `tf.compat.v1` beside plain TensorFlow,
      and no name that only TF1 has.
    """
    plain = tf2 = v1 = False
    for path in paths:
        root, _, name = path.partition(".")
        if root != "tensorflow":
            continue
        if name == "compat.v1" or name.startswith("compat.v1."):
            v1 = True
            continue
        plain = True
        prefixes = [name[: i if i > 0 else None] for i in _ends(name)]
        if name.startswith("contrib.") or name == "contrib":
            return False
        if not name.startswith(_NEUTRAL) and any(p in lookup.tf1_only_names() for p in prefixes):
            return False
        tf2 = tf2 or any(p in lookup.tf2_names() for p in prefixes)
    return plain and (tf2 or v1)


def _ends(name: str) -> list[int]:
    """Where each dotted prefix of a name ends; -1 for the whole."""
    return [-1, *(i for i, char in enumerate(name) if char == ".")]
