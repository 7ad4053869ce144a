"""`python -m compat timeline`: turns a profiler capture into a timeline and a report."""

from __future__ import annotations

import argparse
import contextlib
import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

_DESCRIPTION = """
Reads what tf.profiler recorded (an *.xplane.pb file, or the log directory of
tf.profiler.experimental.start, a TensorBoard callback or ProfilerHook), prints the
costliest ops, and writes a Chrome trace or a report that opens in any browser.
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m compat timeline", description=_DESCRIPTION)
    parser.add_argument("capture", metavar="XPLANE_OR_LOGDIR", help="the capture, or its directory")
    parser.add_argument("-o", "--output", metavar="FILE", help="write a Chrome trace")
    parser.add_argument("--html", metavar="FILE", help="write a self-contained report")
    parser.add_argument("--top", metavar="N", type=int, default=20, help="ops to list (20)")
    parser.add_argument("--dataflow", action="store_true", help="arrows from producers to users")
    parser.add_argument("--memory", action="store_true", help="tensors' lives, memory counters")
    parser.add_argument("--framework", action="store_true", help="the framework's own events")
    parser.add_argument(
        "--graph",
        metavar="FILE",
        help="a GraphDef (.pb, .pbtxt) or meta graph (.meta) that tells edges and types; "
        "by default what ProfilerHook kept beside the capture",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress, print no table")
    return parser


def main(argv: list[str]) -> int:
    """Runs the command.

    Args:
      argv: Its arguments.

    Returns:
      0, or 2 if there is no capture or a file can't be read or written.
    """
    arguments = _parser().parse_args(argv)
    if arguments.top < 0:
        print(f"--top must not be negative; got {arguments.top}.", file=sys.stderr)
        return 2
    gc.disable()  # Millions of small objects, none of them garbage until the end.
    try:
        _run(arguments)
    except (OSError, ValueError) as error:
        print(f"python -m compat timeline: {error}", file=sys.stderr)
        return 2
    finally:
        gc.enable()
    return 0


def _run(arguments: argparse.Namespace) -> None:
    # TensorFlow takes seconds to load; `--help` does not need it.
    from compat.profiling import chrome, parse, report, top_ops, xspace
    from compat.profiling.graph import GraphView

    progress = Console(stderr=True)
    quiet = arguments.quiet or not progress.is_terminal
    with _steps(progress, quiet) as step:
        step("Looking for the capture")
        files = xspace.find(arguments.capture)
        traces = []
        for file in files:
            step(f"Reading {file.name}")
            beside = arguments.graph or xspace.graph_beside(file)
            graph = _read_graph(str(beside)) if beside else GraphView()
            space = xspace.read(file)
            traces.append(parse.from_xspace(space, graph, framework=arguments.framework))
            traces[-1].host = traces[-1].host or file.name.removesuffix(xspace.SUFFIX)
        if arguments.output:
            step(f"Writing {arguments.output}")
            chrome.write_all(
                traces,
                arguments.output,
                show_dataflow=arguments.dataflow,
                show_memory=arguments.memory,
            )
        if arguments.html:
            step(f"Writing {arguments.html}")
            report.write(traces, arguments.html, title=Path(arguments.capture).name)
    if arguments.dataflow and not beside:
        print(
            "No arrows between ops: a capture does not say which op feeds which. "
            "Pass the graph with --graph.",
            file=sys.stderr,
        )
    if not arguments.quiet:
        _print_table(top_ops.costs(traces)[: arguments.top])


@contextlib.contextmanager
def _steps(console: Console, quiet: bool) -> Iterator[Any]:
    """A function that shows what is being done, on a terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet) as progress:
        task = progress.add_task("", total=None)
        yield lambda text: progress.update(task, description=text)


def _read_graph(path: str) -> Any:
    import tensorflow as tf
    from google.protobuf import text_format

    from compat.profiling.graph import graph_def_view

    data = Path(path).read_bytes()
    is_meta = path.endswith(".meta")
    proto = tf.compat.v1.MetaGraphDef() if is_meta else tf.compat.v1.GraphDef()
    try:
        if path.endswith((".pbtxt", ".txt")):
            text_format.Parse(data.decode(), proto)
        else:
            proto.ParseFromString(data)
    except Exception as error:  # The proto runtime's own DecodeError is not public.
        raise ValueError(f"Not a graph; got {path!r} ({error}).") from error
    return graph_def_view(proto.graph_def if is_meta else proto)


def _print_table(costs: list) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("op", overflow="fold")
    table.add_column("type")
    table.add_column("device")
    for heading in ("total µs", "self µs", "count", "share"):
        table.add_column(heading, justify="right", no_wrap=True)
    for cost in costs:
        table.add_row(
            cost.name,
            cost.type,
            cost.device.rpartition("device:")[2],
            f"{cost.total:.1f}",
            f"{cost.self_time:.1f}",
            str(cost.count),
            f"{cost.share:.1%}",
        )
    Console(width=None if sys.stdout.isatty() else 120).print(table)
