"""Models and hooks of the estimator tests; runs the scripts' cases in the background."""

import concurrent.futures

import numpy as np
import pytest
import tensorflow as tf
from estimator_cases import CASES, run_case
from script_cases import COMPAT_RUN

from compat import estimator

v1 = tf.compat.v1


@pytest.fixture(scope="session")
def finished_estimator_cases(request, tmp_path_factory):
    """The cases the selected tests ask for: name -> future of `run_case`."""
    names = {
        item.callspec.params["estimator_case"]
        for item in request.session.items
        if "estimator_case" in getattr(getattr(item, "callspec", None), "params", {})
    }
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        yield {
            name: pool.submit(run_case, name, COMPAT_RUN, tmp_path_factory.mktemp(name))
            for name in CASES
            if name in names
        }


@pytest.fixture(scope="session")
def rows():
    """Features and labels of a line in four dimensions, 48 rows."""
    x = np.random.RandomState(0).randn(48, 4).astype(np.float32)
    return x, (x @ np.array([1, -2, 3, 0.5], np.float32)).astype(np.float32)


@pytest.fixture
def input_fn(rows):
    """Eight rows a batch, without an end in training."""

    def function(mode):
        data = tf.data.Dataset.from_tensor_slices(({"x": rows[0]}, rows[1])).batch(8)
        return data.repeat() if mode == estimator.ModeKeys.TRAIN else data

    return function


@pytest.fixture
def line_model():
    """Makes a model_fn of a line; keyword arguments go into its specs."""

    def make(**spec_arguments):
        def model_fn(features, labels, mode):
            w = v1.get_variable("w", [4, 1], initializer=v1.constant_initializer(0.1))
            value = tf.squeeze(tf.matmul(features["x"], w), 1, name="value")
            if mode == estimator.ModeKeys.PREDICT:
                return estimator.EstimatorSpec(
                    mode, predictions={"value": value, "double": 2 * value}, **spec_arguments
                )
            loss = v1.losses.mean_squared_error(labels, value)
            step = v1.train.get_global_step()
            return estimator.EstimatorSpec(
                mode,
                loss=loss,
                train_op=v1.train.GradientDescentOptimizer(0.05).minimize(loss, step),
                eval_metric_ops={"mae": v1.metrics.mean_absolute_error(labels, value)},
                **spec_arguments,
            )

        return model_fn

    return make


@pytest.fixture
def make_estimator(line_model, tmp_path):
    """Makes an estimator of a line in a fresh directory; settings go into its RunConfig."""

    def make(name="model", spec=None, **settings):
        config = estimator.RunConfig(**{"save_checkpoints_steps": 5, **settings})
        return estimator.Estimator(line_model(**(spec or {})), tmp_path / name, config)

    return make


class Recorder(v1.train.SessionRunHook):
    """Notes its calls in a shared list."""

    def __init__(self, name, calls):
        self.name = name
        self.calls = calls

    def begin(self):
        self.calls.append(f"{self.name}.begin")

    def after_create_session(self, session, coord):
        self.calls.append(f"{self.name}.create")

    def before_run(self, run_context):
        self.calls.append(f"{self.name}.before")

    def after_run(self, run_context, run_values):
        self.calls.append(f"{self.name}.after")

    def end(self, session):
        self.calls.append(f"{self.name}.end")


@pytest.fixture
def recorder():
    """The class of a hook that notes its calls."""
    return Recorder
