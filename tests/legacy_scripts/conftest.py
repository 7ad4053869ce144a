"""Runs the legacy scripts' cases in the background, two at a time."""

import concurrent.futures

import compare
import pytest
from script_cases import CASES, COMPAT_RUN, with_script_path


def run_case(name, work_dir):
    """Returns one (finished process, snapshot) a run of the case."""
    results = []
    for argv in CASES[name]:
        done = compare.run_script(COMPAT_RUN, with_script_path(argv), work_dir)
        results.append((done, compare.snapshot(done, work_dir)))
    return results


@pytest.fixture(scope="session")
def finished_cases(request, tmp_path_factory):
    """The cases the selected tests ask for: name -> future of `run_case`."""
    names = {
        item.callspec.params["case"]
        for item in request.session.items
        if "case" in getattr(getattr(item, "callspec", None), "params", {})
    }
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        yield {
            name: pool.submit(run_case, name, tmp_path_factory.mktemp(name))
            for name in CASES
            if name in names
        }
