"""`python -m compat check PATHS…`: which TF1 symbols does a code base use, and do they work?

Reads the sources; runs nothing and does not load TensorFlow. Exit status: 0 nothing
stands in the way, 1 something does (see --fail-on), 2 a file could not be read.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from compat.migrate import symbols
from compat.migrate.findings import Report
from compat.migrate.linking import CodeBase
from compat.migrate.progress import progress
from compat.migrate.reports import FORMATS, render
from compat.migrate.source.facts import FileFacts, collect
from compat.migrate.source.files import MissingPath, discover
from compat.migrate.source.project import Modules
from compat.migrate.source.reading import without_gc

# Below this many files, starting processes costs more than it saves.
_FEW_FILES = 24


def check(
    paths: Sequence[str],
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    exclude: Sequence[str] = (),
    jobs: int | None = None,
    quiet: bool = True,
) -> Report:
    """Reports on the files below some paths.

    Args:
      paths: Files and folders.
      select: Prefixes of the rule codes wanted; all if empty.
      ignore: Prefixes of the rule codes not wanted.
      exclude: Shell patterns of files to leave out.
      jobs: How many processes to use; by default one for each CPU of a large code base.
      quiet: Whether to show no progress.

    Returns:
      The report.

    Raises:
      MissingPath: If a path does not exist.
    """
    files = discover(paths, exclude)
    modules = Modules(files)
    if jobs is None:
        jobs = os.cpu_count() or 1 if len(files) >= _FEW_FILES else 1
    with without_gc(), _Readers(jobs) as run:
        facts = {fact.path: fact for fact in progress(run(files, modules, None), len(files), quiet)}
        code_base = CodeBase(list(facts.values()), modules)
        # A class may come from a hook class without its file ever naming TensorFlow.
        known = b""
        while (pattern := code_base.missing_imports()) and pattern.pattern != known:
            known = pattern.pattern
            rest = [path for path, fact in facts.items() if not fact.parsed and not fact.error]
            facts.update((fact.path, fact) for fact in run(rest, modules, pattern))
            code_base = CodeBase(list(facts.values()), modules)
    return code_base.report(select, ignore)


_Run = Callable[[Iterable[Path], Modules, re.Pattern[bytes] | None], Iterator[FileFacts]]


class _Readers:
    """Reads files in this process or in several; use it with `with`."""

    def __init__(self, jobs: int):
        self._pool = ProcessPoolExecutor(jobs) if jobs > 1 else None

    def __enter__(self) -> _Run:
        return self._run

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def _run(
        self, files: Iterable[Path], modules: Modules, extra: re.Pattern[bytes] | None
    ) -> Iterator[FileFacts]:
        one = partial(collect, local_names=modules.top_names(), extra=extra)
        if self._pool is None:
            return map(one, files)
        return self._pool.map(one, files, chunksize=8)


def main(argv: list[str]) -> int:
    """Runs the command.

    Args:
      argv: The arguments after `check`.

    Returns:
      0 fine, 1 something stands in the way, 2 something could not be read.
    """
    options = _parser().parse_args(argv)
    if options.rules:
        for code, rule in symbols.RULES.items():
            print(f"{code}  [{symbols.STATUS_TITLES[rule.status]}] {rule.title}")
        return 0
    if not options.paths:
        print("compat check: no paths given", file=sys.stderr)
        return 2
    try:
        report = check(
            options.paths,
            select=options.select,
            ignore=options.ignore,
            exclude=options.exclude,
            jobs=options.jobs,
            quiet=options.quiet,
        )
    except MissingPath as error:
        print(f"compat check: {error}", file=sys.stderr)
        return 2
    text = render(report, options.format)
    if not options.output:
        sys.stdout.write(text)
        return report.exit_code(options.fail_on)
    try:
        Path(options.output).write_text(text, "utf-8")
    except OSError as error:
        print(f"compat check: {error}", file=sys.stderr)
        return 2
    return report.exit_code(options.fail_on)


def _codes(text: str) -> list[str]:
    codes = [code.strip() for code in text.split(",") if code.strip()]
    for code in codes:
        if not any(known.startswith(code) for known in symbols.RULES):
            raise argparse.ArgumentTypeError(
                f"no rule starts with {code!r}; `compat check --rules` lists them"
            )
    return codes


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m compat check",
        description="Report every TensorFlow 1 symbol in use: does it work, and how?",
        epilog="A comment `# compat: ignore[C403]` silences a rule on its line, "
        "`# compat: ignore-file[C4]` in its file.",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files, notebooks, folders")
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("--output", metavar="FILE", help="write the report there")
    parser.add_argument(
        "--select", type=_codes, default=[], metavar="CODES", help="only these rules (C4,C302)"
    )
    parser.add_argument(
        "--ignore", type=_codes, default=[], metavar="CODES", help="all but these rules"
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="PATTERN", help="files to leave out"
    )
    parser.add_argument(
        "--fail-on",
        choices=("differs", "hand", "unsupported", "never"),
        default="hand",
        help="the mildest finding that makes the exit status 1 (default: hand)",
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="processes to use")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--rules", action="store_true", help="list the rule codes and stop")
    return parser
