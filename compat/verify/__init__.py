"""Proves that two runs are the same, from the files they left.

    report = compat.verify.compare("old_run", "new_run")
    assert report.equal, report.to_text()

or `python -m compat verify old_run new_run`. Checkpoints, event files, logs and timelines
of any TensorFlow (1.x or 2.x; Estimator, sessions or Keras) are read; the training code
isn't needed, and nothing is written into the compared directories.

What a signed `equal` means: everything that either run recorded was read, has a counterpart
in the other run and agrees within the tolerance. Left out are speeds (they follow the clock),
what the names map tells to ignore, and what the report's notes name. A file that can't be read
makes the verdict `incomplete`; what could still be compared is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compat.verify.comparison import compare
    from compat.verify.report import Difference, Report

__all__ = ["Difference", "Report", "compare"]


def __getattr__(name: str) -> Any:
    # The parts load NumPy and, where needed, TensorFlow: not before they have work.
    if name == "compare":
        from compat.verify.comparison import compare

        return compare
    if name in ("Report", "Difference"):
        from compat.verify import report

        return getattr(report, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
