"""`python -m compat upgrade PATHS…`: rewrites TF1 sources towards TF2, in steps.

`--to dropin` makes every import of TensorFlow one of `compat.v1`; `--to tf-function`
turns a session loop into one around a tf.function step where that can be decided;
`--to keras` gives hook classes the package's base, so that fit takes them as callbacks.
What is not certain is left as it is and reported.

Each fixer is a file in `fixers/`; `registry` says what a fixer is, `assembly` puts import
statements together, `rewriting` applies the edits, `engine` upgrades one file.
"""

from __future__ import annotations


def main(argv: list[str]) -> int:
    """Runs the command.

    Args:
      argv: The arguments after `upgrade`.

    Returns:
      0 nothing to change, 1 changes found or written, 2 something could not be read.
    """
    from compat.migrate.upgrade import command

    return command.main(argv)
