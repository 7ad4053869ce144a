"""Records what TensorFlow 1.15 shows in the timelines of a few graphs.

Run with TensorFlow 1.15's Python: `python tests/golden/record_timelines.py`. It writes
one JSON file beside each case's graph: the timeline's ops with their types and inputs,
its flow events, and the bytes of each output.
"""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from tensorflow.python.client import timeline

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "timelines")
sys.path.insert(0, HERE)

import graphs  # noqa: E402

#: Runs before the recorded one, so that no first-run work is in it.
WARM_UP = 3


def record(build):
    """The timeline of one case, reduced to what does not depend on time."""
    with tf.Graph().as_default():
        case = build(tf.compat.v1)
        with tf.compat.v1.Session() as session:
            session.run(case.prepare)
            for _ in range(WARM_UP):
                session.run(case.fetches, case.feeds)
            metadata = tf.compat.v1.RunMetadata()
            options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
            session.run(case.fetches, case.feeds, options=options, run_metadata=metadata)
    trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(
        show_dataflow=True, show_memory=True
    )
    events = json.loads(trace)["traceEvents"]
    # Rows of other names repeat the ops as the low-level tracer saw them.
    rows = {e["pid"] for e in events if e["ph"] == "M" and e["args"]["name"].startswith("/job:")}
    ops = {}
    for event in events:
        if event["ph"] == "X" and event["pid"] in rows:
            arguments = event["args"]
            inputs = [arguments[f"input{i}"] for i in range(len(arguments) - 2)]
            entry = ops.setdefault(
                arguments["name"], {"op": arguments["op"], "inputs": inputs, "count": 0}
            )
            entry["count"] += 1
    return {
        "tensorflow": tf.__version__,
        "processes": sorted(
            e["args"]["name"] for e in events if e["ph"] == "M" and e["pid"] in rows
        ),
        "ops": ops,
        "flows": sorted({e["name"] for e in events if e["ph"] == "s"}),
        "outputs": _outputs(metadata.step_stats),
    }


def _outputs(step_stats):
    """Tensor -> requested bytes, of the outputs that the step statistics describe."""
    sizes = {}
    for device in step_stats.dev_stats:
        for node in device.node_stats if device.device.startswith("/job:") else ():
            for output in node.output:
                description = output.tensor_description
                sizes[f"{node.node_name}:{output.slot}"] = {
                    "dtype": description.dtype,
                    "shape": [dim.size for dim in description.shape.dim],
                    "bytes": description.allocation_description.requested_bytes,
                }
    return sizes


def main():
    """Writes every case's golden file."""
    for name, build in sorted(graphs.CASES.items()):
        path = os.path.join(HERE, name + ".json")
        with open(path, "w") as file:
            json.dump(record(build), file, indent=1, sort_keys=True)
            file.write("\n")
        print(path)


if __name__ == "__main__":
    main()
