"""When a run reads variables, what its fetches give, and how random ops go on."""

import collections

import numpy as np
import pytest
import tensorflow as tf

import compat

v1 = tf.compat.v1

RUNS = 30

#: Ways to fetch the global step as itself: its value after the run.
AS_ITSELF = {
    "variable": lambda step: step,
    "name": lambda step: "global_step:0",
    "identity": lambda step: tf.identity(step),
    "value": lambda step: step.value(),
    "read_value": lambda step: step.read_value(),
}


@pytest.mark.parametrize("use_resource", [False, True], ids=["reference", "resource"])
@pytest.mark.parametrize("way", AS_ITSELF)
def test_variable_fetched_as_itself_is_new(way, use_resource):
    with tf.Graph().as_default(), v1.variable_scope("", use_resource=use_resource):
        step = v1.train.get_or_create_global_step()
        assert step.op.type == ("VarHandleOp" if use_resource else "VariableV2")
        fetch, computed = AS_ITSELF[way](step), step + 0
        train = v1.assign_add(step, 1)
        with compat.SingularMonitoredSession() as session:
            for run in range(1, RUNS + 1):
                _, new, old = session.run([train.op, fetch, computed])
                assert (new, old) == (run, run - 1)


def test_variable_fetched_beside_a_step():
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train():
        return {"new": step.assign_add(1)}

    class Computes(compat.SessionRunHook):
        seen: list = []

        def begin(self):
            self._fetch = [v1.train.get_global_step(), v1.train.get_global_step() + 0]

        def before_run(self, run_context):
            return compat.SessionRunArgs(self._fetch)

        def after_run(self, run_context, run_values):
            self.seen.append([int(value) for value in run_values.results])

    with compat.SingularMonitoredSession([Computes()], global_step=step) as session:
        for _ in range(RUNS):
            session.run([train, "global_step:0"])
    assert Computes.seen == [[run, run - 1] for run in range(1, RUNS + 1)]


def test_built_in_hooks_read_the_step_before_the_update(bench):
    """They add one to it themselves, so that each fires at the same steps in every run."""
    saved = []

    class Saver(compat.CheckpointSaverHook):
        def _save(self, session, step):
            saved.append(int(step))
            return super()._save(session, step)

    for _ in range(2):
        bench.train([Saver(bench.path("model"), save_steps=2)], most=12)
    assert saved == [0, 2, 4, 6, 8, 10, 12] * 2


Pair = collections.namedtuple("Pair", "first second")


def test_structures_of_fetches():
    with tf.Graph().as_default():
        two = tf.constant(2)
        operation = tf.no_op()
        sparse = tf.SparseTensor([[0, 1]], [3], [2, 2])
        with compat.SingularMonitoredSession() as session:
            assert session.run(two, {two: 5}) == 5, "any tensor may be fed"
            assert session.run(operation) is None
            assert session.run([]) == [] and session.run({}) == {}
            assert session.run(()) == ()
            assert session.run(Pair(two, [operation])) == Pair(2, [None])
            assert session.run({"a": (two, {"b": two})}) == {"a": (2, {"b": 2})}
            value = session.run(sparse)
    assert isinstance(value, v1.SparseTensorValue)
    assert value.values.tolist() == [3]


def _normals(fetches):
    """Runs fetch sets, given by their letters, and returns the values by letter."""
    with tf.Graph().as_default():
        ops = {
            "a": tf.random.normal([], seed=1),
            "b": v1.random_uniform([], seed=2),
            "c": tf.random.shuffle(tf.range(100), seed=3),
        }
        values = collections.defaultdict(list)
        with compat.Session() as session:
            for letters in fetches:
                got = session.run({letter: ops[letter] for letter in letters})
                for letter, value in got.items():
                    values[letter].append(np.asarray(value).tolist())
    return values


def test_random_ops_advance_only_where_they_are_fetched():
    alone = _normals(["a", "a", "a", "a"])["a"]
    mixed = _normals(["a", "ab", "b", "bca", "c", "a"])
    assert mixed["a"] == alone
    assert mixed["b"] == _normals(["b", "b", "b"])["b"]
    assert len({str(value) for value in mixed["c"]}) == 2, "no numbers twice"


def test_random_ops_begin_again_in_a_new_session():
    assert _normals(["a", "b"]) == _normals(["a", "b"])
