"""The report in SARIF 2.1.0, which code hosts show beside the changed lines."""

from __future__ import annotations

import json
from typing import Any

from compat.migrate import symbols
from compat.migrate.findings import Finding, HookClass, Report

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    symbols.WORKS: "none",
    symbols.DIFFERS: "note",
    symbols.HAND: "warning",
    symbols.UNSUPPORTED: "error",
    symbols.INFO: "none",
    symbols.ERROR: "error",
}


def render(report: Report) -> str:
    """Writes a report as SARIF."""
    codes = sorted(symbols.RULES)
    driver = {
        "name": "compat check",
        "rules": [
            {
                "id": code,
                "shortDescription": {"text": symbols.RULES[code].title},
                "defaultConfiguration": {"level": _LEVELS[symbols.RULES[code].status]},
            }
            for code in codes
        ],
    }
    results = [_finding(finding, codes) for finding in report.findings]
    results += [_hook(hook, codes) for hook in report.hooks]
    run = {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
    content = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _finding(finding: Finding, codes: list[str]) -> dict[str, Any]:
    text = finding.message
    if finding.cell is not None:
        text = f"cell {finding.cell}, line {finding.line}: {text}"
    region = {"startLine": finding.line, "startColumn": finding.column}
    return _result(finding.code, finding.status, text, finding.path.as_posix(), region, codes)


def _hook(hook: HookClass, codes: list[str]) -> dict[str, Any]:
    surfaces = "; ".join(f"{surface.name}: {surface.answer}" for surface in hook.surfaces)
    region = {"startLine": hook.line}
    text = f"{hook.name}: {surfaces}"
    return _result(hook.code, symbols.INFO, text, hook.path.as_posix(), region, codes)


def _result(
    code: str, status: str, text: str, uri: str, region: dict[str, int], codes: list[str]
) -> dict[str, Any]:
    level = _LEVELS[status]
    # SARIF wants level "none" for everything that is not a failure.
    kind = {symbols.WORKS: "pass", symbols.INFO: "informational"}.get(status, "fail")
    return {
        "ruleId": code,
        "ruleIndex": codes.index(code),
        "level": level,
        "kind": kind,
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
    }
