"""The network, written once for training and evaluation."""
from __future__ import absolute_import

import collections

import tensorflow as tf

from . import config

ModelSpec = collections.namedtuple('ModelSpec', ['loss', 'predictions', 'train_op'])


def network(features):
  net = features['pixels']
  for i, size in enumerate(config.hidden_sizes() + [10]):
    with tf.variable_scope('layer_%d' % i):
      w = tf.get_variable(
          'w', [net.shape[-1].value, size],
          initializer=tf.initializers.random_uniform(-0.25, 0.25, seed=80 + i))
      b = tf.get_variable('b', [size], initializer=tf.initializers.zeros())
      net = tf.nn.xw_plus_b(net, w, b)
      if i < len(config.hidden_sizes()):
        net = tf.nn.softplus(net)
  return net


def model_fn(features, labels, training):
  logits = network(features)
  loss = tf.losses.softmax_cross_entropy(tf.one_hot(labels, 10), logits)
  predictions = {'class': tf.argmax(logits, axis=-1),
                 'confidence': tf.reduce_max(tf.nn.softmax(logits), axis=-1)}
  train_op = None
  if training:
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.piecewise_constant(
        global_step, [40, 70],
        [config.FLAGS.learning_rate * f for f in (1.0, 0.5, 0.1)])
    tf.summary.scalar('rate', rate)
    tf.summary.scalar('loss', loss)
    optimizers = {'sgd': tf.train.GradientDescentOptimizer,
                  'adam': tf.train.AdamOptimizer}
    train_op = optimizers[config.FLAGS.optimizer](rate).minimize(loss, global_step)
  return ModelSpec(loss, predictions, train_op)
