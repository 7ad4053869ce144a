"""Small graphs for the programs: variables, losses, random ops, input, errors by request.

TensorFlow's own session must give one answer, so control dependencies order what would
race: what is computed from a variable comes before the update, and whatever may fail
comes before whatever leaves a trace (updates, random numbers). Reference variables are
also fetched as themselves, which gives the value after the update.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf

from .errors import make_error

v1 = tf.compat.v1


@dataclasses.dataclass
class GraphSpec:
    """What a program's graph has besides the global step, weights, loss and train op."""

    variables: str = "reference"  # or "resource"
    parts: list = dataclasses.field(default_factory=list)
    items: int = 5  # Elements of the dataset or the queue.
    control_flow: int = 1  # Generation of cond and while_loop.


PARTS = [
    "failing",
    "python",
    "one_shot",
    "initializable",
    "queue",
    "computed_step",
    "random",
    "noisy_train",
    "table",
    "composite",
    "control_flow",
    "summary",
    "metric",
    "uninitialized",
    "dtypes",
    "counter",
    "required",
]

_TENSOR = ["object", "object", "name", "op", "op_name"]
_OBJECT = ["object"]
_OPERATION = ["object", "op_name"]

_LEAVES = {
    "computed_step": [("step_plus", _TENSOR)],
    "random": [
        ("normal", _TENSOR),
        ("uniform", _TENSOR),
        ("truncated", _TENSOR),
        ("integers", _TENSOR),
        ("dropped", _TENSOR),
        ("mixed_random", _TENSOR),
    ],
    "one_shot": [("item", _TENSOR), ("item_twice", _TENSOR)],
    "initializable": [("item", _TENSOR), ("item_twice", _TENSOR)],
    "queue": [("queued", _TENSOR)],
    "table": [("looked_up", _TENSOR)],
    "composite": [
        ("sparse", _OBJECT),
        ("sparse_in", _OBJECT),
        ("slices", _OBJECT),
        ("ragged", _OBJECT),
        ("sparse_sum", _TENSOR),
    ],
    "control_flow": [("looped", _TENSOR), ("branched", _TENSOR)],
    "failing": [("checked", _TENSOR), ("asserted", _OPERATION)],
    "python": [("called", _TENSOR)],
    "summary": [("merged", _TENSOR)],
    "metric": [("mean_update", _TENSOR)],
    "uninitialized": [("forgotten", _OBJECT)],
    "dtypes": [
        ("text", _TENSOR),
        ("long", _TENSOR),
        ("flag", _TENSOR),
        ("imaginary", _TENSOR),
        ("half", _TENSOR),
        ("empty", _TENSOR),
        ("texts", _TENSOR),
    ],
    "counter": [("bump", ["object", "name"])],
    "required": [("required", _OBJECT), ("needed", ["object", "name"])],
}

#: Leaves whose fetch uses up input: chosen only by programs that want it.
INPUT = {"item", "item_twice", "queued"}

#: Leaves whose fetch fails when nothing is fed, of which a program has one group. A failing
#: run may or may not have done the rest, so these are only in programs whose graph has
#: nothing else that leaves a trace.
UNFED = [{"required", "needed"}, {"forgotten"}, {"sparse_in", "sparse_sum"}]
COSTLY = INPUT.union(*UNFED)

#: Parts and leaves that leave a trace.
STATEFUL_PARTS = {"random", "one_shot", "initializable", "queue", "counter", "metric"}
STATEFUL_LEAVES = {"train", "step_after"}

_FEEDABLE = {
    "input_x": ("float32", [3]),
    "scaled": ("float32", [3]),
    "loss": ("float32", []),
    "const_c": ("float32", [2]),
}
_FEEDABLE_IN = {
    "required": {"needed": ("float32", [3])},
    "composite": {"sparse_in": ("sparse", [2, 2])},
    "failing": {"risk": ("float32", [])},
    "python": {"argument": ("float32", [])},
    "control_flow": {"choice": ("bool", [])},
    "dtypes": {"long": ("int64", [2]), "text": ("string", []), "flag": ("bool", [])},
    "random": {"normal": ("float32", [2])},
    "table": {"table_keys": ("string", [2])},
}


def leaves(spec, costly=()):
    """The fetchable (key, forms) pairs of a graph.

    Args:
      spec: The graph.
      costly: Which of `COSTLY` may be among them.
    """
    forms = ["object", "name"] if spec.variables == "reference" else ["object"]
    variable = [("step", forms), ("step", forms), ("weights", forms)]
    if spec.variables == "reference":
        variable.append(("weights_identity", ["object", "name"]))
    pairs = variable + [
        ("loss", _TENSOR),
        ("scaled", _TENSOR),
        ("const_c", _TENSOR),
        ("train", _OPERATION),
        ("nothing", _OPERATION),
        ("step_after", ["object", "name"]),
    ]
    for part in spec.parts:
        pairs += _LEAVES.get(part, [])
    return [(key, form) for key, form in pairs if key not in COSTLY or key in costly]


