"""Recognise handwritten digits with a small network and a softmax on top.

Usage:
  python digits_softmax.py --train_dir=digits_softmax --max_steps=600

The first run starts from scratch, every other run picks up the newest
checkpoint in --train_dir and trains for another --max_steps steps.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import os
import tempfile
import time

import numpy as np
from sklearn.datasets import load_digits
import tensorflow as tf

NUM_PIXELS = 64
NUM_CLASSES = 10
NUM_TEST = 360


def load_data():
  """The 8x8 digits of scikit-learn, shuffled once and split in two."""
  digits = load_digits()
  order = np.random.RandomState(1234).permutation(len(digits.target))
  images = (digits.data[order] / 16.0).astype(np.float32)
  labels = digits.target[order].astype(np.int64)
  train = images[:-NUM_TEST], labels[:-NUM_TEST]
  test = images[-NUM_TEST:], labels[-NUM_TEST:]
  return train, test


class BatchFeeder(object):
  """Endless minibatches; epoch e is always shuffled in the same way."""

  def __init__(self, images, labels, batch_size):
    self._images = images
    self._labels = labels
    self._batch_size = batch_size
    self._per_epoch = len(labels) // batch_size

  def batch_at(self, step):
    epoch, index = divmod(step, self._per_epoch)
    order = np.random.RandomState(epoch).permutation(len(self._labels))
    chosen = order[index * self._batch_size:(index + 1) * self._batch_size]
    return self._images[chosen], self._labels[chosen]


def dense(inputs, num_outputs, scope, seed, activation=None):
  with tf.variable_scope(scope):
    weights = tf.get_variable(
        'weights', [inputs.get_shape()[1].value, num_outputs],
        initializer=tf.truncated_normal_initializer(stddev=0.1, seed=seed))
    biases = tf.get_variable(
        'biases', [num_outputs], initializer=tf.constant_initializer(0.0))
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES,
                         1e-4 * tf.nn.l2_loss(weights))
    outputs = tf.nn.bias_add(tf.matmul(inputs, weights), biases)
    return activation(outputs) if activation is not None else outputs


def inference(images, keep_prob):
  hidden = dense(images, 64, 'hidden', seed=11, activation=tf.nn.relu)
  hidden = tf.nn.dropout(hidden, keep_prob=keep_prob, seed=12)
  return dense(hidden, NUM_CLASSES, 'softmax', seed=13)


class _LoggerHook(tf.train.SessionRunHook):
  """Prints the loss and the speed every few steps."""

  def __init__(self, loss, global_step, every_n, batch_size):
    self._loss = loss
    self._global_step = global_step
    self._every_n = every_n
    self._batch_size = batch_size

  def begin(self):
    self._last_time = time.time()

  def after_create_session(self, session, coord):
    step = session.run(self._global_step)
    if step > 0:
      print('resumed from the checkpoint of step %d' % step)
    else:
      print('starting from scratch')

  def before_run(self, run_context):
    return tf.train.SessionRunArgs([self._loss, self._global_step])

  def after_run(self, run_context, run_values):
    loss, step = run_values.results
    if step % self._every_n == 0:
      now = time.time()
      rate = self._every_n * self._batch_size / max(now - self._last_time, 1e-9)
      self._last_time = now
      print('step %d, loss = %.7g (%.1f examples/sec)' % (step, loss, rate))


class _TestAccuracyHook(tf.train.SessionRunHook):
  """Measures the accuracy on the held-out digits when training is over."""

  def __init__(self, accuracy, feed_dict):
    self._accuracy = accuracy
    self._feed_dict = feed_dict
    self.result = None

  def end(self, session):
    self.result = session.run(self._accuracy, feed_dict=self._feed_dict)


class _CheckpointNotes(tf.train.CheckpointSaverListener):
  """Tells when a checkpoint has been written."""

  def begin(self):
    self._saved = 0

  def after_save(self, session, global_step_value):
    self._saved += 1
    print('checkpoint written at step %d' % global_step_value)

  def end(self, session, global_step_value):
    print('%d checkpoints in this run, the last at step %d'
          % (self._saved, global_step_value))


def main():
  parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
  parser.add_argument('--train_dir',
                      default=os.path.join(tempfile.gettempdir(), 'digits_softmax'))
  parser.add_argument('--max_steps', type=int, default=600)
  parser.add_argument('--batch_size', type=int, default=64)
  parser.add_argument('--learning_rate', type=float, default=0.2)
  parser.add_argument('--log_every', type=int, default=50)
  args = parser.parse_args()

  (train_images, train_labels), (test_images, test_labels) = load_data()
  feeder = BatchFeeder(train_images, train_labels, args.batch_size)

  global_step = tf.train.get_or_create_global_step()
  images = tf.placeholder(tf.float32, [None, NUM_PIXELS], name='images')
  labels = tf.placeholder(tf.int64, [None], name='labels')
  keep_prob = tf.placeholder_with_default(1.0, [], name='keep_prob')

  logits = inference(images, keep_prob)
  cross_entropy = tf.reduce_mean(
      tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits),
      name='cross_entropy')
  loss = tf.add_n(
      [cross_entropy] + tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES),
      name='loss')
  accuracy = tf.reduce_mean(
      tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32), name='accuracy')
  # The weights must not change before the loss has been computed from them.
  with tf.control_dependencies([loss]):
    optimizer = tf.train.MomentumOptimizer(args.learning_rate, momentum=0.9)
    train_op = optimizer.minimize(loss, global_step=global_step)

  test_hook = _TestAccuracyHook(
      accuracy, {images: test_images, labels: test_labels})
  scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=3))
  hooks = [
      tf.train.StopAtStepHook(num_steps=args.max_steps),
      tf.train.CheckpointSaverHook(
          args.train_dir, save_steps=200, scaffold=scaffold,
          listeners=[_CheckpointNotes()]),
      _LoggerHook(loss, global_step, args.log_every, args.batch_size),
      test_hook,
  ]
  with tf.train.SingularMonitoredSession(
      hooks=hooks, scaffold=scaffold, checkpoint_dir=args.train_dir) as sess:
    step = tf.train.global_step(sess.raw_session(), global_step)
    while not sess.should_stop():
      batch_images, batch_labels = feeder.batch_at(step)
      _, step = sess.run([train_op, global_step], feed_dict={
          images: batch_images, labels: batch_labels, keep_prob: 0.8})

  print('test accuracy = %.4f' % test_hook.result)


if __name__ == '__main__':
  main()
