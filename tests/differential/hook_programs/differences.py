"""The known deliberate differences, and how two journals are compared apart from them.

This is the one place for them. Each is a case where the product does better than
TensorFlow on purpose:

* Running a session after its `with` block is a RuntimeError with a sentence, where
  TensorFlow fails with an AttributeError of its innards.
* `close()` inside the `with` block runs the hooks' `end` once; TensorFlow runs it once
  more on leaving. Both then raise the error that the session is closed already.
* An error about a wrong fetch or feed may name elements that TensorFlow's leaves out.
* A run that fails while TensorFlow makes a one-shot iterator breaks the iterator for good:
  each later run that uses it is cancelled. What such a run would give can't be compared.
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


def _iterator_is_broken(entry):
    error = entry.get("error")
    return isinstance(error, dict) and (error["class"], error.get("op")) == (
        "CancelledError",
        "OneShotIterator",
    )


def _without_extra_names(theirs, ours):
    """Our entry, without the elements that its error names and theirs doesn't."""
    errors = theirs.get("error"), ours.get("error")
    if not all(isinstance(error, dict) for error in errors):
        return ours
    named = errors[0].get("mentions", [])
    if not set(named) <= set(errors[1].get("mentions", [])):
        return ours
    error = {key: value for key, value in errors[1].items() if key != "mentions"}
    return {**ours, "error": error | ({"mentions": named} if named else {})}


def difference(expected, actual, program, context=4):
    """The lines in which two journals differ; empty if they agree.

    Args:
      expected: The oracle's `Journal`.
      actual: The subject's `Journal`.
      program: The program that was run.
      context: How many equal entries to show before the first difference.
    """
    theirs, ours = (comparable(journal.entries, program) for journal in (expected, actual))
    broken = next((i for i, entry in enumerate(theirs) if _iterator_is_broken(entry)), None)
    theirs, ours = theirs[:broken], ours[:broken]
    ours[: len(theirs)] = map(_without_extra_names, theirs, ours)
    one, two = (
        [json.dumps(entry, ensure_ascii=False, sort_keys=True) for entry in side]
        for side in (theirs, ours)
    )
    if one == two:
        return []
    lines = difflib.unified_diff(one, two, "tensorflow", "compat", n=context, lineterm="")
    return list(lines)
