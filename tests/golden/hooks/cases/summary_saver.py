"""`SummarySaverHook`."""

from __future__ import annotations

from . import case


@case()
def constructor_errors(bench):
    bench.construct(
        "SummarySaverHook",
        {},
        {"save_steps": 1},
        {"save_steps": 1, "summary_op": "a", "scaffold": "b"},
        {"save_steps": 1, "summary_op": "a"},
        {"save_steps": 1, "save_secs": 1, "summary_op": "a"},
        {"summary_op": "a"},
        {"save_secs": 1, "summary_op": "a"},
        {"save_steps": 0, "summary_op": "a"},
    )


def _summarize(bench):
    """A hook whose `begin` adds a summary of the loss; the scaffold merges what there is."""
    graph = bench.tf.get_default_graph

    def begin(hook):
        bench.tf.summary.scalar("loss_seen", graph().get_tensor_by_name("loss:0"))

    return bench.probe("summaries", begin=begin)


def _train(bench, most=6, **arguments):
    with bench.model():
        scaffold = bench.api.Scaffold()
        saver = bench.api.SummarySaverHook(
            scaffold=scaffold, output_dir=bench.path("sums"), **arguments
        )
        with bench.session([_summarize(bench), saver], scaffold=scaffold) as session:
            for _ in range(most):
                bench.run(session)
    bench.look_at_files("sums")


@case()
def save_steps(bench):
    _train(bench, save_steps=2)


@case()
def save_secs(bench):
    _train(bench, save_secs=2)


@case()
def first_step_is_always_saved(bench):
    _train(bench, save_steps=100)


@case()
def no_summaries_at_all(bench):
    with bench.model():
        scaffold = bench.api.Scaffold()
        saver = bench.api.SummarySaverHook(
            scaffold=scaffold, save_steps=1, output_dir=bench.path("sums")
        )
        with bench.session([saver], scaffold=scaffold) as session:
            bench.run(session)
            bench.run(session)
    bench.look_at_files("sums")


def _graph_train(bench, make_op):
    with bench.model():
        loss = bench.surface.train[0]
        hook = bench.api.SummarySaverHook(
            save_steps=2, output_dir=bench.path("sums"), summary_op=make_op(loss)
        )
        with bench.session([hook]) as session:
            for _ in range(5):
                bench.run(session)
    bench.look_at_files("sums")


@case("graph")
def one_op(bench):
    _graph_train(bench, lambda loss: bench.tf.summary.scalar("one", loss))


@case("graph")
def list_of_ops(bench):
    scalar = bench.tf.summary.scalar
    _graph_train(bench, lambda loss: [scalar("one", loss), scalar("two", loss * 2)])


@case("graph")
def merged_tag_names(bench):
    def make(loss):
        with bench.tf.name_scope("scope"):
            bench.tf.summary.scalar("same", loss)
            bench.tf.summary.scalar("same", loss + 1)
        return bench.tf.summary.merge_all()

    _graph_train(bench, make)


@case("graph")
def writer_given(bench):
    with bench.model():
        writer = bench.tf.summary.FileWriterCache.get(bench.path("sums"))
        op = bench.tf.summary.scalar("one", bench.surface.train[0])
        hook = bench.api.SummarySaverHook(save_steps=3, summary_writer=writer, summary_op=op)
        with bench.session([hook]) as session:
            for _ in range(4):
                bench.run(session)
    bench.look_at_files("sums")


@case("graph")
def triggers_on_a_run_of_any_kind(bench):
    """The first run saves, although it is no train step."""
    with bench.model():
        op = bench.tf.summary.scalar("one", bench.surface.train[0])
        hook = bench.api.SummarySaverHook(
            save_steps=3, output_dir=bench.path("sums"), summary_op=op
        )
        with bench.session([hook]) as session:
            session.run(op)
            for _ in range(4):
                bench.run(session)
    bench.look_at_files("sums")
