"""Checks a Chrome trace against the Trace Event Format, as far as the package uses it."""

from __future__ import annotations

import math

_COMMON = {"name": str, "ph": str, "pid": int, "tid": int}
_TIMED = {**_COMMON, "cat": str, "ts": float}
_REQUIRED = {
    "M": {**_COMMON, "args": dict},
    "X": {**_TIMED, "dur": float, "args": dict},
    "s": {**_TIMED, "id": int},
    "t": {**_TIMED, "id": int},
    "N": {**_TIMED, "id": int},
    "O": {**_TIMED, "id": int, "args": dict},
    "D": {**_TIMED, "id": int},
    "C": {**_TIMED, "args": dict},
}
_NANOSECOND = 1e-3


def check(events):
    """Raises AssertionError with the event that is wrong."""
    events = list(events)
    for event in events:
        _check_keys(event)
    _check_order(events)
    _check_lanes(events)
    _check_flows(events)
    _check_objects(events)
    named = {event["pid"] for event in events if event["ph"] == "M"}
    assert all(event["pid"] in named for event in events)


def _check_keys(event):
    required = _REQUIRED[event["ph"]]
    assert set(event) == set(required), event
    for key, kind in required.items():
        allowed = (int, float) if kind is float else kind
        assert isinstance(event[key], allowed) and not isinstance(event[key], bool), event
        if kind is float:
            assert math.isfinite(event[key]), event
    if event["ph"] == "X":
        assert event["dur"] >= 0, event
    if event["ph"] == "O":
        assert isinstance(event["args"]["snapshot"], dict), event
    if event["ph"] == "C":
        assert event["args"] and all(isinstance(v, int) for v in event["args"].values()), event
    if event["ph"] == "M":
        assert isinstance(event["args"]["name"], str), event


def _check_order(events):
    phases = [event["ph"] for event in events]
    first_timed = next((i for i, phase in enumerate(phases) if phase != "M"), len(phases))
    assert "M" not in phases[first_timed:]
    times = [event["ts"] for event in events[first_timed:]]
    assert times == sorted(times)


def _check_lanes(events):
    last = {}
    for event in events:
        if event["ph"] == "X" and event["cat"] != "Framework":
            lane = (event["pid"], event["tid"])
            # Half a nanosecond is what adding two floats may be off.
            assert event["ts"] >= last.get(lane, -math.inf) - _NANOSECOND / 2, event
            last[lane] = event["ts"] + event["dur"]


def _check_flows(events):
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "t"}
    assert len(starts) == sum(event["ph"] == "s" for event in events)
    assert len(ends) == sum(event["ph"] == "t" for event in events)
    assert set(starts) == set(ends)
    slices = {}
    for event in events:
        if event["ph"] == "X":
            slices.setdefault((event["pid"], event["tid"]), []).append(event)
    for number, start in starts.items():
        end = ends[number]
        assert start["ts"] <= end["ts"], (start, end)
        assert (start["name"], start["cat"]) == (end["name"], end["cat"]), (start, end)
        for half in (start, end):
            assert any(
                piece["ts"] <= half["ts"] <= piece["ts"] + piece["dur"] + _NANOSECOND / 2
                for piece in slices[half["pid"], half["tid"]]
            ), half


def _check_objects(events):
    lives = {}
    for event in events:
        if event["ph"] in "NOD":
            lives.setdefault((event["cat"], event["id"]), []).append(event)
    for life in lives.values():
        assert sorted(event["ph"] for event in life) == ["D", "N", "O"], life
        (made,) = (event for event in life if event["ph"] == "N")
        (shown,) = (event for event in life if event["ph"] == "O")
        (gone,) = (event for event in life if event["ph"] == "D")
        assert made["ts"] <= shown["ts"] <= gone["ts"], life
        assert len({(event["name"], event["pid"]) for event in life}) == 1, life
