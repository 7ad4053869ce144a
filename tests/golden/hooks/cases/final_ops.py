"""`FinalOpsHook`."""

from __future__ import annotations

from . import case


def _final(bench, make, **arguments):
    with bench.model():
        hook = bench.api.FinalOpsHook(make(), **arguments)
        bench.note("before", hook.final_ops_values)
        with bench.session([hook]) as session:
            bench.run(session)
        bench.note("after", hook.final_ops_values)


@case("graph")
def structures(bench):
    tf = bench.tf
    _final(bench, lambda: tf.constant([1.5, 2.5]))
    _final(bench, lambda: {"a": tf.constant(1), "b": [tf.constant(2), (tf.constant(3),)]})
    _final(bench, lambda: [tf.constant("text"), tf.constant(["a", "b"])])
    _final(bench, lambda: [])
    _final(bench, lambda: None)


@case("graph")
def feeds(bench):
    with bench.model():
        x = bench.tf.placeholder(bench.tf.float32, [])
        hook = bench.api.FinalOpsHook(x * 2, final_ops_feed_dict={x: 4.0})
        with bench.session([hook]) as session:
            bench.run(session)
        bench.note("values", hook.final_ops_values)


@case()
def by_name(bench):
    """The global step after all runs."""
    _final(bench, lambda: "global_step:0")


@case("graph")
def failing_op(bench):
    with bench.model():
        index = bench.tf.placeholder(bench.tf.int32, [])
        hook = bench.api.FinalOpsHook(
            bench.tf.gather([1.0, 2.0], index), final_ops_feed_dict={index: 7}
        )
        with bench.noting_error("session"):
            with bench.session([hook]) as session:
                bench.run(session)
        bench.note("values", hook.final_ops_values)


@case()
def not_after_an_error(bench):
    with bench.model():
        hook = bench.api.FinalOpsHook("global_step:0")
        with bench.noting_error("loop"):
            with bench.session([hook]) as session:
                bench.run(session)
                raise KeyError("wrong")
        bench.note("values", hook.final_ops_values)
