"""`python -m compat verify OLD NEW`: prove that two runs gave the same numbers.

Exit status: 0 equal within the tolerance; 1 different, or part of a run can't be read;
2 nothing could be compared, or wrong arguments.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compat.verify.report import Report

_DESCRIPTION = """\
Compares two runs from the files they left: checkpoints, event files, logs and timelines
of any TensorFlow, by Estimator, sessions or Keras. OLD is the reference.
"""
_EPILOG = """\
verdicts: equal (exit status 0); different, or incomplete because a file is damaged (1);
nothing could be compared (2). The JSON form has the schema that compat.verify.report
describes; a names map the form that compat.verify.names describes.
"""


def main(argv: list[str]) -> int:
    """Runs the command.

    Args:
      argv: The arguments after `verify`.

    Returns:
      0 equal, 1 different or incomplete, 2 could not compare.
    """
    parser = _parser()
    # What follows `--` belongs to the script of --run-both.
    own, script_args = argv, []
    if "--" in argv:
        cut = argv.index("--")
        own, script_args = argv[:cut], argv[cut + 1 :]
    try:
        args = parser.parse_args(own)
    except SystemExit as stop:
        return int(stop.code or 0)
    problem = _wrong_use(args, script_args)
    if problem:
        return _fail(problem)
    # TensorFlow's own notes would stand among the progress; its errors still show.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    try:
        if args.run_both:
            from compat.verify.run_both import run_both

            report, kept = run_both(
                args.run_both,
                script_args,
                args.legacy_python,
                seed=args.seed,
                scratch=args.scratch,
                say=_say(args.quiet),
                compare=lambda old, new: _compare(args, old, new),
            )
            if kept:
                print(f"the runs are kept in {kept}", file=sys.stderr)
        else:
            report = _compare(args, args.old, args.new)
    except (OSError, ValueError, RuntimeError) as error:
        return _fail(str(error))
    _write(args, report)
    return report.exit_code


def _parser() -> argparse.ArgumentParser:
    from compat.verify.parts import PARTS

    parser = argparse.ArgumentParser(
        prog="python -m compat verify",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("old", nargs="?", metavar="OLD", help="directory, checkpoint, event file, timeline or log")
    add("new", nargs="?", metavar="NEW", help="the run to compare with it")
    add("--rtol", type=float, default=1e-5, help="tolerance relative to OLD (default 1e-5)")
    add("--atol", type=float, default=1e-6, help="absolute tolerance (default 1e-6)")
    add("--map", metavar="FILE", help="JSON: what OLD's names are called in NEW")
    add("--ignore", metavar="PATTERN", action="append", default=[],
        help="leave out names that match (*, ?); may be repeated")  # fmt: skip
    add("--only", metavar="PART", action="append", choices=PARTS,
        help=f"compare only this part ({', '.join(PARTS)}); may be repeated")  # fmt: skip
    add("--format", choices=("text", "json", "html"), default="text", help="default: text")
    add("--output", metavar="FILE", help="write the report there instead of standard output")
    add("--limit", type=int, default=20, help="rows of a table in the text form (default 20)")
    add("--quiet", action="store_true", help="no progress")
    both = parser.add_argument_group("running a script under TF1 and under compat, then comparing")
    both.add_argument("--run-both", metavar="SCRIPT",
        help="the script; its arguments follow `--`")  # fmt: skip
    both.add_argument("--legacy-python", metavar="PY", help="a Python that has TensorFlow 1")
    both.add_argument("--seed", type=int, default=1, help="seed of both runs (default 1)")
    both.add_argument("--scratch", metavar="DIR", help="keep both runs in this new directory")
    return parser


def _wrong_use(args: argparse.Namespace, script_args: list[str]) -> str | None:
    if args.run_both:
        if args.old or args.new:
            return "--run-both makes both runs itself; leave OLD and NEW out"
        if not args.legacy_python:
            return "--run-both needs --legacy-python, a Python that has TensorFlow 1"
    elif not args.old or not args.new:
        return "two runs are needed: python -m compat verify OLD NEW (or --run-both)"
    elif script_args:
        return f"arguments after `--` belong to --run-both; got {script_args!r}"
    if args.output and not args.run_both:
        target = os.path.abspath(args.output)
        for run in (args.old, args.new):
            if os.path.isdir(run) and _lies_in(target, run):
                return f"nothing is written into a compared directory; got --output {args.output}"
    return None


def _lies_in(path: str, directory: str) -> bool:
    directory = os.path.realpath(directory)
    return os.path.commonpath([os.path.realpath(path), directory]) == directory


def _compare(args: argparse.Namespace, old: str, new: str) -> Report:
    from compat.verify.comparison import compare
    from compat.verify.parts import PARTS

    with _progress(args.quiet) as progress:
        return compare(
            old, new, args.rtol, args.atol, args.map,
            only=args.only or PARTS, ignore=args.ignore, progress=progress,
        )  # fmt: skip


def _write(args: argparse.Namespace, report: Report) -> None:
    to_terminal = not args.output and sys.stdout.isatty()
    if args.format == "json":
        text = report.to_json() + "\n"
    elif args.format == "html":
        text = report.to_html()
    else:
        width = shutil.get_terminal_size((100, 24)).columns if to_terminal else 100
        text = report.to_text(width, args.limit, color=to_terminal)
    if not args.output:
        sys.stdout.write(text)
        return
    with open(args.output, "w", encoding="utf-8") as stream:
        stream.write(text)
    print(f"{report.verdict}: {report.summary}\nwritten to {args.output}", file=sys.stderr)


def _fail(problem: str) -> int:
    print(f"python -m compat verify: {problem}", file=sys.stderr)
    return 2


def _say(quiet: bool) -> Callable[[str], None]:
    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    return say


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar on the terminal, nothing when the output is captured."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def show(text: str, done: int, total: int) -> None:
            bar.update(task, description=text, completed=done, total=total)

        yield show
