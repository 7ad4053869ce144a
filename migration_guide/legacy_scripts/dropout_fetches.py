"""Dropout and noise while hooks keep changing what is fetched.

The hooks ask for other tensors now and then, and run parts of the graph on the side.
None of this may change what the random ops of the training step draw.
"""
from __future__ import print_function

import argparse

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits


class PeekHook(tf.train.SessionRunHook):
  """Fetches a different set of tensors every few steps."""

  def __init__(self, tensors, period):
    self.tensors = tensors
    self.period = period

  def begin(self):
    self.step = 0

  def before_run(self, run_context):
    self.step += 1
    names = sorted(self.tensors)
    chosen = names[:self.step % self.period]
    return tf.train.SessionRunArgs({name: self.tensors[name] for name in chosen})

  def after_run(self, run_context, run_values):
    for name, value in sorted(run_values.results.items()):
      if self.step % 9 == 0:
        print('  %d %s: mean %.7f' % (self.step, name, np.mean(value)))


class SideRunHook(tf.train.SessionRunHook):
  """Evaluates with and without noise in the middle of training."""

  def __init__(self, clean, noisy, noise, every):
    self.clean, self.noisy, self.noise, self.every = clean, noisy, noise, every

  def begin(self):
    self.count = 0

  def after_run(self, run_context, run_values):
    self.count += 1
    if self.count % self.every == 0:
      session = run_context.session
      clean = session.run(self.clean)
      once, twice = session.run(self.noisy), session.run(self.noisy)
      noise = session.run(self.noise)
      print('%d: clean %.6f, noisy %.6f then %.6f, noise %.6f'
            % (self.count, clean, once, twice, noise.std()))


def build(x, y, training):
  keep = tf.where(training, 0.7, 1.0)
  init = tf.truncated_normal_initializer
  with tf.variable_scope('net', reuse=tf.AUTO_REUSE):
    w1 = tf.get_variable('w1', [64, 50], initializer=init(stddev=0.1, seed=51))
    w2 = tf.get_variable('w2', [50, 10], initializer=init(stddev=0.1, seed=52))
  noise = tf.random_normal(tf.shape(x), stddev=0.1, seed=53, name='noise')
  x = tf.cond(training, lambda: x + noise, lambda: x)
  hidden = tf.nn.relu(tf.matmul(x, w1))
  dropped = tf.nn.dropout(hidden, keep_prob=keep, seed=54)
  loss = tf.losses.sparse_softmax_cross_entropy(y, tf.matmul(dropped, w2))
  return loss, noise, hidden, dropped


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--steps', type=int, default=54)
  args = parser.parse_args()

  digits = load_digits()
  images = tf.constant(digits.data[:300] / 16.0, tf.float32)
  labels = tf.constant(digits.target[:300], tf.int64)
  rows = tf.random_uniform([40], maxval=300, dtype=tf.int32, seed=55)
  batch = tf.gather(images, rows), tf.gather(labels, rows)

  training = tf.placeholder_with_default(False, [], name='training')
  loss, noise, hidden, dropped = build(batch[0], batch[1], training)
  with tf.name_scope('evaluation'):
    clean_loss, _, _, _ = build(images, labels, tf.constant(False))
    noisy_loss, eval_noise, _, _ = build(images, labels, tf.constant(True))
  drawn = tf.multinomial(tf.zeros([1, 10]), 5, seed=56)

  global_step = tf.train.get_or_create_global_step()
  train_op = tf.train.GradientDescentOptimizer(0.3).minimize(loss, global_step)

  peek = PeekHook({'noise': noise, 'hidden': hidden, 'dropped': dropped, 'rows': rows}, 5)
  side = SideRunHook(clean_loss, noisy_loss, eval_noise, every=18)
  with tf.train.MonitoredSession(hooks=[
      tf.train.StopAtStepHook(args.steps), peek, side]) as sess:
    while not sess.should_stop():
      fetches = [train_op, global_step, loss]
      step, value = sess.run(fetches, feed_dict={training: True})[1:]
      if step % 6 == 0:
        print('step %d: loss %.7f' % (step, value))
      if step == 30:
        print('categories drawn: %d' % sess.run(drawn).size)


if __name__ == '__main__':
  main()
