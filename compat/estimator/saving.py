"""`Estimator.export_saved_model`: the graphs of one or more modes as a SavedModel."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat.estimator.export.signatures import signatures_for
from compat.estimator.graphs import legacy_graph
from compat.estimator.mode_keys import ModeKeys
from compat.sessions.scaffold import Scaffold
from compat.sessions.session import Session

v1 = tf.compat.v1

#: In the order of export: the variables of training contain those of the other modes.
_TAGS = {
    ModeKeys.TRAIN: [v1.saved_model.tag_constants.TRAINING],
    ModeKeys.EVAL: ["eval"],
    ModeKeys.PREDICT: [v1.saved_model.tag_constants.SERVING],
}
_ATTEMPTS = 10


def export(
    estimator: Any,
    export_dir_base: str,
    receivers: dict[str, Callable],
    assets_extra: dict[str, str] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
    strip_default_attrs: bool = True,
) -> bytes:
    """Writes a SavedModel.

    Args:
      estimator: The `Estimator`.
      export_dir_base: Directory to make the new one in.
      receivers: Mode -> input receiver function.
      assets_extra: Path below `assets.extra` -> file to copy there.
      as_text: Whether to write text instead of a binary proto.
      checkpoint_path: The checkpoint; the latest in `model_dir` if None.
      strip_default_attrs: Whether to leave out attributes that have their default.

    Returns:
      The directory, as bytes as in TF1.

    Raises:
      ValueError: There is no checkpoint, or it lacks a variable of the model, or no
        mode is known.
    """
    checkpoint_path = checkpoint_path or estimator.latest_checkpoint() or _warm_start(estimator)
    modes = [
        mode for mode in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT) if mode in receivers
    ]
    if not modes:
        raise ValueError(f"An export needs a mode of ModeKeys; got {sorted(receivers)}.")
    export_dir = _new_directory(os.fsdecode(export_dir_base))
    # Servers ignore directories whose name is no number.
    temporary = os.path.join(os.path.dirname(export_dir), "temp-" + os.path.basename(export_dir))
    builder = v1.saved_model.Builder(temporary)
    for mode in modes:
        with legacy_graph(tf.Graph()):
            _add(
                estimator,
                builder,
                mode,
                receivers[mode],
                checkpoint_path,
                mode == modes[0],
                strip_default_attrs,
            )
    builder.save(as_text)
    for relative, source in (assets_extra or {}).items():
        target = os.path.join(temporary, "assets.extra", relative)
        tf.io.gfile.makedirs(os.path.dirname(target))
        tf.io.gfile.copy(source, target)
    tf.io.gfile.rename(temporary, export_dir)
    return os.fsencode(export_dir)


def _add(
    estimator: Any,
    builder: Any,
    mode: str,
    receiver_fn: Callable,
    checkpoint_path: str,
    with_variables: bool,
    strip_default_attrs: bool,
) -> None:
    """Adds the graph of one mode, and the variables with the first."""
    estimator._create_and_assert_global_step(v1.get_default_graph())
    v1.set_random_seed(estimator._config.tf_random_seed)
    receiver = receiver_fn()
    spec = estimator._call_model_fn(
        receiver.features, getattr(receiver, "labels", None), mode, estimator.config
    )
    signatures = signatures_for(spec, receiver)
    with Session(config=estimator._session_config) as session:
        local_init_op = spec.scaffold.local_init_op
        if local_init_op is None:
            local_init_op = Scaffold.default_local_init_op()
        saver = spec.scaffold.saver or v1.train.Saver(sharded=True)
        try:
            saver.restore(session, checkpoint_path)
        except tf.errors.NotFoundError as error:
            raise ValueError(
                f"The checkpoint lacks a variable that the model has in mode {mode!r}; got "
                f"{checkpoint_path!r}. {error}"
            ) from error
        if spec.train_op is not None:
            builder._add_train_op(spec.train_op)
        settings = {
            "tags": _TAGS[mode],
            "signature_def_map": signatures,
            "assets_collection": v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
            "main_op": local_init_op,
            "saver": saver,
            "strip_default_attrs": strip_default_attrs,
        }
        if with_variables:
            builder.add_meta_graph_and_variables(session, **settings)
        else:
            builder.add_meta_graph(**settings)


def _warm_start(estimator: Any) -> str:
    settings = estimator._warm_start_settings
    if settings is None:
        raise ValueError(
            f"Could not find a trained model; got model_dir {estimator.model_dir!r}. Train first."
        )
    path = settings.ckpt_to_initialize_from
    return tf.train.latest_checkpoint(path) if tf.io.gfile.isdir(path) else path


def _new_directory(base: str) -> str:
    """A path named by the time in seconds; when it is taken, a second later."""
    for attempt in range(_ATTEMPTS):
        path = os.path.join(base, str(int(time.time())))
        if not tf.io.gfile.exists(path):
            return path
        v1.logging.warning(
            "Directory %s already exists; retrying (attempt %d/%d)", path, attempt + 1, _ATTEMPTS
        )
        time.sleep(1)
    raise RuntimeError(f"No new directory could be made; got the base {base!r}. Try again.")
