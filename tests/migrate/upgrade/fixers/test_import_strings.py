"""U108: modules imported by a string."""

import pytest


@pytest.mark.parametrize(
    "before, after",
    [
        ("importlib.import_module('tensorflow')", "importlib.import_module('compat.v1')"),
        (
            'importlib.import_module("tensorflow.compat.v1")',
            'importlib.import_module("compat.v1")',
        ),
        ("__import__('tensorflow.train')", "__import__('compat.v1.train')"),
        (
            "LazyLoader('tf', globals(), 'tensorflow')",
            "LazyLoader('tf', globals(), 'compat.v1')",
        ),
        ("pytest.importorskip('tensorflow')", "pytest.importorskip('compat.v1')"),
    ],
)
def test_changed(upgraded, before, after):
    assert upgraded(f"import tensorflow as tf\nx = {before}\n") == (
        f"import compat.v1 as tf\nx = {after}\n"
    )


@pytest.mark.parametrize(
    "call",
    [
        "importlib.import_module('numpy')",
        "importlib.import_module('tensorflow.python.client.timeline')",
        "importlib.import_module(name)",
        "print('tensorflow')",
    ],
)
def test_unchanged(upgraded, call):
    assert upgraded(f"import tensorflow as tf\nx = {call}\n") == (
        f"import compat.v1 as tf\nx = {call}\n"
    )
