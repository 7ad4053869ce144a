"""Tells TF1 code from code that takes TF2 as `tf` and TF1 as `tf.compat.v1`.

In the first kind every name is TF1's, so its import can be swapped. In the second (what
TensorFlow's upgrade script leaves behind) plain names are TF2's and must stay so.
"""

from __future__ import annotations

from collections.abc import Iterable

from compat.migrate import lookup

# In the 2.x API until TensorFlow 2.15, so no sign of either kind.
_NEUTRAL = ("estimator",)
_V1 = ("tensorflow.compat.v1", "compat.v1")


def is_tf2_style(uses: Iterable[tuple[str, ...]], imports: Iterable[str]) -> bool:
    """Whether a file takes TF2 as `tf`.

    Args:
      uses: For each use of a name, the dotted paths it may lead to.
      imports: The dotted paths that are imported.

    Returns:
      True if it uses names of the 2.x API, or TF1's namespace beside plain TensorFlow,
      and no name that only TF1 has.
    """
    imports = set(imports)
    plain = "tensorflow" in imports
    v1 = any(_is_v1(path) for path in imports if not path.startswith("tensorflow"))
    tf2 = False
    for paths in uses:
        if len({_is_v1(path) for path in paths}) > 1:
            continue  # An import in a try and another in its except: either may be meant.
        if _is_v1(paths[0]):
            v1 = True
            continue
        root, _, name = paths[0].partition(".")
        private = (lookup.tensorflow_name(paths[0]) or "").startswith("tensorflow")
        if root != "tensorflow" or private:
            continue
        plain = True
        if name == "contrib" or name.startswith("contrib."):
            return False
        prefixes = [name[:end] for end in _ends(name)]
        if not name.startswith(_NEUTRAL) and any(p in lookup.tf1_only_names() for p in prefixes):
            return False
        tf2 = tf2 or any(prefix in lookup.tf2_names() for prefix in prefixes)
    return plain and (tf2 or v1)


def _is_v1(path: str) -> bool:
    return path in _V1 or path.startswith(tuple(f"{root}." for root in _V1))


def _ends(name: str) -> list[int | None]:
    """Where each dotted prefix of a name ends; None for the whole."""
    return [None, *(i for i, char in enumerate(name) if char == ".")]
