"""The command line: `python -m compat COMMAND …`.

Each command lives in its own module and is imported only when it is asked for,
so that the static tools start without loading TensorFlow.
"""

from __future__ import annotations

import importlib
import sys

#: command -> (module, one-line help). Every module has `main(argv) -> int`.
COMMANDS = {
    "run": ("compat.migrate.run", "run an unmodified TF1 script on eager TensorFlow 2"),
    "check": ("compat.migrate.check", "report which TF1 symbols of a code base work, and how"),
    "upgrade": ("compat.migrate.upgrade", "rewrite TF1 sources towards TF2 in steps"),
    "timeline": ("compat.profiling.cli", "turn a tf.profiler capture into a Chrome trace"),
    "verify": ("compat.verify.cli", "prove that two runs gave the same numbers"),
}


def _usage() -> str:
    lines = ["usage: python -m compat COMMAND [arguments]", "", "commands:"]
    lines += [f"  {name:<10}{text}" for name, (_, text) in COMMANDS.items()]
    lines += ["", "`python -m compat COMMAND --help` describes one command."]
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Runs one command.

    Args:
      argv: The arguments after the program's name; `sys.argv[1:]` by default.

    Returns:
      The exit status: 0 done, 1 found differences or problems, 2 could not run.
    """
    args = sys.argv[1:] if argv is None else list(argv)
    if not args or args[0] in ("-h", "--help"):
        print(_usage())
        return 0 if args else 2
    if args[0] not in COMMANDS:
        print(f"python -m compat: unknown command {args[0]!r}\n\n{_usage()}", file=sys.stderr)
        return 2
    module, _ = COMMANDS[args[0]]
    return importlib.import_module(module).main(args[1:])


if __name__ == "__main__":
    sys.exit(main())
