"""Functions of a graph that bring gradients of their own."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import function

import compat

v1 = tf.compat.v1


@function.Defun(tf.float32, tf.float32)
def tripled(x, gradient):
    return gradient * 3.0


@function.Defun(tf.float32, grad_func=tripled)
def doubled(x):
    return x * 2.0


@function.Defun(tf.float32, python_grad_func=lambda op, gradient: gradient * 11.0)
def squared(x):
    return x * x


@function.Defun(tf.float32)
def halved(x):
    return x * 0.5


@pytest.mark.parametrize("session_class", [v1.Session, compat.Session])
@pytest.mark.parametrize(("defined", "slope"), [(doubled, 3.0), (squared, 11.0), (halved, 0.5)])
def test_gradient_of_a_defined_function(session_class, defined, slope):
    with tf.Graph().as_default(), session_class() as session:
        x = v1.placeholder(tf.float32, [2])
        y = defined(x * 4.0)
        y.set_shape([2])
        (gradient,) = v1.gradients(y, x)
        np.testing.assert_allclose(session.run(gradient, {x: [1.0, 2.0]}), [4.0 * slope] * 2)
