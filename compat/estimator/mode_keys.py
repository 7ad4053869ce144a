"""`ModeKeys`: what a model function is asked to build."""

from __future__ import annotations


class ModeKeys:
    """The modes of a `model_fn`; stands for `tf.estimator.ModeKeys`.

    The values are TF1's strings; scripts compare and print them.
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
