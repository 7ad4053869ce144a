"""Evaluation and prediction: values, events, checkpoints, hooks, generators."""

import os

import numpy as np
import pytest
import tensorflow as tf

from compat import estimator as estimators

v1 = tf.compat.v1


def scalars(directory):
    """(step, tag) -> value of all events in a directory."""
    found = {}
    for name in os.listdir(directory):
        for event in v1.train.summary_iterator(os.path.join(directory, name)):
            for value in event.summary.value:
                found[event.step, value.tag] = value.simple_value
    return found


def test_metrics_are_those_of_numpy(make_estimator, input_fn, rows):
    metrics = make_estimator().evaluate(input_fn)
    error = rows[1] - rows[0] @ np.full(4, 0.1, np.float32)
    assert metrics["global_step"] == 0
    np.testing.assert_allclose(metrics["mae"], np.abs(error).mean(), rtol=1e-6)
    np.testing.assert_allclose(metrics["loss"], (error**2).mean(), rtol=1e-6)


def test_metrics_are_written_to_the_directory_of_the_name(make_estimator, input_fn):
    estimator = make_estimator()
    estimator.train(input_fn, steps=2)
    metrics = estimator.evaluate(input_fn, steps=2, name="small")
    assert estimator.eval_dir("small").endswith("eval_small")
    found = scalars(estimator.eval_dir("small"))
    assert set(found) == {(2, "loss"), (2, "mae"), (2, "checkpoint_path")}
    assert found[2, "loss"] == metrics["loss"]


def test_metrics_are_logged_with_the_digits_of_their_type(input_fn, caplog, monkeypatch):
    def model_fn(features, labels, mode):
        w = v1.get_variable("w", [], initializer=v1.constant_initializer(0.1))
        return estimators.EstimatorSpec(mode, loss=w)

    monkeypatch.setattr(tf.get_logger(), "propagate", True)
    caplog.set_level("INFO", logger="tensorflow")
    estimators.Estimator(model_fn).evaluate(input_fn, steps=1)
    assert "Saving dict for global step 0: global_step = 0, loss = 0.1" in caplog.messages


def test_steps_end_an_evaluation_and_are_logged(make_estimator, input_fn, caplog):
    class Count(v1.train.SessionRunHook):
        runs = 0

        def after_run(self, run_context, run_values):
            self.runs += 1

    count = Count()
    make_estimator().evaluate(input_fn, steps=4, hooks=[count])
    assert count.runs == 4


def test_an_old_checkpoint_can_be_evaluated(make_estimator, input_fn):
    estimator = make_estimator()
    estimator.train(input_fn, steps=10)
    old = os.path.join(estimator.model_dir, "model.ckpt-5")
    assert estimator.evaluate(input_fn, checkpoint_path=old)["global_step"] == 5
    new = estimator.evaluate(input_fn)
    assert new["global_step"] == 10
    assert new["loss"] < estimator.evaluate(input_fn, checkpoint_path=old)["loss"]


def test_user_hooks_come_before_those_of_the_spec(make_estimator, input_fn, recorder):
    calls = []
    spec = {
        "evaluation_hooks": [recorder("spec", calls)],
        "prediction_hooks": [recorder("spec", calls)],
    }
    estimator = make_estimator(spec=spec)
    estimator.evaluate(input_fn, steps=1, hooks=[recorder("user", calls)])
    trace = [f"{n}.{c}" for c in ("begin", "create", "before", "after") for n in ("user", "spec")]
    assert calls == [*trace, "user.end", "spec.end"]
    calls.clear()
    next(estimator.predict(input_fn, hooks=[recorder("user", calls)]))
    assert calls == trace  # A generator that is dropped ends no hook, as in TF1.


@pytest.mark.parametrize("name", ["loss", "global_step"])
def test_a_metric_of_a_reserved_name_is_refused(name, input_fn):
    def model_fn(features, labels, mode):
        w = v1.get_variable("w", [])
        return estimators.EstimatorSpec(mode, loss=w, eval_metric_ops={name: v1.metrics.mean(w)})

    with pytest.raises(ValueError, match=name):
        estimators.Estimator(model_fn).evaluate(input_fn, steps=1)


def test_array_and_summary_metrics_are_written(input_fn, tmp_path):
    def model_fn(features, labels, mode):
        w = v1.get_variable("w", [3], initializer=v1.ones_initializer())
        image = v1.summary.scalar("inner", tf.constant(2.0))
        return estimators.EstimatorSpec(
            mode,
            loss=tf.reduce_sum(w),
            eval_metric_ops={"array": (w + 1, tf.no_op()), "summary": (image, tf.no_op())},
        )

    estimator = estimators.Estimator(model_fn, tmp_path)
    metrics = estimator.evaluate(input_fn, steps=1)
    np.testing.assert_array_equal(metrics["array"], [2, 2, 2])
    found = scalars(estimator.eval_dir())
    assert (0, "array") in found
    assert found[0, "summary/0"] == 2.0


def test_predictions_come_one_by_one(make_estimator, input_fn, rows):
    predictions = list(make_estimator().predict(input_fn))
    assert len(predictions) == len(rows[0])
    expected = rows[0] @ np.full(4, 0.1, np.float32)
    np.testing.assert_allclose([p["value"] for p in predictions], expected, rtol=1e-5, atol=1e-6)
    assert set(predictions[0]) == {"value", "double"}


def test_keys_choose_and_batches_stay_whole(make_estimator, input_fn):
    estimator = make_estimator()
    batch = next(estimator.predict(input_fn, predict_keys=["double"], yield_single_examples=False))
    assert set(batch) == {"double"}
    assert batch["double"].shape == (8,)
    with pytest.raises(ValueError, match="predict_keys"):
        next(estimator.predict(input_fn, predict_keys=["other"]))


def test_a_model_without_predictions_is_refused(input_fn):
    def model_fn(features, labels, mode):
        return estimators.EstimatorSpec("eval", loss=v1.get_variable("w", []))

    with pytest.raises(ValueError, match="predict needs predictions"):
        next(estimators.Estimator(model_fn).predict(input_fn))


def test_two_generators_can_be_used_in_turn(make_estimator, input_fn):
    estimator = make_estimator()
    expected = [p["value"] for p in estimator.predict(input_fn)][:12]
    one, other = estimator.predict(input_fn), estimator.predict(input_fn)
    taken = []
    for _ in range(12):
        taken.append(next(one)["value"])
        assert tf.executing_eagerly()
        assert next(other)["value"] == taken[-1]
    one.close()
    assert next(other)["value"] is not None
    assert taken == expected


def test_a_model_without_checkpoint_has_no_variables_to_show(make_estimator):
    with pytest.raises(ValueError, match="trained model"):
        make_estimator().get_variable_names()


def test_variables_are_read_from_the_latest_checkpoint(make_estimator, input_fn):
    estimator = make_estimator()
    estimator.train(input_fn, steps=1)
    assert estimator.get_variable_names() == ["global_step", "w"]
    assert estimator.get_variable_value("w").shape == (4, 1)
    assert estimator.latest_checkpoint().endswith("model.ckpt-1")
