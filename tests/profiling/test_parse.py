"""XSpace → trace model: what the executor's events mean."""

from spaces import SpaceBuilder

from compat.profiling import parse
from compat.profiling.graph import GraphView, Node


class Known(GraphView):
    """A graph given as a dict of name -> Node."""

    def __init__(self, nodes):
        super().__init__()
        self._nodes = nodes

    def node(self, name):
        return self._nodes.get(name)


def host(builder):
    return builder.plane("/host:CPU")


def names(trace):
    return [op.name for op in trace.ops]


def test_ops_are_apart_from_the_frameworks_events():
    builder = SpaceBuilder()
    line = host(builder).line("tf_Compute/1")
    line.event("ExecutorState::Process", 0, 20, id=7)
    line.op("dense/MatMul", "MatMul", 1, 5, "(float[2,3];float[3,4])")
    line.event("Iterator::Map", 8, 1).event("TFE_Py_Execute", 9, 1)
    trace = parse.from_xspace(builder.space, framework=True)
    (op,) = trace.ops
    assert (op.name, op.type, op.start, op.end) == ("dense/MatMul", "MatMul", 1, 6)
    assert op.inputs == "(float[2,3];float[3,4])"
    assert op.step == 7
    assert trace.threads[op.thread] == "tf_Compute/1"
    framework = [event.name for event in trace.framework]
    assert framework[0] == "ExecutorState::Process" and "Iterator::Map" in framework
    assert parse.from_xspace(builder.space).framework == []


def test_times_count_from_the_lines_own_start():
    builder = SpaceBuilder(start_ns=5_000)
    host(builder).line("a", timestamp_ns=2_000).op("x", "Add", 1, 1)
    trace = parse.from_xspace(builder.space)
    assert trace.ops[0].start == 3.0
    assert trace.start_ns == 5_000
    assert trace.host == "host"


def test_what_is_passed_on_alone_ran_without_a_kernel():
    builder = SpaceBuilder()
    line = host(builder).line("a")
    line.passed_on("_SOURCE", 0).passed_on("rate", 1).op("x", "Add", 2, 1).passed_on("step", 4)
    graph = Known({"rate": Node("Const", ()), "step": Node("VarHandleOp", ())})
    trace = parse.from_xspace(builder.space, graph)
    assert [(op.name, op.type, op.kernel) for op in trace.ops] == [
        ("_SOURCE", "NoOp", False),
        ("rate", "Const", False),
        ("x", "Add", True),
        ("step", "VarHandleOp", False),
    ]


def test_what_was_folded_is_a_constant():
    builder = SpaceBuilder()
    line = host(builder).line("a")
    line.passed_on("half", 0).passed_on("ConstantFolding/new", 1).op("y", "Mul", 2, 1)
    graph = Known(
        {"half": Node("Mul", (("x", 0), ("c", 0))), "y": Node("Mul", (("half", 0), ("z", 0)))}
    )
    trace = parse.from_xspace(builder.space, graph)
    assert [op.type for op in trace.ops] == ["Const", "Const", "Mul"]
    assert trace.input_names(trace.ops[0]) == []
    assert trace.input_names(trace.ops[2]) == ["half", "z"]


def test_branches_not_taken_are_left_out():
    graph = Known(
        {
            "switch": Node("Switch", (("x", 0), ("p", 0))),
            "double": Node("Mul", (("switch", 1), ("two", 0))),
            "again": Node("Add", (("double", 0), ("double", 0))),
            "negative": Node("Neg", (("switch", 0),)),
            "merge": Node("Merge", (("again", 0), ("negative", 0))),
        }
    )
    builder = SpaceBuilder()
    line = host(builder).line("a")
    line.op("switch", "Switch", 0, 1).passed_on("double", 2).passed_on("again", 3)
    line.op("negative", "Neg", 4, 1).op("merge", "Merge", 6, 1)
    assert names(parse.from_xspace(builder.space, graph)) == ["switch", "negative", "merge"]


def test_the_last_turn_of_a_loop_is_dead():
    builder = SpaceBuilder()
    line = host(builder).line("a")
    line.op("body", "Add", 0, 1).passed_on("exit", 2).op("body", "Add", 3, 1)
    line.passed_on("body", 5).op("exit", "Exit", 6, 1)
    assert names(parse.from_xspace(builder.space)) == ["body", "body", "exit"]


def test_an_asynchronous_op_lasts_until_it_is_done():
    builder = SpaceBuilder()
    plane = host(builder)
    start = {"name": "take", "kernel_type": "QueueDequeueV2", "step_id": 7, "_p": 3}
    first = plane.line("a")
    first.event("take:QueueDequeueV2", 1, 2, shape="(;int32[])")
    first.event("ExecutorState::ProcessAsync::Start", 1.5, 1, **start)
    first.op("other", "Add", 4, 1)
    second = plane.line("b")
    second.event("ExecutorState::ProcessAsync::Done", 30, 2, name="take", step_id=7, _c=3)
    second.passed_on("take", 30.5)
    trace = parse.from_xspace(builder.space)
    assert names(trace) == ["take", "other"]
    take, other = trace.ops
    assert (take.start, take.end, take.busy) == (1, 30, 2)
    assert take.inputs == "(;int32[])"
    assert other.busy == 1


