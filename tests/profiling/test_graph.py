"""Names of a trace are found in the graph, whatever was inlined or renamed."""

import gc

import pytest
import tensorflow as tf
from profiled_cases import profile

import compat
from compat import _tf
from compat.profiling.graph import (
    LiveGraphView,
    Node,
    RunView,
    executed_graph,
    function_view,
    graph_def_view,
)
from compat.profiling.tensors import edges, tensors

v1 = tf.compat.v1


@tf.function
def inner(a, b):
    return tf.add(a, b, name="sum"), tf.multiply(a, b, name="product")


@tf.function
def outer(x):
    first, second = inner(x, tf.square(x, name="squared"))
    kept = tf.cond(tf.reduce_sum(x) > 0, lambda: first * 2.0, lambda: second)
    _, grown = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 1.5), [0, kept])
    return {"total": tf.reduce_sum(grown, name="total")}


def view_of(concrete):
    definition = _tf.function_definition(_tf.execution_name(concrete))
    return function_view(definition, _tf.function_definition)


@pytest.fixture
def concrete():
    return outer.get_concrete_function(tf.TensorSpec([4], tf.float32))


def test_nodes_of_a_function(concrete):
    view = view_of(concrete)
    assert view.node("squared") == Node("Square", (("x", 0),))
    assert view.node("x") == Node("_Arg", ())
    assert view.node("no such op") is None
    returned = next(iter(view._returns))
    assert view.node(f"{returned}_retval_RetVal").op == "_Retval"


def test_nodes_of_an_inlined_call(concrete):
    view = view_of(concrete)
    call = next(name for name in view.names if view.node(name).op.endswith("PartitionedCall"))
    inside = view.node(f"{call}/product")
    assert inside == Node("Mul", (("x", 0), ("squared", 0)))
    made = [view.inner(call, index) for index in range(2)]
    assert [view.node(name).op for name, _ in made] == ["Identity", "Identity"]
    sources = [view.node(name).inputs[0] for name, _ in made]
    assert sources == [(f"{call}/sum", 0), (f"{call}/product", 0)]


def test_a_run_of_nested_functions_is_connected():
    with tf.Graph().as_default() as graph:
        v1.train.get_or_create_global_step()
    session = compat.Session(graph=graph)

    def step():
        return outer(tf.constant([1.0, 2.0, 3.0, 4.0]))

    session.run(step)
    trace = profile(session, step).trace
    types = {op.name: op.type for op in trace.ops}
    assert "unknown" not in types.values()
    assert any("/then/_" in name for name in types)
    assert not any("/else/_" in name and op == "Mul" for name, op in types.items())
    joined = {(edge.producer.type, edge.consumer.type) for edge in edges(trace)}
    assert {("Square", "AddV2"), ("Square", "Mul")} & joined
    sizes = {tensor.producer.type: tensor for tensor in tensors(trace)}
    assert sizes["Square"].shape == (4,) and sizes["Square"].source == "run"


def test_a_live_graph():
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2, 3], name="x")
        _, b = tf.split(x, 2, name="halves")
        with tf.control_dependencies([tf.no_op(name="first")]):
            tf.identity(b, name="second")
    view = LiveGraphView(graph)
    assert view.node("second") == Node("Identity", (("halves", 1),), ("first",))
    assert view.outputs("halves")[1].shape == (1, 3)
    assert view.input_names("second") == ["halves:1", "^first"]
    assert view.node("missing") is None and view.outputs("missing") == []
    from_def = graph_def_view(graph.as_graph_def())
    assert from_def.node("second") == view.node("second")


def test_a_view_does_not_keep_its_graph():
    graph = tf.Graph()
    view = LiveGraphView(graph)
    del graph
    gc.collect()
    assert view.graph() is None and view.node("x") is None


def test_names_are_those_of_the_users_graph():
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [3], name="fed")
        y = tf.square(x, name="result")
    session = compat.Session(graph=graph)
    trace = profile(session, y, {x: [1.0, 2.0, 3.0]}).trace
    assert {"fed", "result"} <= {trace.name(op) for op in trace.ops}
    square = next(op for op in trace.ops if op.type == "Square")
    assert trace.name(square) == "result" and trace.input_names(square) == ["fed"]


def test_outputs_are_counted_over_lists():
    def pieces(x):
        return [tf.identity(piece, name=f"piece_{i}") for i, piece in enumerate(tf.split(x, 3))]

    concrete = tf.function(pieces).get_concrete_function(tf.TensorSpec([3], tf.float32))
    view = view_of(concrete)
    taken = [node.inputs[0] for node in map(view.node, view.names) if node.op == "Identity"]
    assert sorted(index for name, index in taken if name == "split") == [0, 1, 2]


def test_the_executed_graph_can_be_read_again(concrete):
    definition = _tf.function_definition(_tf.execution_name(concrete))
    graph = executed_graph([definition], _tf.function_definition)
    view = graph_def_view(type(graph).FromString(graph.SerializeToString()))
    original = view_of(concrete)
    for name in original.names:
        assert view.node(name)[:3] == original.node(name)[:3]
    call = next(name for name in original.names if original.node(name).op.endswith("Call"))
    assert view.node(f"{call}/product") == original.node(f"{call}/product")


def test_runs_share_their_view():
    with tf.Graph().as_default() as graph:
        y = tf.square(tf.constant([1.0]))
    session = compat.Session(graph=graph)
    first, second = profile(session, y).trace, profile(session, y).trace
    view = first.graph_of(first.ops[0])
    assert isinstance(view, RunView)
    assert second.graph_of(second.ops[0]) is view
