"""`Estimator.predict`: a generator that holds no graph open between two predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf

from compat.estimator.graphs import legacy_graph
from compat.estimator.input_results import features_and_labels, may_end
from compat.estimator.mode_keys import ModeKeys
from compat.sessions.creators import ChiefSessionCreator
from compat.sessions.monitored import MonitoredSession

v1 = tf.compat.v1

_END = object()


def predict(
    estimator: Any,
    input_fn: Any,
    predict_keys: Sequence[str] | None,
    hooks: Sequence[Any],
    checkpoint_path: str | None,
    single: bool,
) -> Iterator[Any]:
    """Yields predictions; arguments as in `Estimator.predict`."""
    graph = tf.Graph()
    with legacy_graph(graph):
        fetches, session = _start(estimator, input_fn, predict_keys, hooks, checkpoint_path)

    def next_batch() -> Any:
        with legacy_graph(graph):
            try:
                return _END if session.should_stop() else session.run(fetches)
            except (tf.errors.OutOfRangeError, StopIteration):
                return _END

    def finish(error: BaseException | None) -> None:
        with legacy_graph(graph):
            session.__exit__(type(error) if error else None, error, None)

    try:
        while (batch := next_batch()) is not _END:
            if single:
                yield from _examples(batch)
            else:
                yield batch
    except BaseException as error:
        finish(error)
        raise
    finish(None)


def _start(
    estimator: Any,
    input_fn: Any,
    predict_keys: Sequence[str] | None,
    hooks: Sequence[Any],
    checkpoint_path: str | None,
) -> tuple[Any, MonitoredSession]:
    """Builds the graph; returns what to fetch and the session to fetch it from."""
    config = estimator._config
    v1.set_random_seed(config.tf_random_seed)
    estimator._create_and_assert_global_step(v1.get_default_graph())
    features, _, input_hooks = features_and_labels(
        estimator._call_input_fn(input_fn, ModeKeys.PREDICT)
    )
    if not may_end(features):
        v1.logging.warning(
            "The input is neither a dataset nor a queue, so that predict never ends. This is "
            "probably a mistake."
        )
    spec = estimator._call_model_fn(features, None, ModeKeys.PREDICT, estimator.config)
    if not checkpoint_path:
        estimator._warm_start()
    creator = ChiefSessionCreator(
        checkpoint_filename_with_path=checkpoint_path,
        master=config.master,
        scaffold=spec.scaffold,
        config=estimator._session_config,
    )
    all_hooks = [*input_hooks, *hooks, *spec.prediction_hooks]
    return _chosen(spec.predictions, predict_keys), MonitoredSession(creator, all_hooks)


def _chosen(predictions: Any, keys: Sequence[str] | None) -> Any:
    if isinstance(predictions, dict) and not predictions:
        raise ValueError(
            "predict needs predictions, and the model_fn's EstimatorSpec has none. Give it some "
            "in mode 'infer'."
        )
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError(
            f"predict_keys choose from a dict of predictions; got {predictions!r}. Leave them out."
        )
    result = {key: value for key, value in predictions.items() if key in keys}
    if not result:
        raise ValueError(f"predict_keys must be among {sorted(predictions)}; got {list(keys)!r}.")
    return result


def _examples(batch: Any) -> Iterator[Any]:
    """The examples of a batch, one by one."""
    if not isinstance(batch, dict):
        yield from batch
        return
    lengths = {key: value.shape[0] for key, value in batch.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"Predictions of one batch must have the same length; got {lengths}. Use "
            "yield_single_examples=False to get whole batches."
        )
    for i in range(next(iter(lengths.values()), 0)):
        yield {key: value[i] for key, value in batch.items()}
