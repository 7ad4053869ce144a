"""Exporters: which evaluated checkpoints `train_and_evaluate` exports, and which it keeps."""

from __future__ import annotations

import abc
import os
import re
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.estimator.calls import argument_names

v1 = tf.compat.v1

_EXPORT_NAME = re.compile(r"\d{10}")


class Exporter(abc.ABC):
    """Something to export after an evaluation; stands for `tf.estimator.Exporter`."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Name of the directory below `model_dir/export`."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict,
        is_the_final_export: bool,
    ) -> Any:
        """Exports, if there is a reason to.

        Args:
          estimator: The `Estimator`.
          export_path: Directory to write to.
          checkpoint_path: The evaluated checkpoint.
          eval_result: The metrics.
          is_the_final_export: Whether training is over.

        Returns:
          The new directory, or None.
        """


class _SavedModelExporter(Exporter):
    """Exports with `export_saved_model`."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable | None,
        assets_extra: dict[str, str] | None,
        as_text: bool,
    ):
        self._name = name
        self._serving_input_receiver_fn = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text

    @property
    def name(self) -> str:
        """Name of the directory below `model_dir/export`."""
        return self._name

    def _save(self, estimator: Any, export_path: str, checkpoint_path: str) -> bytes:
        return estimator.export_saved_model(
            export_path,
            self._serving_input_receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )


class FinalExporter(_SavedModelExporter):
    """Exports once, when training is over; stands for `tf.estimator.FinalExporter`."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
    ):
        """Takes what `export_saved_model` needs, and a name for the directory."""
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict,
        is_the_final_export: bool,
    ) -> bytes | None:
        """See the base class."""
        if not is_the_final_export:
            return None
        v1.logging.info("Performing the final export in the end of training.")
        return self._save(estimator, export_path, checkpoint_path)


class LatestExporter(_SavedModelExporter):
    """Exports every evaluated checkpoint; stands for `tf.estimator.LatestExporter`."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ):
        """Takes what `export_saved_model` needs.

        Args:
          name: Name of the directory.
          serving_input_receiver_fn: Function that returns a `ServingInputReceiver`.
          assets_extra: Path below `assets.extra` -> file to copy there.
          as_text: Whether to write text instead of a binary proto.
          exports_to_keep: How many exports to keep; None for all.

        Raises:
          ValueError: `exports_to_keep` is not positive.
        """
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        self._exports_to_keep = _checked_count(exports_to_keep)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict,
        is_the_final_export: bool,
    ) -> bytes | None:
        """See the base class."""
        result = self._save(estimator, export_path, checkpoint_path)
        _delete_old(export_path, self._exports_to_keep)
        return result


def loss_smaller(best_eval_result: dict, current_eval_result: dict) -> bool:
    """Whether the current loss is the smaller one.

    Raises:
      ValueError: One of the results has no loss.
    """
    for result in (best_eval_result, current_eval_result):
        if not result or "loss" not in result:
            raise ValueError(f"An evaluation result must have a loss to compare; got {result!r}.")
    return best_eval_result["loss"] > current_eval_result["loss"]


class BestExporter(_SavedModelExporter):
    """Exports a checkpoint that beats all before it; stands for `tf.estimator.BestExporter`."""

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Callable | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = loss_smaller,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ):
        """Takes what `export_saved_model` needs.

        Args:
          name: Name of the directory.
          serving_input_receiver_fn: Function that returns a `ServingInputReceiver`.
          event_file_pattern: Event files below `model_dir` from which the best result
            of earlier runs is read; None to begin anew.
          compare_fn: Function of `best_eval_result` and `current_eval_result`; whether
            the current one is better.
          assets_extra: Path below `assets.extra` -> file to copy there.
          as_text: Whether to write text instead of a binary proto.
          exports_to_keep: How many exports to keep; None for all.

        Raises:
          ValueError: `exports_to_keep` is not positive, or `compare_fn` has other
            arguments.
        """
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        wanted = {"best_eval_result", "current_eval_result"}
        if compare_fn is None or argument_names(compare_fn) != wanted:
            raise ValueError(f"compare_fn must take {sorted(wanted)}; got {compare_fn!r}.")
        self._compare_fn = compare_fn
        self._event_file_pattern = event_file_pattern
        self._exports_to_keep = _checked_count(exports_to_keep)
        self._model_dir: str | None = None
        self._best_eval_result: dict | None = None

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict,
        is_the_final_export: bool,
    ) -> bytes | None:
        """See the base class."""
        if self._model_dir != estimator.model_dir and self._event_file_pattern:
            v1.logging.info("Loading best metric from event files.")
            # The evaluation at hand is among them already, as in TF1: a later run
            # exports only what beats it, and its own first result doesn't.
            self._model_dir = estimator.model_dir
            pattern = os.path.join(estimator.model_dir, self._event_file_pattern)
            self._best_eval_result = self._best_of(pattern)
        if self._best_eval_result is not None and not self._compare_fn(
            best_eval_result=self._best_eval_result, current_eval_result=eval_result
        ):
            return None
        v1.logging.info("Performing best model export.")
        self._best_eval_result = eval_result
        result = self._save(estimator, export_path, checkpoint_path)
        _delete_old(export_path, self._exports_to_keep)
        return result

    def _best_of(self, pattern: str) -> dict | None:
        best = None
        for path in tf.io.gfile.glob(pattern):
            for event in v1.train.summary_iterator(path):
                result = {
                    value.tag: value.simple_value
                    for value in event.summary.value
                    if value.HasField("simple_value")
                }
                if result and (best is None or self._compare_fn(best, result)):
                    best = result
        return best


def _checked_count(exports_to_keep: int | None) -> int | None:
    if exports_to_keep is not None and exports_to_keep <= 0:
        raise ValueError(f"exports_to_keep must be more than 0 or None; got {exports_to_keep!r}.")
    return exports_to_keep


def _delete_old(directory: str, keep: int | None) -> None:
    """Deletes all exports but the newest; other directories stay."""
    if keep is None:
        return
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(directory)]
    exports = sorted(name for name in names if _EXPORT_NAME.fullmatch(name))
    for name in exports[:-keep]:
        path = os.path.join(directory, name)
        try:
            tf.io.gfile.rmtree(path)
        except tf.errors.NotFoundError as error:
            v1.logging.warning("Could not delete %s: %s", path, error)
