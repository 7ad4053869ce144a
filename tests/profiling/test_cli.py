"""`python -m compat timeline`."""

import json

import event_format
import pytest
import tensorflow as tf
from profiled_cases import profiled_case

import compat
from compat.__main__ import main
from compat.profiling import top_ops, xspace

v1 = tf.compat.v1


@pytest.fixture(scope="module")
def logdir(tmp_path_factory):
    """What TensorFlow's own profiler writes, and an older run beside it."""
    directory = tmp_path_factory.mktemp("log")
    old = directory / "plugins" / "profile" / "a_run" / "old.xplane.pb"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"")
    step = tf.function(lambda x: tf.reduce_sum(tf.matmul(x, x, name="product")))
    step(tf.ones([50, 50]))
    tf.profiler.experimental.start(str(directory))
    step(tf.ones([50, 50]))
    tf.profiler.experimental.stop()
    return directory


def test_it_prints_the_costliest_ops(logdir, capsys):
    assert main(["timeline", str(logdir)]) == 0
    out, err = capsys.readouterr()
    heading, *rows = out.splitlines()
    assert heading.split() == [
        "op",
        "type",
        "device",
        "total",
        "µs",
        "self",
        "µs",
        "count",
        "share",
    ]
    assert any(row.split()[:3] == ["product", "MatMul", "CPU:0"] for row in rows)
    assert err == ""


def test_the_table_has_as_many_rows_as_asked(logdir, capsys):
    main(["timeline", str(logdir), "--top", "1"])
    assert len(capsys.readouterr().out.splitlines()) == 2
    main(["timeline", str(logdir), "--quiet"])
    assert capsys.readouterr().out == ""


def test_it_writes_a_trace_and_a_report(logdir, tmp_path):
    trace, page = tmp_path / "t.json", tmp_path / "r.html"
    arguments = ["--memory", "--framework", "-o", str(trace), "--html", str(page), "--quiet"]
    assert main(["timeline", str(logdir), *arguments]) == 0
    events = json.loads(trace.read_text())["traceEvents"]
    event_format.check(events)
    assert any(event.get("cat") == "Framework" for event in events)
    assert ">product<" in page.read_text()


def test_a_capture_that_the_hook_kept_has_its_graph(tmp_path, capsys):
    with tf.Graph().as_default():
        x = v1.random_normal([3, 3])
        fetched = tf.matmul(x, tf.square(x), name="product")
        step = v1.train.get_or_create_global_step()
        advance = v1.assign_add(step, 1)
        hook = compat.ProfilerHook(save_steps=2, output_dir=str(tmp_path), keep_xplane=True)
        with compat.SingularMonitoredSession(hooks=[hook]) as session:
            for _ in range(3):
                session.run([fetched, advance])
    output = tmp_path / "converted.json"
    arguments = ["--dataflow", "--memory", "-o", str(output)]
    assert main(["timeline", str(tmp_path), *arguments]) == 0
    assert "--graph" not in capsys.readouterr().err
    events = json.loads(output.read_text())["traceEvents"]
    event_format.check(events)
    (product,) = [e for e in events if e["ph"] == "X" and e["args"]["op"] == "MatMul"]
    assert product["args"]["input1"] == "Square"


def test_a_graph_given_as_a_file(tmp_path, capsys):
    case = profiled_case("matmul")
    capture = tmp_path / "host.xplane.pb"
    capture.write_bytes(case.run.space.SerializeToString())
    output = tmp_path / "t.json"
    command = ["timeline", str(capture), "-o", str(output), "--dataflow", "--quiet"]
    assert main(command) == 0
    assert "--graph" in capsys.readouterr().err
    pb, pbtxt, meta = tmp_path / "g.pb", tmp_path / "g.pbtxt", tmp_path / "m.meta"
    pb.write_bytes(case.graph.as_graph_def().SerializeToString())
    tf.io.write_graph(case.graph, str(tmp_path), pbtxt.name)
    with case.graph.as_default():
        v1.train.export_meta_graph(str(meta))
    for graph in (pb, pbtxt, meta):
        assert main([*command, "--graph", str(graph)]) == 0
        events = json.loads(output.read_text())["traceEvents"]
        (relu,) = [e for e in events if e["ph"] == "X" and e["args"]["name"] == "hidden"]
        assert relu["args"]["input0"] == "MatMul"


@pytest.mark.parametrize("spoil", ["missing", "empty", "garbage", "graph", "output", "top"])
def test_what_it_can_not_do_is_said(spoil, tmp_path, logdir, capsys):
    garbage = tmp_path / "x.xplane.pb"
    garbage.write_bytes(b"\xff\xff\xff\xff no proto")
    (tmp_path / "nothing").mkdir()
    arguments = {
        "missing": [str(tmp_path / "none")],
        "empty": [str(tmp_path / "nothing")],
        "garbage": [str(garbage)],
        "graph": [str(logdir), "--graph", str(garbage)],
        "output": [str(logdir), "-o", str(garbage / "below.json")],
        "top": [str(logdir), "--top", "-1"],
    }[spoil]
    assert main(["timeline", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err and "Traceback" not in err


def test_the_newest_run_is_taken(logdir):
    (found,) = xspace.find(logdir)
    assert found.parent.name != "a_run"


def test_costs_add_up(case):
    costs = top_ops.costs([case.trace])
    assert sum(cost.count for cost in costs) == len(case.trace.ops)
    assert sum(cost.share for cost in costs) == pytest.approx(1)
    assert [cost.self_time for cost in costs] == sorted((c.self_time for c in costs), reverse=True)
    assert all(cost.self_time <= cost.total + 1e-6 for cost in costs)