def feedables(spec):
    """The feedable tensors of a graph: key -> (dtype name, shape)."""
    found = dict(_FEEDABLE)
    for part in spec.parts:
        found.update(_FEEDABLE_IN.get(part, {}))
    found["weights"] = ("float32", [3])
    return found


class Vocabulary:
    """The elements of one built graph by key."""

    def __init__(self, graph):
        """Starts empty."""
        self.graph = graph
        self.elements = {}
        self.calls = []  # What the Python function inside the graph saw.
        self.gates = []  # What may fail, in the order in which it is tried.

    def element(self, key, form="object"):
        """An element in the form in which a script may fetch it."""
        element = self.elements[key]
        if form == "object":
            return element
        if form == "op":
            return element.op
        if form == "op_name":
            return element.name if isinstance(element, tf.Operation) else element.op.name
        return element.name

    def some_name(self):
        """The op name of a tensor with one output."""
        return self.elements["const_c"].op.name

    def names(self):
        """Names that error messages may mention."""
        return [element.name for element in self.elements.values() if hasattr(element, "name")]


def build(spec):
    """Builds the graph of a spec in the default graph and returns its `Vocabulary`."""
    (v1.enable_control_flow_v2 if spec.control_flow == 2 else v1.disable_control_flow_v2)()
    built = Vocabulary(v1.get_default_graph())
    resource = spec.variables == "resource"
    with v1.variable_scope(v1.get_variable_scope(), use_resource=resource):
        _base(built, spec)
        for part in spec.parts:
            if part in _BUILDERS:
                _BUILDERS[part](built.elements, spec, built)
        _train(built.elements, spec, built)
    return built


def _base(built, spec):
    e = built.elements
    e["step"] = v1.train.create_global_step()
    e["weights"] = v1.get_variable(
        "weights", [3], initializer=v1.constant_initializer([1.0, 2.0, 3.0])
    )
    e["input_x"] = v1.placeholder_with_default([1.0, 2.0, 3.0], [3], name="input_x")
    # Not `x * x`: TensorFlow's graph optimizer makes that one op, over the head of a feed.
    factor = v1.placeholder_with_default(2.0, [], name="factor_in")
    e["scaled"] = tf.multiply(e["input_x"], factor, name="scaled_x")
    e["loss"] = tf.reduce_sum(e["scaled"] * e["weights"], name="loss_sum")
    e["const_c"] = tf.constant([7.0, 8.0], name="const_c")
    e["nothing"] = tf.no_op(name="do_nothing")
    if spec.variables == "reference":
        e["weights_identity"] = tf.identity(e["weights"], name="weights_identity")


def _train(e, spec, built):
    reads = [e["loss"]]
    if spec.variables == "resource":
        # As tensors: a control dependency on a variable is one on its handle.
        graph = v1.get_default_graph()
        reads += [graph.as_graph_element(e[key]) for key in ("step", "weights")]
    reads += [e[key] for key in ("merged", "step_plus") if key in e]
    # The tensor that TensorFlow's own hooks read the step from, made here to order it.
    v1.train.GlobalStepWaiterHook(0).begin()
    reads += v1.get_collection("global_step_read_op_cache")
    change = e["input_x"] * 0.25
    if "normal" in e and "noisy_train" in spec.parts:
        change += tf.reduce_sum(e["normal"])
    with tf.control_dependencies(reads + built.gates):
        less = v1.assign_sub(e["weights"], change, name="weights_less")
        more = v1.assign_add(e["step"], 1, name="step_more")
    if spec.variables == "resource":  # Their tensors would read the variables once more.
        less, more = less.op, more.op
    e["train"] = tf.group(less, more, name="train_op")
    with tf.control_dependencies([e["train"]]):
        e["step_after"] = tf.add(e["step"], 0, name="step_after")


def _computed_step(e, spec, built):
    e["step_plus"] = tf.add(e["step"], 0, name="step_plus")


def _random(e, spec, built):
    with tf.control_dependencies(built.gates):
        _random_ops(e)


def _random_ops(e):
    e["normal"] = v1.random_normal([2], seed=11, name="normal_r")
    e["uniform"] = v1.random_uniform([2], seed=12, name="uniform_r")
    e["truncated"] = v1.truncated_normal([3], seed=13, name="truncated_r")
    e["integers"] = v1.random_uniform([2], maxval=100, dtype=tf.int64, seed=14, name="integers_r")
    e["dropped"] = v1.nn.dropout(tf.ones([4]), rate=0.5, seed=15, name="dropped_r")
    e["mixed_random"] = tf.add(e["normal"], e["uniform"], name="mixed_r")


def _dataset(spec):
    return tf.data.Dataset.range(10, 10 + spec.items)


def _one_shot(e, spec, built):
    _next_item(e, v1.data.make_one_shot_iterator(_dataset(spec)), built)


def _next_item(e, iterator, built):
    with tf.control_dependencies(built.gates):
        e["item"] = iterator.get_next(name="next_item")
    built.gates.append(e["item"])
    e["item_twice"] = tf.multiply(e["item"], 2, name="item_twice")


def _initializable(e, spec, built):
    iterator = v1.data.make_initializable_iterator(_dataset(spec))
    e["restart"] = iterator.initializer
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    _next_item(e, iterator, built)


