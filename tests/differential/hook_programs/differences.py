"""The known deliberate differences, and how two journals are compared apart from them.

This is the one place for them. Each is a case where the product does better than
TensorFlow on purpose:

* Running a session after its `with` block is a RuntimeError with a sentence, where
  TensorFlow fails with an AttributeError of its innards.
* `close()` inside the `with` block runs the hooks' `end` once; TensorFlow runs it once
  more on leaving. Both then raise the error that the session is closed already.
* What is logged when a session is made anew after a preemption is said in other words,
  with the same error in it.
"""

from __future__ import annotations

import difflib
import json
import re


def comparable(entries, program):
    """The entries of a journal without the known differences.

    Args:
      entries: The journal's entries.
      program: The program that was run.

    Returns:
      Another list of entries.
    """
    closed = False  # Between a close inside the block and the phase's end.
    kept = []
    for entry in entries:
        if entry["at"] == "phase":
            closed = False
        if entry["at"].endswith(" closed"):
            closed = True
        if entry["at"] == "run afterwards" and "error" in entry:
            entry = {"at": "run afterwards", "error": "an error"}
        elif entry["at"] == "log" and "preemption" in entry["text"]:
            entry = {**entry, "text": "preemption " + _error_text(entry["text"])}
        elif closed and _runs_again_on_leaving(entry):
            continue
        kept.append(entry)
    return kept


def _error_text(text):
    return re.sub(r"^.*Error: ", "", text)


def _runs_again_on_leaving(entry):
    """Whether an entry may come from the second `end` of a session closed by hand."""
    place = entry["at"]
    return place == "log" or ".end" in place or ".l" in place or "saved" in place


def difference(expected, actual, program, context=4):
    """The lines in which two journals differ; empty if they agree.

    Args:
      expected: The oracle's `Journal`.
      actual: The subject's `Journal`.
      program: The program that was run.
      context: How many equal entries to show before the first difference.
    """
    one, two = (
        [json.dumps(entry, ensure_ascii=False) for entry in comparable(journal.entries, program)]
        for journal in (expected, actual)
    )
    if one == two:
        return []
    lines = difflib.unified_diff(one, two, "tensorflow", "compat", n=context, lineterm="")
    return list(lines)
