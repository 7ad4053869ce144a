"""GPU planes, constructed in the format that TensorFlow writes.

On the host's plane an op's thread has, inside the op, the driver's launch with a
`correlation_id`; the GPU's plane has a line a stream with the kernel under the same id,
its launch configuration, and the op as `name:Type#shape=…#`. Lines such as
"TensorFlow Ops" are derived from the streams.
"""

import json

import event_format
import pytest
import tensorflow as tf
from spaces import SpaceBuilder
from tensorflow.python.client import timeline

from compat.profiling import chrome, parse, step_stats, top_ops
from compat.profiling.tensors import memory_curves, tensors

GPU_OP = "/job:localhost/replica:0/task:0/device:GPU:0"


@pytest.fixture
def trace():
    builder = SpaceBuilder()
    host = builder.plane("/host:CPU").line("tf_gpu/1")
    host.event("dense/MatMul:MatMul", 0, 10, shape="(float[2,3];float[3,4])")
    host.event(
        "MemoryAllocation",
        1,
        allocator_name="GPU_0_bfc",
        bytes_allocated=1024,
        requested_bytes=32,
        addr=7,
        tf_op="dense/MatMul",
        region_type="output",
        data_type=1,
        shape="[2,4]",
    )
    host.event("cuLaunchKernel", 3, 2, correlation_id=42, kernel_details="regs:64")
    host.passed_on("dense/MatMul", 10.1)
    host.op("dense/Relu", "Relu", 12, 3)
    host.op("on_cpu", "Add", 16, 1)
    host.event("MemcpyH2D", 20, 1, correlation_id=44)
    host.event("MemoryDeallocation", 60, allocator_name="GPU_0_bfc", addr=7, requested_bytes=32)
    gpu = builder.plane("/device:GPU:0")
    compute = gpu.line("Stream #13(Compute)", 13)
    compute.event(
        "volta_sgemm_128",
        8,
        30,
        correlation_id=42,
        annotation="dense/MatMul:MatMul#shape=(float[2,3];float[3,4])#",
        kernel_details="regs:64 grid:1,1,1",
    )
    compute.event("relu_kernel", 40, 5, correlation_id=43, tf_op="dense/Relu:Relu")
    copies = gpu.line("Stream #14(MemcpyH2D)", 14)
    copies.event("MemcpyH2D", 25, 2, correlation_id=44, memcpy_details="size:64 dest:0 async:1")
    gpu.line("TensorFlow Ops", 99).event("dense/MatMul:MatMul", 8, 30)
    gpu.line("Steps", 98).event("0", 8, 40)
    return parse.from_xspace(builder.space)


def test_streams_are_read_and_derived_lines_are_not(trace):
    assert [(kernel.name, kernel.stream, kernel.op, kernel.type) for kernel in trace.kernels] == [
        ("volta_sgemm_128", 13, "dense/MatMul", "MatMul"),
        ("MemcpyH2D", 14, "", ""),
        ("relu_kernel", 13, "dense/Relu", "Relu"),
    ]
    assert trace.kernels[0].details == "regs:64 grid:1,1,1"
    assert trace.kernels[1].details == "size:64 dest:0 async:1"


def test_kernels_know_the_execution_that_launched_them(trace):
    matmul, copy, relu = trace.kernels
    assert matmul.launcher.name == "dense/MatMul"  # By correlation.
    assert relu.launcher.name == "dense/Relu"  # By name, its launch not being recorded.
    assert copy.launcher is None  # Launched outside of any op.


