"""The formats of `compat check`: text, json, sarif and markdown.

Each module has `render(report) -> str`.
"""

from __future__ import annotations

import importlib

from compat.migrate.findings import Report

FORMATS = ("text", "json", "sarif", "markdown")


def render(report: Report, form: str) -> str:
    """Writes a report.

    Args:
      report: The report.
      form: One of `FORMATS`.

    Returns:
      The text, with a newline at the end.
    """
    # Only the module asked for is loaded: start-up time counts in editors and hooks.
    return importlib.import_module(f"compat.migrate.reports.{form}").render(report)
