"""Training and validation data behind initializable iterators and one handle."""
from __future__ import division
from __future__ import print_function

import argparse

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits


class IteratorInitHook(tf.train.SessionRunHook):
  """Feeds the arrays to the iterators once the session exists."""

  def __init__(self):
    self.init_funcs = []

  def after_create_session(self, session, coord):
    for func in self.init_funcs:
      func(session)


class ValidationHook(tf.train.SessionRunHook):
  """Goes through the validation data after every N training steps."""

  def __init__(self, iterator, handle, correct, every):
    self.iterator = iterator
    self.string_handle = iterator.string_handle()
    self.handle = handle
    self.correct = correct
    self.every = every

  def begin(self):
    self.step = 0

  def after_create_session(self, session, coord):
    self.handle_value = session.run(self.string_handle)

  def after_run(self, run_context, run_values):
    self.step += 1
    if self.step % self.every == 0:
      self.evaluate(run_context.session)

  def evaluate(self, session):
    session.run(self.iterator.initializer)
    right = total = 0
    while True:
      try:
        hits = session.run(self.correct, feed_dict={self.handle: self.handle_value})
        right += int(hits.sum())
        total += len(hits)
      except tf.errors.OutOfRangeError:
        break
    print('after %d steps: %d of %d validation digits right' % (self.step, right, total))

  def end(self, session):
    print('training data ended after %d steps' % self.step)
    self.evaluate(session)


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--epochs', type=int, default=3)
  parser.add_argument('--batch_size', type=int, default=50)
  args = parser.parse_args()

  digits = load_digits()
  x, y = digits.data.astype(np.float32), digits.target.astype(np.int32)
  init_hook = IteratorInitHook()

  with tf.name_scope('input'):
    x_placeholder = tf.placeholder(x.dtype, [None, 64])
    y_placeholder = tf.placeholder(y.dtype, [None])
    train_set = tf.data.Dataset.from_tensor_slices((x_placeholder, y_placeholder))
    train_set = train_set.map(lambda a, b: (a / 16.0, b), num_parallel_calls=2)
    train_set = train_set.shuffle(500, seed=17, reshuffle_each_iteration=False)
    train_set = train_set.repeat(args.epochs).batch(args.batch_size).prefetch(1)
    train_iterator = train_set.make_initializable_iterator()
    init_hook.init_funcs.append(lambda sess: sess.run(
        train_iterator.initializer,
        feed_dict={x_placeholder: x[:1500], y_placeholder: y[:1500]}))

    valid_set = tf.data.Dataset.from_tensor_slices((x[1500:] / 16.0, y[1500:])).batch(64)
    valid_iterator = tf.data.make_initializable_iterator(valid_set)

    handle = tf.placeholder(tf.string, shape=[], name='handle')
    iterator = tf.data.Iterator.from_string_handle(
        handle, train_set.output_types, train_set.output_shapes)
    features, labels = iterator.get_next()

  initializer = tf.variance_scaling_initializer(seed=3)
  with tf.variable_scope('hidden'):
    w = tf.get_variable('w', [64, 40], initializer=initializer)
    b = tf.get_variable('b', [40], initializer=tf.zeros_initializer())
    hidden = tf.nn.elu(tf.matmul(features, w) + b)
  with tf.variable_scope('logits'):
    w = tf.get_variable('w', [40, 10], initializer=initializer)
    b = tf.get_variable('b', [10], initializer=tf.zeros_initializer())
    logits = tf.matmul(hidden, w) + b
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  correct = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels)
  global_step = tf.train.get_or_create_global_step()
  train_op = tf.train.RMSPropOptimizer(0.01, epsilon=1e-3).minimize(loss, global_step)

  valid_hook = ValidationHook(valid_iterator, handle, correct, every=30)
  train_handle = train_iterator.string_handle()
  with tf.train.MonitoredTrainingSession(
      hooks=[init_hook, valid_hook], log_step_count_steps=None) as sess:
    train_value = sess.run_step_fn(
        lambda step_context: step_context.session.run(train_handle))
    while not sess.should_stop():
      _, loss_value, step = sess.run([train_op, loss, global_step],
                                     feed_dict={handle: train_value})
      if step % 15 == 0:
        print('step %d: loss %.7f' % (step, loss_value))


if __name__ == '__main__':
  main()