@pytest.mark.parametrize(
    ("stat", "text"),
    [
        ("annotation", "a/Relu:Relu#id=3,shape=(float[2])#"),
        ("annotation", "step#step_num=3#::a/Relu:Relu#shape=(float[2])#"),
        ("annotation", "__inference_f_3::a/Relu:Relu"),
        ("tf_op", "a/Relu:Relu"),
        ("level 0", "a/Relu:Relu"),
    ],
)
def test_the_ways_in_which_a_kernel_names_its_op(stat, text):
    builder = SpaceBuilder()
    line = builder.plane("/device:GPU:1").line("Stream #7(MemcpyD2H,Compute)", 7)
    line.event("kernel", 1, 1, **{stat: text})
    (kernel,) = parse.from_xspace(builder.space).kernels
    assert (kernel.op, kernel.type, kernel.stream) == ("a/Relu", "Relu", 7)


def test_ops_that_launch_kernels_belong_to_the_gpu(trace):
    devices = {op.name: op.device for op in trace.ops}
    assert devices["dense/MatMul"] == devices["dense/Relu"] == GPU_OP
    assert devices["on_cpu"].endswith("CPU:0")


def test_the_timeline_has_a_row_a_stream_and_arrows_to_kernels(trace):
    events = list(chrome.events(trace, show_memory=True))
    event_format.check(events)
    rows = {event["args"]["name"]: event["pid"] for event in events if event["ph"] == "M"}
    on_stream = [
        event
        for event in events
        if event["ph"] == "X" and event["pid"] == rows["/device:GPU:0/stream:13 Compute"]
    ]
    assert [event["name"] for event in on_stream] == ["MatMul", "Relu"]
    assert on_stream[0]["args"] == {
        "name": "dense/MatMul",
        "op": "MatMul",
        "kernel": "volta_sgemm_128",
        "details": "regs:64 grid:1,1,1",
    }
    launches = [(event["ph"], event["name"]) for event in events if event.get("cat") == "Launch"]
    assert sorted(launches) == [
        ("s", "dense/MatMul"),
        ("s", "dense/Relu"),
        ("t", "dense/MatMul"),
        ("t", "dense/Relu"),
    ]


def test_memory_is_the_allocators_own_account(trace):
    (tensor,) = tensors(trace)
    assert (tensor.source, tensor.size, tensor.shape) == ("profiler", 32, (2, 4))
    assert (tensor.created, tensor.freed) == (1, 60)
    assert memory_curves(trace) == {"GPU_0_bfc": [(1, 1024), (60, 0)]}


def test_step_stats_have_streams_as_tf1_had_them(trace):
    metadata = tf.compat.v1.RunMetadata()
    step_stats.fill(trace, metadata.step_stats)
    devices = {device.device: device for device in metadata.step_stats.dev_stats}
    assert set(devices) == {
        GPU_OP,
        "/job:localhost/replica:0/task:0/device:CPU:0",
        "/device:GPU:0/stream:13",
        "/device:GPU:0/stream:14",
        "/device:GPU:0/stream:all",
    }
    assert len(devices["/device:GPU:0/stream:all"].node_stats) == 3
    (memory,) = devices[GPU_OP].node_stats[0].memory
    assert (memory.allocator_name, memory.total_bytes) == ("GPU_0_bfc", 32)
    shown = json.loads(
        timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True)
    )["traceEvents"]
    kernels = [e for e in shown if e["ph"] == "X" and e["args"]["name"] == "dense/Relu"]
    assert {event["args"]["op"] for event in kernels} == {"Relu"}


def test_kernels_are_in_the_costs(trace):
    costs = {(cost.name, cost.device): cost for cost in top_ops.costs([trace])}
    assert costs["dense/MatMul", "host /device:GPU:0"].total == 30
    assert costs["MemcpyH2D", "host /device:GPU:0"].count == 1


def test_clocks_that_disagree_draw_no_arrow_backwards():
    builder = SpaceBuilder()
    builder.plane("/host:CPU").line("a").event("x:Add", 10, 5).event(
        "cuLaunchKernel", 11, 1, correlation_id=1
    )
    builder.plane("/device:GPU:0").line("Stream #1", 1).event("k", 9, 2, correlation_id=1)
    events = list(chrome.events(parse.from_xspace(builder.space)))
    event_format.check(events)
    assert not [event for event in events if event["ph"] == "s"]
