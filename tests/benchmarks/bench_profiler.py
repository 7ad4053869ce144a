"""Cost of `ProfilerHook`, as ratios to TensorFlow's own, and of converting big captures.

    python tests/benchmarks/bench_profiler.py [--profiles 30] [--steps 150] [PART …]

* profiled: how much longer a profiled step takes than a normal one, ours by TensorFlow's,
  on the same graphs, stepped in turns in one process. Also, without a limit, the same over
  whole turns: it counts what is read and written beside the following steps as well.
* unprofiled: steps with an installed hook that does not fire, by steps without any hook.
* convert: `python -m compat timeline` with arrows and memory over captures of a quarter of,
  and of all the events: seconds, peak memory, and growth of the time per event.

Exit status: 0 within the limits, 1 beyond one of them.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "profiling"))

import numpy as np
import tensorflow as tf
from spaces import SpaceBuilder

import compat

v1 = tf.compat.v1
#: Steps in a turn, of which the middle one is profiled.
TURN = 60
#: Pairs of sessions, with a hook that does not fire and without it.
PAIRS = 8
LIMITS = {"profiled": 0.5, "unprofiled": 1.02, "seconds": 20.0, "GiB": 2.0, "growth": 1.25}


def dense(layers, width, batch):
    """A stack of dense layers trained by Adam; returns the fetches and the feeds."""
    x = v1.placeholder(tf.float32, [batch, width], name="x")
    h = x
    for i in range(layers):
        with v1.variable_scope(f"layer_{i}"):
            kernel = v1.get_variable("kernel", [width, width], use_resource=True)
            bias = v1.get_variable("bias", [width], use_resource=True)
        h = tf.nn.relu(tf.nn.bias_add(tf.matmul(h, kernel), bias))
    loss = tf.reduce_mean(tf.square(h))
    step = v1.train.get_or_create_global_step()
    train = v1.train.AdamOptimizer(1e-3).minimize(loss, global_step=step)
    return [train, loss], {x: np.ones([batch, width], "float32")}


GRAPHS = {
    "2 layers, 60 ops": lambda: dense(2, 64, 32),
    "20 layers, 400 ops": lambda: dense(20, 64, 32),
    "100 layers, 1,900 ops": lambda: dense(100, 32, 32),
    "3 wide layers, 80 ops": lambda: dense(3, 512, 256),
}
#: Those that compile soon enough to be made in pairs.
IN_PAIRS = ("2 layers, 60 ops", "20 layers, 400 ops", "3 wide layers, 80 ops")


class Loop:
    """A monitored session that is stepped and timed."""

    def __init__(self, train, build, hooks):
        self._graph = tf.Graph()
        with self._graph.as_default():
            self._fetches, self._feeds = build()
            self._session = train.SingularMonitoredSession(hooks=hooks)

    def turn(self, steps=TURN):
        """Seconds that each of some steps takes."""
        seconds = []
        for _ in range(steps):
            start = time.perf_counter()
            self._session.run(self._fetches, self._feeds)
            seconds.append(time.perf_counter() - start)
        return seconds

    def close(self):
        """Ends the session."""
        with self._graph.as_default():
            self._session.close()


def quick(seconds):
    """What the quicker steps take: free of most of what else the machine does."""
    return float(np.percentile(seconds, 20))


def profiled(build, profiles, directory):
    """(at the step, over the turn): extra seconds, of ours and of TensorFlow's hook."""
    ours, theirs = os.path.join(directory, "ours"), os.path.join(directory, "theirs")
    os.makedirs(theirs)
    with tf.Graph().as_default():
        their_hook = v1.train.ProfilerHook(save_steps=TURN, output_dir=theirs)
    our_hook = compat.ProfilerHook(save_steps=TURN, output_dir=ours)
    loops = [Loop(compat, build, [our_hook]), Loop(v1.train, build, [their_hook])]
    found = {loop: ([], [], []) for loop in loops}
    middle = TURN // 2
    for loop in loops:
        # The hooks fire at global steps that TURN divides; first profiles don't count.
        loop.turn(TURN - 1 - middle)
        loop.turn()
    for turn in range(profiles):
        for loop in loops[:: 1 if turn % 2 else -1]:
            seconds = loop.turn()
            with_profile, normal, over_turn = found[loop]
            with_profile.append(seconds.pop(middle))
            normal.extend(seconds)
            usual = statistics.median(seconds)
            over_turn.append(with_profile[-1] + sum(seconds) - TURN * usual)
    for loop in loops:
        loop.close()
    for hook_directory in (ours, theirs):
        written = [name for name in os.listdir(hook_directory) if name.startswith("timeline-")]
        assert len(written) == profiles + 1, written
    at_step = [quick(found[loop][0]) - quick(found[loop][1]) for loop in loops]
    return at_step, [statistics.median(found[loop][2]) for loop in loops]


