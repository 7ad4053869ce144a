"""Exports of checkpoints that TF 1.15 left: files, signatures, and outputs when loaded."""

import json
import os

import estimator_exports as exports
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

import compat.v1

with open(exports.GOLDEN) as _stream:
    GOLDEN = json.load(_stream)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Model -> directory of its export by this package."""
    base = tmp_path_factory.mktemp("exports")
    vocabulary = base / exports.VOCABULARY
    vocabulary.write_text("\n".join(exports.WORDS) + "\n")
    result = {}
    for name in exports.MODELS:
        checkpoints = os.path.join(exports.CHECKPOINTS, name)
        result[name] = exports.export(
            compat.v1, name, checkpoints, str(base / name), str(vocabulary)
        )
    # An export has the vocabulary in itself.
    vocabulary.unlink()
    return result


@pytest.mark.parametrize("model", exports.MODELS)
def test_files_and_signatures_are_those_of_tensorflow_1(exported, model):
    assert GOLDEN["tensorflow"].startswith("1.15")
    proto = saved_model_pb2.SavedModel()
    with open(os.path.join(exported[model], "saved_model.pb"), "rb") as stream:
        proto.ParseFromString(stream.read())
    assert exports.files_of(exported[model]) == GOLDEN[model]["files"]
    assert exports.signatures_of(proto) == GOLDEN[model]["signatures"]


@pytest.mark.parametrize("model", exports.MODELS)
def test_a_loaded_export_answers_as_that_of_tensorflow_1(exported, model):
    loaded = tf.saved_model.load(exported[model], tags=["serve"])
    assert set(loaded.signatures) == set(GOLDEN[model]["outputs"])
    for name, outputs in GOLDEN[model]["outputs"].items():
        _check_outputs(loaded.signatures[name], model, outputs)


def test_a_loaded_evaluation_graph_answers_as_that_of_tensorflow_1(exported):
    loaded = tf.saved_model.load(exported["words"], tags=["eval"])
    _check_outputs(loaded.signatures["eval"], "words", GOLDEN["words"]["eval"]["eval"])


def _check_outputs(signature, model, expected):
    inputs = signature.structured_input_signature[1]
    fed = exports.inputs_of(compat.v1, model, sorted(inputs))
    got = signature(**{k: tf.constant(v, inputs[k].dtype) for k, v in fed.items()})
    for name, values in expected.items():
        array = got[name].numpy().ravel()
        if array.dtype == object:
            assert [item.decode() for item in array] == values
        else:
            np.testing.assert_allclose(array, values, rtol=1e-5, err_msg=name)