def _queue(e, spec, built):
    queue = tf.queue.FIFOQueue(4, [tf.int64], [[]], name="items_queue")
    values = tf.constant(list(range(20, 20 + spec.items)), tf.int64)
    limited = v1.train.limit_epochs(values, num_epochs=1)
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue_many(limited)]))
    with tf.control_dependencies(built.gates):
        e["queued"] = tf.identity(queue.dequeue(), name="queued_item")
    built.gates.append(e["queued"])


def _table(e, spec, built):
    e["table_keys"] = tf.constant(["one", "three"], name="table_keys")
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(
            tf.constant(["one", "two"]), tf.constant([1, 2], tf.int64)
        ),
        default_value=-1,
    )
    e["looked_up"] = tf.identity(table.lookup(e["table_keys"]), name="looked_up")


def _composite(e, spec, built):
    e["sparse"] = tf.SparseTensor([[0, 1], [1, 0]], [5.0, 6.0], [2, 2])
    e["sparse_in"] = v1.sparse_placeholder(tf.float32, shape=[2, 2], name="sparse_in")
    e["sparse_sum"] = v1.sparse_reduce_sum(e["sparse_in"])
    e["slices"] = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 3]))
    e["ragged"] = tf.ragged.constant([[1, 2], [], [3]])


def _control_flow(e, spec, built):
    # `tf.while_loop` of version 2 has other arguments; these names exist in both.
    def body(index, total):
        return index + 1, total + tf.cast(index, tf.float32) * e["const_c"][0]

    _, total = v1.while_loop(lambda index, _: index < 3, body, [tf.constant(0), 0.0])
    e["looped"] = tf.identity(total, name="looped_sum")
    e["choice"] = v1.placeholder_with_default(True, [], name="choice_in")
    branched = v1.cond(e["choice"], lambda: e["const_c"] * 2.0, lambda: e["const_c"] - 1.0)
    e["branched"] = tf.identity(branched, name="branched_c")


def _failing(e, spec, built):
    e["risk"] = v1.placeholder_with_default(1.0, [], name="risk_in")
    e["checked"] = v1.check_numerics(
        tf.math.log(e["risk"]), "the risk was negative", name="checked_risk"
    )
    with tf.control_dependencies([e["checked"]]):
        e["asserted"] = v1.Assert(e["risk"] > 0.0, ["the risk must be positive"], name="asserted")
    built.gates += [e["checked"], e["asserted"]]


def _python(e, spec, built):
    e["argument"] = v1.placeholder_with_default(1.0, [], name="argument_in")

    def function(argument):
        built.calls.append(float(argument))
        if argument < 0:
            raise make_error(int(-argument) - 1, "function")
        return np.float32(argument * 2)

    with tf.control_dependencies(built.gates):
        e["called"] = v1.py_func(function, [e["argument"]], tf.float32, name="python_call")
    built.gates.append(e["called"])


def _summary(e, spec, built):
    v1.summary.scalar("loss_summary", e["loss"])
    v1.summary.scalar("scaled_summary", e["scaled"][0])
    e["merged"] = v1.summary.merge_all(name="merged_summary")


def _metric(e, spec, built):
    with tf.control_dependencies(built.gates):
        values = tf.identity(e["scaled"])
    _, update = v1.metrics.mean(values, name="mean_scaled")
    e["mean_update"] = tf.identity(update, name="mean_update")


def _uninitialized(e, spec, built):
    e["forgotten"] = v1.get_variable("forgotten", [2], collections=["nowhere"], trainable=False)


def _dtypes(e, spec, built):
    e["text"] = tf.constant("text", name="text_c")
    e["texts"] = tf.constant(["a", "ü", ""], name="texts_c")
    e["long"] = tf.constant([2**40, -1], tf.int64, name="long_c")
    e["flag"] = tf.constant(True, name="flag_c")
    e["imaginary"] = tf.constant(1 + 2j, tf.complex64, name="imaginary_c")
    e["half"] = tf.constant([0.5, 1.5], tf.float16, name="half_c")
    e["empty"] = tf.constant([], tf.float32, shape=[0, 2], name="empty_c")


def _counter(e, spec, built):
    counter = v1.get_variable(
        "counter", [], dtype=tf.int64, initializer=v1.zeros_initializer(), trainable=False
    )
    with tf.control_dependencies(built.gates):
        e["bump"] = tf.identity(v1.assign_add(counter, 1), name="bump_counter")


def _required(e, spec, built):
    e["needed"] = v1.placeholder(tf.float32, [3], name="needed_x")
    e["required"] = tf.multiply(e["needed"], 3.0, name="required_x")


_BUILDERS = {
    "computed_step": _computed_step,
    "random": _random,
    "one_shot": _one_shot,
    "initializable": _initializable,
    "queue": _queue,
    "table": _table,
    "composite": _composite,
    "control_flow": _control_flow,
    "failing": _failing,
    "python": _python,
    "summary": _summary,
    "metric": _metric,
    "uninitialized": _uninitialized,
    "dtypes": _dtypes,
    "counter": _counter,
    "required": _required,
}
