"""U107: names from before TF 1.15."""

import pytest

from compat.migrate import symbols


@pytest.mark.parametrize(
    "before, after",
    [
        ("tf.mul(a, b)", "tf.multiply(a, b)"),
        ("tf.pack([a])", "tf.stack([a])"),
        ("tf.train.SummaryWriter(d)", "tf.summary.FileWriter(d)"),
        ("tf.train.SummaryWriter.flush", "tf.summary.FileWriter.flush"),
        ("tf.merge_all_summaries()", "tf.summary.merge_all()"),
        ("tf.scalar_summary('a', b)", "tf.summary.scalar('a', b)"),
    ],
)
def test_changed(upgraded, left, before, after):
    text = f"import tensorflow as tf\n{before}\n"
    assert upgraded(text) == f"import compat.v1 as tf\n{after}\n"
    assert left(text) == []


def test_every_renamed_name_gets_a_name_that_tf1_had(upgraded):
    for name in sorted(symbols.ONLY_RENAMED):
        new = next(row.use for row in symbols.RENAMED if row.name == name)
        assert new in upgraded(f"import tensorflow as tf\ntf.{name}(x)\n")


@pytest.mark.parametrize("use", ["tf.nn.seq2seq.x", "tf.nn.rnn(a)", "tf.listdiff(a, b)"])
def test_names_that_changed_more_stay_and_are_reported(upgraded, left, use):
    text = f"import tensorflow as tf\n{use}\n"
    assert upgraded(text) == f"import compat.v1 as tf\n{use}\n"
    assert left(text) == [(2, "C301")]
