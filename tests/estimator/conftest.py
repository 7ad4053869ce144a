"""Runs the estimator scripts' cases in the background, two at a time."""

import concurrent.futures
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), "golden"))

from estimator_cases import CASES, run_case
from script_cases import COMPAT_RUN


@pytest.fixture(scope="session")
def finished_estimator_cases(request, tmp_path_factory):
    """The cases the selected tests ask for: name -> future of `run_case`."""
    names = {
        item.callspec.params["estimator_case"]
        for item in request.session.items
        if "estimator_case" in getattr(getattr(item, "callspec", None), "params", {})
    }
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        yield {
            name: pool.submit(run_case, name, COMPAT_RUN, tmp_path_factory.mktemp(name))
            for name in CASES
            if name in names
        }
