"""Runs random hook programs on TensorFlow's v1 sessions and on the product's.

    python tests/differential/run.py --seeds 0:500
    python tests/differential/run.py --seeds 0:2000 --surfaces monitored,training
    python tests/differential/run.py --verbose 17

Exit status: 0 all programs agree, 1 some differ, 2 could not run.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import os
import pprint
import re
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from hook_programs.backends import BACKENDS
from hook_programs.differences import difference
from hook_programs.execute import execute
from hook_programs.generate import generate
from hook_programs.shrink import shrink
from hook_programs.structures import Unsupported


def main(argv):
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:100", help="first:last+1, or one seed")
    parser.add_argument("--surfaces", default="singular", help="singular,monitored,training")
    parser.add_argument("--verbose", type=int, metavar="SEED", help="one program in full")
    parser.add_argument("--subject", default="compat", choices=sorted(BACKENDS))
    parser.add_argument("--lines", type=int, default=12, help="lines of a difference to show")
    parser.add_argument("--shrink", action="store_true", help="make failing programs smaller")
    arguments = parser.parse_args(argv)
    surfaces = tuple(arguments.surfaces.split(","))
    sides = BACKENDS["tensorflow"](), BACKENDS[arguments.subject]()
    if arguments.verbose is not None:
        return _show(generate(arguments.verbose, surfaces), sides, arguments)
    return _compare_all(_seeds(arguments.seeds), surfaces, sides, arguments)


def _seeds(text):
    first, _, last = text.partition(":")
    return range(int(first), int(last) if last else int(first) + 1)


def _compare(program, sides):
    # A hanging program names its place instead of hanging the whole run.
    faulthandler.dump_traceback_later(120, exit=True)
    try:
        journals = [execute(program, side) for side in sides]
    finally:
        faulthandler.cancel_dump_traceback_later()
    return difference(*journals, program), journals


def _compare_all(seeds, surfaces, sides, arguments):
    failed = []
    kinds = collections.defaultdict(list)
    for seed in seeds:
        program = generate(seed, surfaces)
        try:
            lines, _ = _compare(program, sides)
        except Unsupported as error:
            print(f"seed {seed}: skipped, needs {error}")
            continue
        if lines:
            failed.append(seed)
            kinds[_kind(lines)].append(seed)
            if arguments.shrink:
                program = shrink(program, lambda p: bool(_compare(p, sides)[0]))
                lines, _ = _compare(program, sides)
                print(f"seed {seed}, made smaller:\n{pprint.pformat(program, width=110)}")
            print(f"seed {seed} differs:")
            for line in lines[: arguments.lines]:
                print("   ", line[:400])
            sys.stdout.flush()
    print(f"{len(seeds) - len(failed)} of {len(seeds)} programs agree")
    for kind, members in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"  {len(members):4} {kind}: {members[:8]}")
    return 1 if failed else 0


def _kind(lines):
    """A short name for the class of a difference: the first differing places."""
    changed = [line for line in lines[2:] if line[0] in "+-"]
    places = [line[0] + _place(line) for line in changed[:1] + changed[-1:]]
    return " ".join(places)


def _place(line):
    place = re.search(r'"at": "([^"]*)"', line)
    return re.sub(r"\d+", "N", place.group(1)) if place else ""


def _show(program, sides, arguments):
    pprint.pprint(program, width=110)
    lines, journals = _compare(program, sides)
    for side, journal in zip(sides, journals, strict=True):
        print(f"--- {side.name}")
        for entry, note in zip(journal.entries, journal.notes, strict=True):
            print("   ", entry)
            if note:
                print("        " + note.rstrip().replace("\n", "\n        "))
    print("--- difference" if lines else "--- the programs agree")
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
