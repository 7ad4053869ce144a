"""`check` finds every problem planted in the corpus, and no other."""

import re
from pathlib import Path

import pytest

from compat.migrate import symbols
from compat.migrate.check import check

CORPUS = Path(__file__).parent / "corpus"
CASES = sorted(
    path
    for path in CORPUS.iterdir()
    if path.name not in ("broken", "__pycache__") and (path.is_dir() or path.suffix == ".py")
)


def planted(path):
    """The problems and the working symbols that the comments of a file announce."""
    problems, works = set(), set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for mark, text in re.findall(r"#([!=]) ([^#]*)", line):
            for item in re.split(r",\s*", text.strip()):
                if mark == "!":
                    code, _, symbol = item.partition(" ")
                    problems.add((path.name, number, code, symbol))
                else:
                    works.add((path.name, number, item))
    return problems, works


def found(report):
    problems, works = set(), set()
    for finding in report.findings:
        symbol = finding.symbol if finding.code != "C601" else "module"
        if finding.status == symbols.WORKS:
            works.add((finding.path.name, finding.line, symbol))
        else:
            problems.add((finding.path.name, finding.line, finding.code, symbol))
    return problems, works


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_every_planted_problem_is_found_and_nothing_else(case):
    files = [case] if case.is_file() else sorted(case.rglob("*.py"))
    expected = [planted(path) for path in files]
    problems, works = found(check([str(case)], jobs=1))
    assert problems == set().union(*(item[0] for item in expected))
    assert works >= set().union(*(item[1] for item in expected))


def test_the_corpus_plants_every_rule_but_those_about_classes_and_files():
    codes = {code for path in CORPUS.rglob("*.py") for _, _, code, _ in planted(path)[0]}
    bad = (symbols.HAND, symbols.UNSUPPORTED, symbols.DIFFERS)
    wanted = {code for code, rule in symbols.RULES.items() if rule.status in bad}
    assert wanted - codes == {"C202"}


def test_the_whole_corpus_at_once_finds_the_same():
    expected = set().union(
        *(planted(path)[0] for path in CORPUS.rglob("*.py") if "broken" not in path.parts)
    )
    problems, _ = found(check([str(CORPUS)], exclude=["broken/*"], jobs=1))
    assert problems == expected


@pytest.mark.parametrize(
    "name, code, line",
    [
        ("python2.py", "C902", 4),
        ("except_clause.py", "C902", 5),
        ("no_tensorflow.py", "C902", 1),
        ("syntax.py", "C901", 4),
    ],
)
def test_files_that_are_not_python_3_are_reported_with_their_line(name, code, line):
    report = check([str(CORPUS / "broken" / name)])
    (finding,) = report.findings
    assert (finding.code, finding.line) == (code, line)
    assert report.exit_code("never") == 2


def test_hook_classes_are_found_across_files():
    report = check([str(CORPUS / "hooks_package")], jobs=1)
    hooks = {(hook.path.name, hook.name, hook.code, hook.base) for hook in report.hooks}
    assert hooks == {
        ("base.py", "Base", "C501", "tf.train.SessionRunHook"),
        ("derived.py", "Derived", "C501", "tf.train.SessionRunHook"),
        ("derived.py", "Further", "C501", "tf.train.SessionRunHook"),
        ("layers.py", "Deepest", "C501", "tf.train.SessionRunHook"),
    }


def test_several_processes_find_the_same():
    one = check([str(CORPUS)], jobs=1)
    two = check([str(CORPUS)], jobs=2)
    assert one.findings == two.findings
    assert one.hooks == two.hooks
