"""What an import of a TensorFlow module gives a legacy script."""

import pytest
import tensorflow as tf

from compat.v1.paths import module_for


@pytest.mark.parametrize("tf1", [True, False])
def test_compiled_protocol_buffers_are_tensorflows_own(tf1):
    module = module_for("tensorflow.core.framework.summary_pb2", tf1)
    assert module.Summary is tf.compat.v1.Summary
    assert module_for("tensorflow.core.protobuf", tf1).config_pb2.ConfigProto


def test_a_module_that_is_nowhere_is_an_import_error():
    with pytest.raises(ModuleNotFoundError):
        module_for("tensorflow.core.nowhere", True)
