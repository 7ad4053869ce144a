"""The same graphs show the same ops as in TensorFlow 1.15's own timelines.

`tests/golden/timelines/differences.json` lists what the optimizers and the engine change.
"""

import json
import os
import re
import subprocess
import sys

import pytest
import tensorflow as tf
from profiled_cases import GOLDEN

from compat.profiling.tensors import edges, tensors

with open(os.path.join(GOLDEN, "differences.json")) as file:
    DIFFERENCES = json.load(file)


def golden(name):
    with open(os.path.join(GOLDEN, name + ".json")) as file:
        recorded = json.load(file)
    assert recorded["tensorflow"] == "1.15.5"
    return recorded


def listed(case_name, where):
    entries = DIFFERENCES[where] + DIFFERENCES["by_case"].get(case_name, {}).get(where, [])
    return [re.compile(entry["name"]) for entry in entries]


def without(names, patterns):
    return {name for name in names if not any(p.fullmatch(name) for p in patterns)}


def renamed(name):
    for entry in DIFFERENCES["renamed"]:
        name = re.sub(f"^{entry['tf1']}$", entry["here"], name)
    return name


def test_the_same_ops(case):
    theirs = without(map(renamed, golden(case.name)["ops"]), listed(case.name, "only_tf1"))
    ours = without(map(case.trace.name, case.trace.ops), listed(case.name, "only_here"))
    assert ours == theirs


def test_every_listed_difference_occurs():
    for name, by_place in DIFFERENCES["by_case"].items():
        ops = golden(name)["ops"]
        for entry in by_place["only_tf1"]:
            assert any(re.fullmatch(entry["name"], op) for op in ops)


def test_the_same_types(case):
    changes = {(entry["tf1"], entry["here"]) for entry in DIFFERENCES["types"]}
    ours = {case.trace.name(op): op.type for op in case.trace.ops}
    for name, recorded in golden(case.name)["ops"].items():
        mine = ours.get(renamed(name), recorded["op"])
        assert mine == recorded["op"] or (recorded["op"], mine) in changes, name


def test_as_often(case):
    ours = [case.trace.name(op) for op in case.trace.ops if op.kernel]
    for name, recorded in golden(case.name)["ops"].items():
        if renamed(name) in ours:
            assert ours.count(renamed(name)) == recorded["count"], name


def test_outputs_of_static_shape_are_as_large(case):
    ours = {}
    for tensor in tensors(case.trace):
        ours[tensor.name if ":" in tensor.name else tensor.name + ":0"] = tensor
    excepted = {entry["name"] for entry in DIFFERENCES["sizes"].get(case.name, [])}
    compared = total_ours = total_theirs = 0
    for name, recorded in golden(case.name)["outputs"].items():
        op, _, index = name.rpartition(":")
        mine = ours.get(f"{renamed(op)}:{index}")
        if recorded["dtype"] == tf.resource.as_datatype_enum or name in excepted:
            continue
        if mine is None:
            assert not is_static(case.graph, renamed(op), int(index)), name
            continue
        assert (mine.size, list(mine.shape)) == (recorded["bytes"], recorded["shape"]), name
        compared += 1
        total_ours += mine.size
        total_theirs += recorded["bytes"]
    assert compared >= 6 and total_ours == total_theirs


def is_static(graph, op, index):
    """Whether the graph has the op, it is not one merged away, and its shape is known."""
    try:
        tensor = graph.get_tensor_by_name(f"{op}:{index}")
    except KeyError:
        return False
    merged = {entry["name"] for c in DIFFERENCES["by_case"].values() for entry in c["only_tf1"]}
    return tensor.shape.is_fully_defined() and op not in merged


def test_arrows_are_edges_of_the_graph(case):
    found = edges(case.trace)
    checked = 0
    for edge in found:
        try:
            consumer = case.graph.get_operation_by_name(case.trace.name(edge.consumer))
        except KeyError:
            assert edge.consumer.name.startswith("compat_output")
            continue
        tensor = consumer.inputs[edge.input]
        while tensor.op.name != case.trace.name(edge.producer):
            assert tensor.op.type == "Identity", (edge, tensor)  # Removed by the optimizer.
            tensor = tensor.op.inputs[0]
        assert tensor.value_index == edge.output
        assert edge.producer.start <= edge.consumer.start
        checked += 1
    assert checked >= 8


def test_arrows_reach_as_far_as_tf1s(case):
    """What TF1 names as an input and shows as an op is connected, unless it was rewired."""
    rewired = {entry["consumer"] for entry in DIFFERENCES["rewired"]}
    ours = {(edge.consumer.name, case.trace.name(edge.producer)) for edge in edges(case.trace)}
    shown = {case.trace.name(op) for op in case.trace.ops if op.kernel}
    names = {case.trace.name(op): op for op in case.trace.ops}
    missing = []
    for name, recorded in golden(case.name)["ops"].items():
        for source in recorded["inputs"]:
            source = renamed(source.split(":")[0])
            if name not in rewired and renamed(name) in shown and source in shown:
                consumer = names[renamed(name)]
                if (consumer.name, source) not in ours:
                    missing.append((name, source))
    assert not missing


@pytest.mark.parametrize("name", ["matmul", "matmul_ref", "conv"])
def test_inputs_are_named_as_in_tf1(name, request):
    from profiled_cases import profiled_case

    trace = profiled_case(name).trace
    theirs = golden(name)["ops"]
    for op in trace.ops:
        recorded = theirs.get(trace.name(op))
        if recorded and op.type == recorded["op"] == "MatMul" and "grad" not in op.name:
            data = [renamed(source) for source in recorded["inputs"] if source[0] != "^"]
            assert [s for s in trace.input_names(op) if s[0] != "^"] == data


def test_the_same_with_onednn():
    """What oneDNN's kernels did is shown as the ops that they stand for."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", __file__, "-k", "not onednn"],
        env=dict(os.environ, TF_ENABLE_ONEDNN_OPTS="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
