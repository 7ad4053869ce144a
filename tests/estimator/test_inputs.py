"""numpy_input_fn and pandas_input_fn: rows, epochs, batches, structures."""

import numpy as np
import pytest
import tensorflow as tf

import compat
from compat.estimator import inputs
from compat.estimator.inputs import row_numbers

v1 = tf.compat.v1

X = np.arange(10, dtype=np.float32)
Y = np.arange(100, 110)


def batches(input_fn, limit=100):
    """All batches of an input function."""
    with tf.Graph().as_default():
        result = input_fn()
        found = []
        with compat.MonitoredSession() as session:
            while not session.should_stop() and len(found) < limit:
                found.append(session.run(result))
        return found


def test_rows_come_in_order_and_a_batch_crosses_epochs():
    found = batches(inputs.numpy_input_fn(X, Y, batch_size=4, num_epochs=2, shuffle=False))
    assert [len(x) for x, _ in found] == [4, 4, 4, 4, 4]
    np.testing.assert_array_equal(np.concatenate([x for x, _ in found]), np.tile(X, 2))
    np.testing.assert_array_equal(found[2][1], [108, 109, 100, 101])


def test_the_last_batch_is_cut():
    found = batches(inputs.numpy_input_fn(X, batch_size=4, num_epochs=1, shuffle=False))
    assert [len(x) for x in found] == [4, 4, 2]


def test_dicts_keep_their_keys():
    x = {"b": X, "a": np.ones([10, 2])}
    y = {"d": Y, "c": X}
    ((features, labels),) = batches(
        inputs.numpy_input_fn(x, y, batch_size=10, num_epochs=1, shuffle=False)
    )
    assert set(features) == {"a", "b"} and set(labels) == {"c", "d"}
    np.testing.assert_array_equal(features["b"], X)
    np.testing.assert_array_equal(labels["d"], Y)
    assert features["a"].shape == (10, 2)


def test_shuffling_keeps_rows_and_labels_together():
    found = batches(inputs.numpy_input_fn(X, Y, batch_size=5, num_epochs=4, shuffle=True))
    x = np.concatenate([x for x, _ in found])
    y = np.concatenate([y for _, y in found])
    np.testing.assert_array_equal(y, x + 100)
    np.testing.assert_array_equal(np.bincount(x.astype(int)), np.full(10, 4))


def test_without_epochs_there_is_no_end():
    endless = inputs.numpy_input_fn(X, batch_size=4, num_epochs=None, shuffle=False)
    assert [len(x) for x in batches(endless, limit=20)] == [4] * 20


def test_strings_are_rows_too():
    x = {"s": np.array(["a", "bc"], object)}
    (found,) = batches(inputs.numpy_input_fn(x, batch_size=2, num_epochs=1, shuffle=False))
    assert list(found["s"]) == [b"a", b"bc"]


@pytest.mark.parametrize(
    "x, y, arguments, error",
    [
        (X, None, {}, ValueError),
        ([1, 2], None, {"shuffle": False}, TypeError),
        ({}, None, {"shuffle": False}, ValueError),
        (np.zeros([0]), None, {"shuffle": False}, ValueError),
        (X, Y[:5], {"shuffle": False}, ValueError),
        ({"a": X}, {"a": Y}, {"shuffle": False}, ValueError),
    ],
)
def test_wrong_arrays_are_refused(x, y, arguments, error):
    with tf.Graph().as_default(), pytest.raises(error):
        inputs.numpy_input_fn(x, y, **arguments)()


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X, "b": [str(i) for i in range(10)]}, index=range(5, 15))
    target = pandas.Series(Y, index=frame.index)
    found = batches(
        inputs.pandas_input_fn(frame, target, batch_size=6, num_epochs=1, shuffle=False)
    )
    assert [len(labels) for _, labels in found] == [6, 4]
    assert list(found[0][0]["b"][:2]) == [b"0", b"1"]
    both = pandas.DataFrame({"c": Y, "d": Y + 1}, index=frame.index)
    ((_, labels),) = batches(
        inputs.pandas_input_fn(frame, both, batch_size=10, num_epochs=1, shuffle=False)
    )
    np.testing.assert_array_equal(labels["d"], Y + 1)
    with pytest.raises(ValueError, match="index"):
        inputs.pandas_input_fn(frame, pandas.Series(Y), shuffle=False)


def test_row_numbers_start_anywhere():
    assert [list(n) for n in row_numbers(3, 2, 2, start=2)] == [[2, 0], [1, 2], [0, 1]]
