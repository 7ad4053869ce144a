"""Records what TensorFlow 1.15's hooks and sessions do, case by case.

    python tests/golden/record_hooks.py [FAMILY...]    write hooks/recorded/FAMILY.json

A family is a module of `hooks/cases`; without names all are recorded. Run it with the
Python of a TensorFlow 1.15 installation.
"""

from __future__ import annotations

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import tensorflow as tf
from hooks.bench import GraphSurface, run_case
from hooks.cases import CASES

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hooks", "recorded")


def record(family):
    """Writes the recordings of one family of cases."""
    journals = {}
    for name, (function, _) in sorted(CASES.items()):
        if name.partition(".")[0] == family:
            journals[name] = run_case(function, tf, tf.train, GraphSurface(tf, 0.02))
    path = os.path.join(RECORDED, family + ".json")
    with open(path, "w") as stream:
        stream.write(_json({"tensorflow": tf.__version__, "cases": journals}))
    print(f"{family}: {len(journals)} cases")


def _json(recording):
    """JSON with one line an entry, to stay readable in a diff."""
    lines = ["{", ' "tensorflow": {},'.format(json.dumps(recording["tensorflow"])), ' "cases": {']
    for number, (name, journal) in enumerate(sorted(recording["cases"].items())):
        lines.append("  {}{}: [".format("," if number else "", json.dumps(name)))
        entries = [json.dumps(entry) for entry in journal]
        lines.extend("   " + entry + "," for entry in entries[:-1])
        lines.extend("   " + entry for entry in entries[-1:])
        lines.append("  ]")
    return "\n".join([*lines, " }", "}"]) + "\n"


def main(argv):
    """Returns 0, or 2 for an unknown family."""
    families = sorted({name.partition(".")[0] for name in CASES})
    unknown = sorted(set(argv) - set(families))
    if unknown:
        print("unknown {}; the families are {}".format(unknown[0], ", ".join(families)))
        return 2
    os.makedirs(RECORDED, exist_ok=True)
    for family in argv or families:
        record(family)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
