"""What an import of a TensorFlow module gives a legacy script."""

import subprocess
import sys

import pytest
import tensorflow as tf

from compat.migrate import lookup, symbols
from compat.v1.paths import module_for


@pytest.mark.parametrize("tf1", [True, False])
def test_compiled_protocol_buffers_are_tensorflows_own(tf1):
    module = module_for("tensorflow.core.framework.summary_pb2", tf1)
    assert module.Summary is tf.compat.v1.Summary
    assert module_for("tensorflow.core.protobuf", tf1).config_pb2.ConfigProto


def test_a_module_that_is_nowhere_is_an_import_error():
    with pytest.raises(ModuleNotFoundError):
        module_for("tensorflow.core.nowhere", True)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tensorflow.examples.tutorials.mnist", "Use tf.keras.datasets.mnist"),
        ("tensorflow.tools.graph_transforms", "Use tf.lite"),
        ("tensorflow.models.rnn", "Use tf.nn instead"),
        ("tensorflow.contrib.tensorboard.plugins", "Use tensorboard.plugins instead"),
    ],
)
def test_a_module_that_is_gone_names_its_replacement(path, text):
    with pytest.raises(ModuleNotFoundError, match=text):
        module_for(path, True)


def test_every_private_name_that_check_calls_working_is_there():
    missing = []
    for module, names in lookup.private_modules().items():
        found = module_for(module, True)
        for name in names:
            verdict = lookup.classify(f"{module}.{name}")
            if verdict and verdict.status == symbols.WORKS and not hasattr(found, name):
                missing.append(f"{module}.{name}")
    assert not missing


def test_private_modules_hold_this_packages_classes(tmp_path):
    text = """
from tensorflow.python.layers import core as layers_core
from tensorflow.python.layers.normalization import BatchNormalization
from tensorflow.python.ops import array_ops, rnn_cell
import tensorflow.python.ops.rnn_cell_impl as rnn_cell_impl
from tensorflow.python.keras import backend as K
from tensorflow.python.keras.layers import Dense
import tensorflow.python.keras.layers as layers
from tensorflow.python.estimator import model_fn
from tensorflow.python.estimator.inputs import numpy_io
import tensorflow_estimator.python.estimator.estimator as estimator_lib
from tensorflow.python.tools import freeze_graph
from tensorflow.python.training import session_run_hook
from tensorflow.python import pywrap_tensorflow
from tensorflow.python.framework import graph_util
import tensorflow as tf

assert layers_core.Dense is tf.layers.Dense
assert BatchNormalization is tf.layers.BatchNormalization
assert rnn_cell.LSTMStateTuple is rnn_cell_impl.LSTMStateTuple is tf.nn.rnn_cell.LSTMStateTuple
assert array_ops.zeros is tf.zeros
assert Dense is layers.Dense is tf.keras.layers.Dense
assert K.get_session is tf.keras.backend.get_session
assert model_fn.EstimatorSpec is tf.estimator.EstimatorSpec
assert estimator_lib.Estimator is tf.estimator.Estimator
assert numpy_io.numpy_input_fn is tf.estimator.inputs.numpy_input_fn
assert session_run_hook.SessionRunHook is tf.train.SessionRunHook
assert pywrap_tensorflow.NewCheckpointReader is tf.train.NewCheckpointReader
assert graph_util.convert_variables_to_constants is tf.graph_util.convert_variables_to_constants
assert tf.python.training.saver.Saver is tf.train.Saver
assert freeze_graph.freeze_graph_with_def_protos
"""
    _run(tmp_path, text)


def test_star_imports_bring_the_public_names(tmp_path):
    text = """
from tensorflow.train import *
from tensorflow.layers import *
from tensorflow.nn import *
from tensorflow.python.ops.nn_ops import *
import tensorflow as tf

assert Saver is tf.train.Saver
assert SessionRunHook is tf.train.SessionRunHook
assert dense is tf.layers.dense
assert rnn_cell is tf.nn.rnn_cell
assert bias_add is tf.nn.bias_add
"""
    _run(tmp_path, text)


def _run(folder, text):
    script = folder / "script.py"
    script.write_text(text)
    command = [sys.executable, "-m", "compat", "run", str(script)]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
