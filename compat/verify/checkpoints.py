"""Reads one checkpoint of any format, one variable at a time.

TensorFlow's formats (V1 and V2, by name or object-based) go through
`tf.train.load_checkpoint`, which puts partitioned variables together and verifies
checksums; Keras's go through h5py, without building the model.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from compat.verify.names import short
from compat.verify.runs import CheckpointFile

#: Bookkeeping of object-based checkpoints; holds names, no values.
_OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_STEP_NAMES = ("global_step", "_iterations", "iterations", "iter", "iteration", "step")
_KERAS_ITERATIONS = "optimizer/vars/0"


class UnreadableError(Exception):
    """A checkpoint, or one variable in it, that can't be read; says which file and why."""


class Checkpoint:
    """The variables of one checkpoint.

    Attributes:
      path: The file or prefix.
      variables: Name -> (shape, name of the dtype).
      recorded: Name -> the variable's own full name, where the file stores one.
    """

    def __init__(self, path: str, variables: dict[str, tuple[tuple[int, ...], str]]):
        self.path = path
        self.variables = variables
        self.recorded: dict[str, str] = {}

    def read(self, name: str) -> np.ndarray:
        """One variable's value.

        Args:
          name: A key of `variables`.

        Returns:
          An array; strings come as an object array of bytes.

        Raises:
          UnreadableError: If the file is damaged there.
        """
        raise NotImplementedError

    @property
    def step(self) -> int | None:
        """The training step that the checkpoint itself holds, None if it holds none."""
        for wanted in _STEP_NAMES:
            for name, (shape, dtype) in self.variables.items():
                last = name.rsplit("/", 1)[-1].removesuffix(":0")
                fits = last == wanted or (wanted == "iterations" and name == _KERAS_ITERATIONS)
                if fits and shape == () and dtype in ("int32", "int64", "uint32", "uint64"):
                    return int(self.read(name))
        return None


class _Bundle(Checkpoint):
    """A checkpoint of TensorFlow's own formats."""

    def __init__(self, path: str):
        import tensorflow as tf

        try:
            self._reader = tf.train.load_checkpoint(path)
        except Exception as error:  # The reader raises whatever its C++ part meets.
            raise UnreadableError(f"{path} can't be opened: {_first_line(error)}") from None
        shapes = self._reader.get_variable_to_shape_map()
        types = self._reader.get_variable_to_dtype_map()
        self._keys = {short(key): key for key in sorted(shapes) if key != _OBJECT_GRAPH}
        super().__init__(
            path,
            {name: (tuple(shapes[k]), types[k].name) for name, k in self._keys.items()},
        )
        if _OBJECT_GRAPH in shapes:
            self.recorded = self._full_names()

    def _full_names(self) -> dict[str, str]:
        from tensorboard.compat.proto import trackable_object_graph_pb2

        graph = trackable_object_graph_pb2.TrackableObjectGraph()
        try:
            graph.ParseFromString(self._reader.get_tensor(_OBJECT_GRAPH))
        except Exception:  # Damaged where only names are: the variables tell the rest.
            return {}
        return {
            short(attribute.checkpoint_key): attribute.full_name
            for node in graph.nodes
            for attribute in node.attributes
            if attribute.full_name
        }

    def read(self, name: str) -> np.ndarray:
        try:
            value = self._reader.get_tensor(self._keys[name])
        except Exception as error:  # NotFound, DataLoss, IndexError: it depends on the damage.
            raise UnreadableError(_first_line(error)) from None
        return np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)


class _H5(Checkpoint):
    """A Keras weights file, or a whole model in HDF5."""

    def __init__(self, path: str, file: Any):
        import h5py

        self._file = file
        found: dict[str, tuple[tuple[int, ...], str]] = {}

        def add(name: str, item: Any) -> None:
            if isinstance(item, h5py.Dataset):
                found[name] = (item.shape, "string" if item.dtype.kind in "OS" else item.dtype.name)

        file.visititems(add)
        super().__init__(path, found)

    def read(self, name: str) -> np.ndarray:
        try:
            value = self._file[name][()]
        except (OSError, RuntimeError) as error:
            raise UnreadableError(f"{self.path} is damaged: {_first_line(error)}") from None
        return np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)


@contextmanager
def opened(file: CheckpointFile) -> Iterator[Checkpoint]:
    """Opens a checkpoint for reading.

    Args:
      file: What `runs.find` found.

    Yields:
      The checkpoint; it can be read until the block ends.

    Raises:
      UnreadableError: If it can't be opened.
    """
    if file.form in ("v1", "v2"):
        yield _Bundle(file.path)
    elif file.form == "h5":
        with _opened_h5(file.path, file.path) as checkpoint:
            yield checkpoint
    else:
        # h5py wants to seek, which a file within an archive can't do well.
        with tempfile.TemporaryDirectory(prefix="verify_") as scratch:
            weights = os.path.join(scratch, "model.weights.h5")
            try:
                with zipfile.ZipFile(file.path) as archive:
                    with archive.open("model.weights.h5") as packed, open(weights, "wb") as out:
                        shutil.copyfileobj(packed, out, 1 << 20)
            except (OSError, KeyError, zipfile.BadZipFile) as error:
                message = f"{file.path} is no complete Keras archive: {_first_line(error)}"
                raise UnreadableError(message) from None
            with _opened_h5(weights, file.path) as checkpoint:
                yield checkpoint


@contextmanager
def _opened_h5(path: str, shown: str) -> Iterator[Checkpoint]:
    import h5py

    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise UnreadableError(f"{shown} can't be opened: {_first_line(error)}") from None
    with file:
        yield _H5(shown, file)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
