"""`run(options=…, run_metadata=…)`: what TF1 code gets from a traced run."""

import json
import threading

import event_format
import pytest
import tensorflow as tf
from profiled_cases import profiled_case
from tensorflow.python.client import timeline

import compat
from compat.profiling.capture import HOOK_TRACE, Request, traced_call
from compat.profiling.recording import ProfilerWarning

v1 = tf.compat.v1
FULL = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)


@pytest.fixture
def session():
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2, 3], name="x")
        w = v1.get_variable("w", [3, 4], use_resource=True)
        tf.reduce_sum(tf.matmul(x, w, name="product"), name="total")
        initial = v1.global_variables_initializer()
    with compat.Session(graph=graph) as session:
        session.run(initial)
        yield session


FEED = {"x:0": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}


def nodes(metadata):
    return {
        node.node_name: node
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }


def test_step_stats_are_filled(session):
    metadata = v1.RunMetadata()
    total = session.run("total:0", FEED, options=FULL, run_metadata=metadata)
    assert total == session.run("total:0", FEED)
    (device,) = metadata.step_stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    product = nodes(metadata)["product"]
    assert product.timeline_label == "product = MatMul(x, product/ReadVariableOp)"
    assert product.all_start_micros > 1_600_000_000_000_000
    assert product.all_start_nanos // 1000 == product.all_start_micros
    assert 0 <= product.op_end_rel_micros <= product.all_end_rel_micros
    assert device.thread_names[product.thread_id]
    (output,) = product.output
    description = output.tensor_description
    assert description.dtype == tf.float32.as_datatype_enum
    assert [size.size for size in description.shape.dim] == [2, 4]
    assert description.allocation_description.requested_bytes == 32
    assert description.allocation_description.allocator_name == "cpu"


@pytest.mark.parametrize("memory", [False, True])
def test_the_legacy_timeline_reads_them(case, memory):
    metadata = v1.RunMetadata()
    case.run.fill(metadata)
    text = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(
        show_dataflow=True, show_memory=memory
    )
    events = json.loads(text)["traceEvents"]
    shown = {event["args"]["name"] for event in events if event["ph"] == "X"}
    assert shown == {case.trace.name(op) for op in case.trace.ops}
    assert any(event["ph"] == "C" for event in events) == memory or memory


@pytest.mark.parametrize("level", ["SOFTWARE_TRACE", "HARDWARE_TRACE", "FULL_TRACE"])
def test_every_level_traces(session, level):
    metadata = v1.RunMetadata()
    options = v1.RunOptions(trace_level=v1.RunOptions.TraceLevel.Value(level))
    session.run("total:0", FEED, options=options, run_metadata=metadata)
    assert "product" in nodes(metadata)


def test_nothing_is_traced_unless_asked(session):
    metadata = v1.RunMetadata()
    session.run("total:0", FEED, options=v1.RunOptions(), run_metadata=metadata)
    session.run("total:0", FEED, run_metadata=metadata)
    session.run("total:0", FEED, options=FULL)
    assert not metadata.ByteSize()


def test_partition_graphs_on_request(session):
    metadata = v1.RunMetadata()
    options = v1.RunOptions(trace_level=3, output_partition_graphs=True)
    session.run("total:0", FEED, options=options, run_metadata=metadata)
    (graph,) = metadata.partition_graphs
    assert {"product", "w"} <= {node.name for node in graph.node}


def test_errors_pass_through_and_the_profiler_stops(session):
    with pytest.raises(ZeroDivisionError):
        traced_call(lambda: 1 // 0, None, FULL, v1.RunMetadata())
    metadata = v1.RunMetadata()
    session.run("total:0", FEED, options=FULL, run_metadata=metadata)
    assert metadata.step_stats.dev_stats


def test_a_busy_profiler_is_a_warning(session, tmp_path):
    metadata = v1.RunMetadata()
    tf.profiler.experimental.start(str(tmp_path))
    try:
        with pytest.warns(ProfilerWarning, match="RunOptions.*another tf.profiler session"):
            total = session.run("total:0", FEED, options=FULL, run_metadata=metadata)
    finally:
        tf.profiler.experimental.stop()
    assert total == session.run("total:0", FEED)
    assert not metadata.step_stats.dev_stats


def test_other_threads_runs_are_not_in_it(session):
    with session.graph.as_default():
        elsewhere = tf.square(tf.constant(2.0), name="elsewhere")
    stop = threading.Event()

    def keep_running():
        while not stop.is_set():
            session.run(elsewhere)

    thread = threading.Thread(target=keep_running)
    thread.start()
    try:
        for _ in range(5):
            metadata = v1.RunMetadata()
            session.run("total:0", FEED, options=FULL, run_metadata=metadata)
            assert "product" in nodes(metadata) and "elsewhere" not in nodes(metadata)
    finally:
        stop.set()
        thread.join()


def test_a_function_step_is_traced():
    with tf.Graph().as_default() as graph:
        v1.train.get_or_create_global_step()
    weights = tf.Variable(tf.ones([3, 4]))

    @tf.function
    def step(batch):
        return {"loss": tf.reduce_sum(tf.matmul(batch, weights, name="product"))}

    session = compat.Session(graph=graph)
    feed = {"batch": tf.ones([2, 3])}
    session.run(step, feed)
    metadata = v1.RunMetadata()
    values = session.run(step, feed, options=FULL, run_metadata=metadata)
    assert values["loss"] == 24.0
    found = nodes(metadata)
    assert found["product"].timeline_label.startswith("product = MatMul(batch, ")


def test_a_plain_callable_is_traced():
    with tf.Graph().as_default() as graph:
        v1.train.get_or_create_global_step()
    with compat.Session(graph=graph) as session:
        metadata = v1.RunMetadata()
        session.run(lambda: tf.square(tf.ones([5])), options=FULL, run_metadata=metadata)
    assert any(" = Square(" in node.timeline_label for node in nodes(metadata).values())


def test_a_request_is_served_beside_and_leaves_the_metadata_alone(session):
    request = Request("test")
    metadata = v1.RunMetadata()
    options = v1.RunOptions(trace_level=HOOK_TRACE)
    session.run("total:0", FEED, options=options, run_metadata=metadata)
    run = request.reading.result()
    assert "product" in {op.name for op in run.trace.ops}
    assert not metadata.ByteSize()


def test_who_asks_for_more_gets_it_filled_and_requests_are_served_too(session):
    request, other = Request("one"), Request("other")
    metadata = v1.RunMetadata()
    session.run("total:0", FEED, options=FULL, run_metadata=metadata)
    assert "product" in nodes(metadata)
    assert request.reading.result() is other.reading.result() is not None


def test_a_request_left_over_is_replaced(session):
    stale = Request("hook")
    fresh = Request("hook")
    options = v1.RunOptions(trace_level=HOOK_TRACE)
    session.run("total:0", FEED, options=options, run_metadata=v1.RunMetadata())
    assert stale.reading is None and fresh.reading.result() is not None
    assert stale.then(print) is None


def test_what_goes_wrong_beside_is_a_warning(session):
    request = Request("my hook")
    options = v1.RunOptions(trace_level=HOOK_TRACE)
    session.run("total:0", FEED, options=options, run_metadata=v1.RunMetadata())

    def fail(run):
        raise OSError("disk full")

    with pytest.warns(ProfilerWarning, match="my hook.*disk full"):
        request.then(fail).result()


def test_the_traced_run_gives_a_valid_timeline():
    from compat.profiling import chrome

    event_format.check(chrome.events(profiled_case("rnn").trace, show_memory=True))
