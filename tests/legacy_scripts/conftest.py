"""Runs the legacy scripts' cases in the background, two at a time."""

import concurrent.futures
import shutil
import subprocess
import sys

import compare
import pytest
from script_cases import CASES, COMPAT_RUN, SCRIPTS, with_script_path


def run_case(name, work_dir, command=COMPAT_RUN, scripts=SCRIPTS):
    """Returns one (finished process, snapshot) a run of the case."""
    results = []
    for argv in CASES[name]:
        done = compare.run_script(command, with_script_path(argv, scripts), work_dir)
        results.append((done, compare.snapshot(done, work_dir)))
    return results


@pytest.fixture(scope="session")
def upgraded_scripts(tmp_path_factory):
    """A copy of all scripts after `upgrade --to dropin --write`."""
    copy = tmp_path_factory.mktemp("upgraded") / "scripts"
    shutil.copytree(SCRIPTS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    run = subprocess.run(
        [sys.executable, "-m", "compat", "upgrade", "--to", "dropin", "--write", str(copy)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return copy


def _cases_of(session, parameter):
    """The cases that the selected tests ask for, in order."""
    names = {
        item.callspec.params[parameter]
        for item in session.items
        if parameter in getattr(getattr(item, "callspec", None), "params", {})
    }
    return [name for name in CASES if name in names]


@pytest.fixture(scope="session")
def finished_cases(request, tmp_path_factory):
    """Runs under `compat run`: name -> future of `run_case`."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        yield {
            name: pool.submit(run_case, name, tmp_path_factory.mktemp(name))
            for name in _cases_of(request.session, "case")
        }


@pytest.fixture(scope="session")
def finished_upgraded_cases(request, tmp_path_factory, upgraded_scripts):
    """Runs of the upgraded scripts by themselves: name -> future of `run_case`."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        yield {
            name: pool.submit(
                run_case, name, tmp_path_factory.mktemp(name), [sys.executable], upgraded_scripts
            )
            for name in _cases_of(request.session, "upgraded_case")
        }
