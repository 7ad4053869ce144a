"""Hooks in a Keras 2 `fit` under MultiWorkerMirroredStrategy, in two processes."""

import os

import numpy as np
from jobs import run_job

JOB = {"script": "fit_worker.py"}


def by_hand(batches):
    """What SGD on these batches gives: lists of losses and gradients."""
    kernel, losses, gradients = np.ones([2, 1]), [], []
    for x in batches:
        error = x @ kernel - x @ [[1.0], [2.0]]
        losses.append(float(np.mean(error**2)))
        gradients.append(np.ravel(2 * x.T @ error / len(x)))
        kernel = kernel - 0.1 * gradients[-1][:, None]
    return losses, gradients


def test_two_workers(tmp_path):
    """Both see the whole batch's values; the chief alone writes; both go on together."""
    directory = str(tmp_path)
    first = run_job(2, directory=directory, last_step=5, **JOB)
    losses, gradients = by_hand(np.array(first[0].of("x")))
    for worker in first:
        assert worker.of("message") == [], worker.stderr[-2000:]
        assert worker.of("step") == [1, 2, 3, 4, 5]
        np.testing.assert_allclose(worker.of("loss"), losses, rtol=1e-4)
        np.testing.assert_allclose(worker.of("gradient"), gradients, rtol=1e-4, atol=1e-5)
        assert worker.of("x") == first[0].of("x")
        assert np.shape(worker.of("x")) == (5, 4, 2)
    assert first[0].of("saved") == [0, 2, 4, 5]
    assert first[1].of("saved") == []
    events = [name for name in os.listdir(directory) if name.startswith("events")]
    assert len(events) == 1
    second = run_job(2, directory=directory, last_step=8, **JOB)
    for worker in second:
        assert worker.of("message") == [], worker.stderr[-2000:]
        assert worker.of("starts") == [5]
        assert worker.of("step") == [6, 7, 8]
    np.testing.assert_allclose(*[worker.of("kernel") for worker in second], rtol=1e-6)
