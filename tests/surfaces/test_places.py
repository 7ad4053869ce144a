"""The compatibility table is true: names work, or don't, where it says so."""

from __future__ import annotations

import pathlib

import place_programs as programs
import pytest
from jobs import run_job

from compat.migrate import elsewhere, lookup

HERE = pathlib.Path(__file__).parent

#: What the table says of one name rests on where it got its variables from.
NEEDS = {"train.ExponentialMovingAverage": "trainable_variables"}


def works(name, place):
    return lookup.places(NEEDS.get(name, name))[place].works


def split(place):
    working = {n: build for n, build in programs.OPS.items() if works(n, place)}
    return working, {n: b for n, b in programs.OPS.items() if n not in working}


@pytest.mark.parametrize("place", programs.RUNNERS)
def test_names_that_work(place):
    hook = programs.Fetches(split(place)[0])
    programs.RUNNERS[place]([hook])
    assert hook.runs == programs.STEPS


@pytest.mark.parametrize(
    "place, name",
    [(place, name) for place in programs.RUNNERS for name in split(place)[1]],
)
def test_names_that_do_not(place, name):
    with pytest.raises(Exception):  # Each fails in its own way.
        programs.RUNNERS[place]([programs.Fetches({name: programs.OPS[name]})])


@pytest.mark.parametrize("place", programs.RUNNERS)
@pytest.mark.parametrize("name", programs.HOOKS)
def test_hooks(name, place, tmp_path):
    check = programs.HOOKS[name]
    if works(name, place):
        check(programs.RUNNERS[place], str(tmp_path))
    else:
        with pytest.raises(AssertionError):
            check(programs.RUNNERS[place], str(tmp_path))


def test_two_workers(tmp_path):
    place = elsewhere.WORKERS
    broken = list(split(place)[1])
    script = str(HERE / "place_programs.py")
    workers = run_job(2, script=script, directory=str(tmp_path), broken=broken)
    for worker in workers:
        assert worker.code == 0, worker.stderr[-3000:]
        (facts,) = worker.said
        assert facts["runs"] == facts["final"] == 3
        assert facts["logged"] == 2
        assert "can't be fed" in facts["refused"]
    chief, other = (worker.said[0] for worker in workers)
    assert chief["saves"] and not other["saves"]
    assert chief["tags"] == ["global_step/sec", "of_step"]
    assert chief["timelines"]
    assert not lookup.places("train.FeedFnHook")[place].works


def test_every_place_is_tried():
    assert [*programs.RUNNERS, elsewhere.WORKERS] == list(elsewhere.PLACES)
