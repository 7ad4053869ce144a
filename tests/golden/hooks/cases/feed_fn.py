"""`FeedFnHook`, and feeds of several hooks."""

from __future__ import annotations

from . import case


@case("graph")
def feeds_every_run(bench):
    tf = bench.tf
    with bench.model():
        x = tf.placeholder(tf.float32, [])
        value = x * 1
        values = iter([1.0, 2.0, 3.0])
        hook = bench.api.FeedFnHook(lambda: {x: next(values)})
        with bench.session([hook]) as session:
            for _ in range(4):  # The fourth ends the data.
                bench.note("value", float(session.run(value)))
        bench.note("left")


def _conflict(bench, hooks, feed_dict=None):
    with bench.noting_error("run", ["fed"]):
        with bench.session(hooks) as session:
            session.run("fed:0", feed_dict=feed_dict)


@case("graph")
def conflicts(bench):
    tf = bench.tf
    calls = []

    def hook(key):
        def feed():
            calls.append(1)
            return {key: 2.0}

        return bench.api.FeedFnHook(feed)

    with bench.model():
        x = tf.placeholder(tf.float32, [], name="fed")
        _conflict(bench, [hook(x), hook(x)])
        bench.note("feed functions called", len(calls))
        _conflict(bench, [hook(x), bench.probe()], {x: 1.0})
        bench.note("feed functions called", len(calls))
        _conflict(bench, [], {x: 1.0})


@case("graph")
def a_name_and_a_tensor_are_two_keys(bench):
    tf = bench.tf
    with bench.model():
        x = tf.placeholder(tf.float32, [], name="fed")
        _conflict(bench, [bench.api.FeedFnHook(lambda: {x: 2.0})], {"fed:0": 1.0})
