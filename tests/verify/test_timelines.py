"""Timelines: ops and their counts are compared, times stand side by side."""

import gzip
import json
import os
import shutil

from run_edits import GOLDEN

from compat.verify import compare

TIMELINE = os.path.join(GOLDEN, "formats_1_15", "timeline-0.json")


def edited(tmp_path, change):
    with open(TIMELINE) as stream:
        trace = json.load(stream)
    trace["traceEvents"] = change(trace["traceEvents"])
    path = tmp_path / "timeline-0.json"
    path.write_text(json.dumps(trace))
    return path


def test_slower_run_is_equal_and_shares_are_shown(tmp_path):
    def slower(events):
        return [dict(e, dur=e["dur"] * 7) if "dur" in e else e for e in events]

    report = compare(TIMELINE, edited(tmp_path, slower))
    assert report.equal, report.to_text()
    assert report.compared["timelines"]["ops"] > 5
    matmul = next(row for row in report.shares if row.op == "MatMul")
    assert matmul.old_count == matmul.new_count == 2 and 0 < matmul.old_share < 1
    assert abs(sum(row.new_share for row in report.shares) - 1) < 1e-6
    assert "Time by op type" in report.to_text() and "MatMul" in report.to_html()


def test_missing_op_is_named(tmp_path):
    without = edited(tmp_path, lambda events: [e for e in events if e.get("name") != "Relu"])
    report = compare(TIMELINE, without)
    assert [(d.kind, d.name) for d in report.differences] == [("missing", "Relu")]


def test_op_that_ran_twice_is_named(tmp_path):
    def twice(events):
        return events + [e for e in events if e.get("name") == "Relu" and e["ph"] == "X"]

    (found,) = compare(TIMELINE, edited(tmp_path, twice)).differences
    assert (found.kind, found.name, found.old, found.new) == ("count", "Relu", 1, 2)


def test_renamed_op_is_mapped(tmp_path):
    def rename(events):
        return json.loads(json.dumps(events).replace('"Relu"', '"activation"'))

    path = edited(tmp_path, rename)
    report = compare(TIMELINE, path, name_map={"ops": {"Relu": "activation"}})
    assert [d.kind for d in report.differences] == ["dtype"]  # Its type was renamed as well.


def test_profiler_trace_is_read(tmp_path):
    events = [
        {"ph": "M", "pid": 1, "args": {"name": "host"}},
        {"ph": "X", "name": "hidden/MatMul:MatMul", "dur": 3, "ts": 1},
        {"ph": "X", "name": "Session::Run", "dur": 9, "ts": 1},
        {"ph": "X", "name": "step 3", "dur": 9, "ts": 1},
    ]
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        with gzip.open(tmp_path / name / "host.trace.json.gz", "wt") as stream:
            json.dump({"traceEvents": events}, stream)
    report = compare(tmp_path / "old", tmp_path / "new")
    assert report.equal and [row.op for row in report.shares] == ["MatMul"]


def test_truncated_timeline_is_named(tmp_path):
    path = tmp_path / "timeline-0.json"
    shutil.copy(TIMELINE, path)
    os.truncate(path, 9000)
    report = compare(TIMELINE, path)
    assert report.exit_code == 2 and "no complete timeline" in report.first.message
