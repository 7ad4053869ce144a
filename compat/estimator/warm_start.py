"""Warm starts: a new model whose variables begin with the values of an old checkpoint."""

from __future__ import annotations

import collections
import os
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

VocabInfo = v1.train.VocabInfo


class WarmStartSettings(
    collections.namedtuple(
        "WarmStartSettings",
        [
            "ckpt_to_initialize_from",
            "vars_to_warm_start",
            "var_name_to_vocab_info",
            "var_name_to_prev_var_name",
        ],
    )
):
    """What to take from an old checkpoint; stands for `tf.estimator.WarmStartSettings`."""

    __slots__ = ()

    def __new__(
        cls,
        ckpt_to_initialize_from: str,
        vars_to_warm_start: Any = ".*",
        var_name_to_vocab_info: dict[str, Any] | None = None,
        var_name_to_prev_var_name: dict[str, str] | None = None,
    ):
        """Takes the settings.

        Args:
          ckpt_to_initialize_from: A checkpoint's path, or a directory with checkpoints.
          vars_to_warm_start: A regular expression for trainable variables, a list of
            such for all variables, a list of variables, or None for those of
            `var_name_to_vocab_info` alone.
          var_name_to_vocab_info: Variable name -> `VocabInfo` of how its rows moved.
          var_name_to_prev_var_name: Variable name -> its name in the checkpoint.

        Returns:
          The settings.

        Raises:
          ValueError: No checkpoint is given.
        """
        if not ckpt_to_initialize_from:
            raise ValueError(
                f"ckpt_to_initialize_from must name a checkpoint; got {ckpt_to_initialize_from!r}."
            )
        return super().__new__(
            cls,
            ckpt_to_initialize_from,
            vars_to_warm_start,
            var_name_to_vocab_info or {},
            var_name_to_prev_var_name or {},
        )


def settings_from(warm_start_from: Any) -> WarmStartSettings | None:
    """The settings that `Estimator(warm_start_from=…)` means.

    Args:
      warm_start_from: The path of a checkpoint, of a directory with checkpoints or of a
        SavedModel; settings; or None.

    Returns:
      The settings, or None.

    Raises:
      ValueError: It is something else.
    """
    if warm_start_from is None or isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if not isinstance(warm_start_from, (str, bytes, os.PathLike)):
        raise ValueError(
            f"warm_start_from must be a path or WarmStartSettings; got {warm_start_from!r}."
        )
    path = os.fsdecode(warm_start_from)
    variables = os.path.join(path, "variables", "variables")
    if tf.io.gfile.exists(variables + ".index"):
        v1.logging.info("Warm-starting from a SavedModel")
        path = variables
    return WarmStartSettings(path)


def warm_start(settings: WarmStartSettings | None) -> None:
    """Makes the default graph's variables begin with the old values, if there are any."""
    if settings is not None:
        v1.logging.info("Warm-starting with WarmStartSettings: %s", settings)
        v1.train.warm_start(*settings)
