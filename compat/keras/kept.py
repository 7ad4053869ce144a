"""What the package keeps on a Keras model: its running loops and its tapped functions.

It hangs on the model itself, outside of what Keras tracks and saves, so it goes when the
model goes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_ATTRIBUTE = "_compat_kept"


class Kept:
    """What is kept on one model.

    Attributes:
      loops: The loop with hooks that runs in each mode.
      functions: For each mode, the model's own step function and its tapped variants by
        their taps. Another own function, after `compile`, makes the variants stale.
    """

    def __init__(self) -> None:
        self.loops: dict[str, Any] = {}
        self.functions: dict[str, tuple[Callable, dict[frozenset[str], Callable]]] = {}

    def variants(self, mode: str, plain: Callable) -> dict[frozenset[str], Callable]:
        """The tapped variants of a step function, to look up and add to."""
        known = self.functions.get(mode)
        if known is None or known[0] is not plain:
            known = self.functions[mode] = (plain, {})
        return known[1]

    def __deepcopy__(self, memo: Any) -> Kept:
        return Kept()

    def __reduce__(self) -> Any:
        return (Kept, ())


def kept(model: Any) -> Kept:
    """What is kept on `model`."""
    # Not by setattr, which Keras watches.
    return vars(model).setdefault(_ATTRIBUTE, Kept())
