"""The command line of `compat upgrade`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from compat.migrate.progress import progress
from compat.migrate.source.files import MissingPath, discover
from compat.migrate.source.reading import without_gc
from compat.migrate.upgrade import report
from compat.migrate.upgrade.engine import Outcome, upgrade_file
from compat.migrate.upgrade.registry import DROPIN, MODES, all_fixers
from compat.migrate.upgrade.writing import replace_file

# Below this many files, starting processes costs more than it saves.
_FEW_FILES = 24


def main(argv: list[str]) -> int:
    """Runs the command.

    Args:
      argv: The arguments after `upgrade`.

    Returns:
      0 nothing to change, 1 changes found or written, 2 something could not be read.
    """
    options = _parser().parse_args(argv)
    if options.fixers:
        for fixer in dict.fromkeys((f.code, f.title, f.modes) for f in all_fixers()):
            print(f"{fixer[0]}  {fixer[1]} ({', '.join(fixer[2])})")
        return 0
    if not options.paths:
        print("compat upgrade: no paths given", file=sys.stderr)
        return 2
    try:
        files = discover(options.paths, options.exclude)
    except MissingPath as error:
        print(f"compat upgrade: {error}", file=sys.stderr)
        return 2
    one = partial(upgrade_file, mode=options.to, select=options.select, ignore=options.ignore)
    outcomes = _upgrade(files, one, options.jobs, options.quiet)
    if options.write:
        outcomes = [_write(outcome) for outcome in outcomes]
    _print(outcomes, options)
    if any(outcome.error is not None for outcome in outcomes):
        return 2
    return 1 if any(outcome.changed for outcome in outcomes) else 0


def _upgrade(
    files: Sequence[Path], one: Callable[[Path], Outcome], jobs: int | None, quiet: bool
) -> list[Outcome]:
    if jobs is None:
        jobs = os.cpu_count() or 1 if len(files) >= _FEW_FILES else 1
    with without_gc():
        if jobs <= 1:
            return list(progress(map(one, files), len(files), quiet))
        with ProcessPoolExecutor(jobs) as pool:
            return list(progress(pool.map(one, files, chunksize=8), len(files), quiet))


def _write(outcome: Outcome) -> Outcome:
    if not outcome.changed:
        return outcome
    try:
        replace_file(outcome.path, outcome.new)
    except OSError as error:
        what = f"it cannot be written: {error.strerror or error}"
        return outcome._replace(new=outcome.old, error=("C903", 1, what))
    return outcome


def _print(outcomes: list[Outcome], options: argparse.Namespace) -> None:
    if options.format == "json":
        sys.stdout.write(report.as_json(outcomes, options.write))
        return
    if not options.write:
        for outcome in outcomes:
            sys.stdout.write(report.diff(outcome))
    # The diff alone goes to standard output, so that it can be piped to `git apply`.
    stream = sys.stdout if options.write else sys.stderr
    stream.write(report.text(outcomes, options.write))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m compat upgrade",
        description="Rewrite TensorFlow 1 sources; what is not certain is left and reported.",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files, notebooks, folders")
    parser.add_argument("--to", choices=MODES, default=DROPIN, help="how far (default: dropin)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--diff", action="store_true", help="show the changes (the default)")
    what.add_argument("--write", action="store_true", help="make the changes")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    for option, what_for in (("--select", "only these"), ("--ignore", "all but these")):
        parser.add_argument(
            option,
            type=lambda text: text.split(","),
            default=[],
            metavar="CODES",
            help=f"{what_for} fixers and remarks (U101,C4)",
        )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="PATTERN", help="files to leave out"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="processes to use")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--fixers", action="store_true", help="list the fixers and stop")
    return parser