def test_older_versions_record_only_the_asynchronous_start():
    builder = SpaceBuilder()
    line = host(builder).line("a")
    start = {"name": "take", "kernel_type": "QueueDequeueV2", "step_id": 7, "_p": 3}
    line.event("ExecutorState::ProcessAsync::Start", 1, 2, **start)
    line.event("ExecutorState::ProcessAsync::Done", 5, 1, name="take", step_id=7, _c=3)
    line.passed_on("take", 5.5)
    (take,) = parse.from_xspace(builder.space).ops
    assert (take.type, take.start, take.end, take.step) == ("QueueDequeueV2", 1, 5, 7)


def test_an_op_is_not_busy_while_others_run_inside_it():
    builder = SpaceBuilder()
    line = host(builder).line("a")
    line.event("call:EagerPyFunc", 0, 10).op("inside", "Add", 2, 3).passed_on("call", 10.1)
    call, inside = parse.from_xspace(builder.space).ops
    assert (call.duration, call.busy) == (10, 7)
    assert (inside.duration, inside.busy) == (3, 3)


def test_lines_need_not_be_sorted():
    builder = SpaceBuilder()
    line = host(builder).line("a")
    line.event("ExecutorPropagateOutputs", 6, 0.1, kernel_name="x", id=7)
    line.event("x:Add", 5, 1).event("ExecutorState::Process", 0, 10, id=7)
    (op,) = parse.from_xspace(builder.space).ops
    assert op.step == 7


def test_only_the_marked_run_counts():
    builder = SpaceBuilder()
    plane = host(builder)
    python = plane.line("python")
    python.event("mine", 10, 10)
    python.event("EagerExecute", 12, 6, eager_op="__inference_step_1", is_func=1)
    python.event("FunctionRun", 13, 4, id=7)
    python.event("EagerExecute", 30, 6, eager_op="__inference_other_2", is_func=1)
    python.event("FunctionRun", 31, 4, id=8)
    python.event("eager:Add", 19, 0.5)
    python.event("late:Add", 40, 0.5)
    worker = plane.line("worker")
    worker.event("ExecutorState::Process", 14, 2, id=7).op("a", "Add", 14.5, 0.5)
    other = plane.line("other worker")
    other.event("ExecutorState::Process", 14, 2, id=8).op("b", "Add", 14.5, 0.5, step=8)
    asked = []
    trace = parse.from_xspace(builder.space, asked.append, marker="mine")
    assert names(trace) == ["a", "eager"]
    assert asked == ["__inference_step_1"]
    assert {"a", "b", "eager", "late"} == set(names(parse.from_xspace(builder.space)))


def test_functions_of_one_run_have_their_own_graphs():
    builder = SpaceBuilder()
    plane = host(builder)
    python = plane.line("python")
    for i, function in enumerate(("first", "second")):
        python.event("EagerExecute", 10 * i, 8, eager_op=function, is_func=1)
        python.event("FunctionRun", 10 * i + 1, 5, id=i + 1)
    worker = plane.line("worker")
    for i in range(2):
        worker.event("ExecutorState::Process", 10 * i + 2, 3, id=i + 1)
        worker.passed_on("x", 10 * i + 3, step=i + 1)
    graphs = {"first": Known({"x": Node("Const", ())}), "second": Known({"x": Node("NoOp", ())})}
    trace = parse.from_xspace(builder.space, graphs.get)
    assert [op.type for op in trace.ops] == ["Const", "NoOp"]


def test_memory_events():
    builder = SpaceBuilder()
    line = host(builder).line("a")
    line.event(
        "MemoryAllocation",
        1,
        allocator_name="GPU_0_bfc",
        bytes_allocated=300,
        requested_bytes=24,
        allocation_bytes=256,
        addr=99,
        tf_op="x",
        region_type="output",
        data_type=1,
        shape="[2,3]",
    )
    line.event("MemoryDeallocation", 2, allocator_name="GPU_0_bfc", requested_bytes=24, addr=99)
    given, freed = parse.from_xspace(builder.space).allocations
    assert (given.allocator, given.size, given.in_use, given.op) == ("GPU_0_bfc", 24, 300, "x")
    assert (given.region, given.dtype, given.shape) == ("output", "float32", "[2,3]")
    assert (freed.size, freed.address) == (-24, 99)


def test_the_row_around_an_op_may_be_missing():
    """The profiler stops as soon as the run is done, before the executor's row ends."""
    builder = SpaceBuilder()
    line = host(builder).line("a")
    line.event("ExecutorState::Process", 0, 2, id=3)
    line.op("x", "Add", 5, 1, step=9)
    line.event("y:Add", 7, 1)
    assert [op.step for op in parse.from_xspace(builder.space).ops] == [9, 9]


def test_an_op_run_by_itself_is_named_by_its_type():
    builder = SpaceBuilder()
    line = host(builder).line("python")
    line.event("EagerExecute", 1, 4, eager_op="Square", is_func=0)
    line.event("EagerExecute", 6, 4, eager_op="_EagerConst", is_func=0)
    (op,) = parse.from_xspace(builder.space).ops
    assert (op.name, op.type, op.duration) == ("Square", "Square", 4)


def test_an_empty_space_gives_an_empty_trace():
    trace = parse.from_xspace(SpaceBuilder().space)
    assert trace.ops == [] and trace.span() == (0.0, 0.0) and trace.devices() == []