def unprofiled(build, steps, directory):
    """A quick step with the hook by one without it: the median over pairs of sessions.

    Two sessions of the same graph differ by some percent already, and whatever else the
    machine does by more; stepping them by turns, taking the faster fifth of their steps
    and many pairs is what makes the hook's share visible.
    """
    ratios = []
    for pair in range(PAIRS):
        hook = compat.ProfilerHook(save_steps=10**9, output_dir=directory)
        loops = [Loop(compat, build, hooks) for hooks in ([hook], [])[:: 1 if pair % 2 else -1]]
        seconds = {loop: [] for loop in loops}
        for loop in loops:
            loop.turn(10)
        for step in range(steps):
            for loop in loops[:: 1 if step % 2 else -1]:
                seconds[loop] += loop.turn(1)
        with_hook, without = loops[:: 1 if pair % 2 else -1]
        ratios.append(quick(seconds[with_hook]) / quick(seconds[without]))
        for loop in loops:
            loop.close()
    return statistics.median(ratios)


#: Ops in one step of a made-up capture, and the events that each leaves there.
OPS, EVENTS_AN_OP, THREADS = 1000, 5, 4


def write_capture(path, events):
    """A capture as of training steps on a few threads, and the graph that ran."""
    builder = SpaceBuilder()
    plane = builder.plane("/host:CPU")
    lines = [plane.line(f"thread {i}", id=i) for i in range(THREADS)]
    for number in range(events // EVENTS_AN_OP):
        step, op = divmod(number, OPS)
        line = lines[number % THREADS]
        start = 10.0 * number
        line.event("ThreadpoolListener::StartRegion", start)
        line.event("ExecutorState::Process", start + 1, 8, id=step)
        line.op(f"layer/op_{op}", "MatMul", start + 2, 5, "(float[32,64];float[64,64])", step)
        line.event("ThreadpoolListener::StopRegion", start + 9.5)
    graph = v1.GraphDef()
    for op in range(OPS):
        node = graph.node.add(name=f"layer/op_{op}", op="MatMul")
        node.input.extend(f"layer/op_{op - back}" for back in (1, 2) if op >= back)
    with open(path, "wb") as file:
        file.write(builder.space.SerializeToString())
    with open(path.replace(".xplane.pb", ".graph.pb"), "wb") as file:
        file.write(graph.SerializeToString())


CONVERT = """
import json, resource, sys, time
import tensorflow as tf
from compat.__main__ import main
begin = time.perf_counter()
status = main(["timeline", *sys.argv[1:]])
seconds = time.perf_counter() - begin
kibibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"status": status, "seconds": seconds, "GiB": kibibytes / 2**20}))
"""


def convert(events):
    """What converting a capture costs: seconds and GiB."""
    with tempfile.TemporaryDirectory() as directory:
        capture = os.path.join(directory, "host.xplane.pb")
        write_capture(capture, events)
        output = os.path.join(directory, "timeline.json")
        options = ["--dataflow", "--memory", "--quiet", "-o", output]
        done = subprocess.run(
            [sys.executable, "-c", CONVERT, capture, *options],
            check=True,
            stdout=subprocess.PIPE,
        )
        found = json.loads(done.stdout.splitlines()[-1])
        assert found["status"] == 0 and os.path.getsize(output) > 10 * events
        return found


def report(what, value, limit):
    """Prints a measured value; returns whether it is beyond its limit."""
    beyond = value > LIMITS[limit]
    mark = " beyond the limit" if beyond else ""
    print(f"{what:<40} {value:7.3f} (limit {LIMITS[limit]:.2f}){mark}", flush=True)
    return beyond


def measure_profiled(arguments):
    """Every graph's profiled steps; whether one is beyond its limit."""
    failed = False
    for name, build in GRAPHS.items():
        with tempfile.TemporaryDirectory() as directory:
            (ours, theirs), (our_turn, their_turn) = profiled(build, arguments.profiles, directory)
        failed |= report(f"profiled: {name}", ours / theirs, "profiled")
        print(
            f"    {1e3 * ours:.2f} ms against {1e3 * theirs:.2f} ms; over the turn "
            f"{1e3 * our_turn:.2f} ms against {1e3 * their_turn:.2f} ms"
        )
    return failed


def measure_unprofiled(arguments):
    """Steps without a profile; whether they are beyond the limit."""
    failed = False
    for name in IN_PAIRS:
        with tempfile.TemporaryDirectory() as directory:
            ratio = unprofiled(GRAPHS[name], arguments.steps, directory)
        failed |= report(f"unprofiled: {name}", ratio, "unprofiled")
    return failed


def measure_convert(arguments):
    """Conversion of captures; whether one is beyond a limit."""
    quarter, whole = (convert(events) for events in (arguments.events // 4, arguments.events))
    failed = report(f"convert {arguments.events:,} events: seconds", whole["seconds"], "seconds")
    failed |= report(f"convert {arguments.events:,} events: GiB", whole["GiB"], "GiB")
    growth = whole["seconds"] / quarter["seconds"] / 4
    return report("convert: time per event, by a quarter's", growth, "growth") or failed


PARTS = {
    "profiled": measure_profiled,
    "unprofiled": measure_unprofiled,
    "convert": measure_convert,
}


def main():
    """Runs the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART")
    parser.add_argument("--profiles", type=int, default=30)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--events", type=int, default=1_000_000)
    arguments = parser.parse_args()
    results = [PARTS[part](arguments) for part in arguments.parts]
    return int(any(results))


if __name__ == "__main__":
    sys.exit(main())
