"""The report for programs, one JSON object."""

from __future__ import annotations

import json
from typing import Any

from compat.migrate import symbols
from compat.migrate.findings import Finding, HookClass, Report

#: Grows when a field changes its meaning.
VERSION = 1


def render(report: Report) -> str:
    """Writes a report as JSON."""
    content = {
        "version": VERSION,
        "files": report.files,
        "silenced": report.silenced,
        "counts": report.counts(),
        "findings": [_finding(finding) for finding in report.findings],
        "hooks": [_hook(hook) for hook in report.hooks],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "path": finding.path.as_posix(),
        "cell": finding.cell,
        "line": finding.line,
        "column": finding.column,
        "code": finding.code,
        "status": finding.status,
        "rule": symbols.RULES[finding.code].title,
        "symbol": finding.symbol,
        "note": finding.note,
        "use": finding.use,
    }


def _hook(hook: HookClass) -> dict[str, Any]:
    return {
        "path": hook.path.as_posix(),
        "cell": hook.cell,
        "line": hook.line,
        "code": hook.code,
        "name": hook.name,
        "base": hook.base,
        "methods": list(hook.methods),
        "surfaces": {
            surface.name: {"answer": surface.answer, "reasons": list(surface.reasons)}
            for surface in hook.surfaces
        },
    }
