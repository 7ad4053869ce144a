"""Restarts from the last checkpoint with a lower learning rate when the loss blows up."""
from __future__ import print_function

import argparse
import sys

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits


class PrintLoss(tf.train.SessionRunHook):

  def __init__(self, loss, every):
    self.loss, self.every = loss, every

  def before_run(self, run_context):
    return tf.train.SessionRunArgs([self.loss, tf.train.get_global_step()])

  def after_run(self, run_context, run_values):
    loss, step = run_values.results
    if step % self.every == 0:
      print('step %d: loss %.6g' % (step, loss))

  def end(self, session):
    print('ended well')


class BadStepHook(tf.train.SessionRunHook):
  """Replaces the features of one step by garbage, once in the life of the program."""

  happened = False

  def __init__(self, scale, at_step):
    self.scale, self.at_step = scale, at_step

  def begin(self):
    self.global_step = tf.train.get_global_step()
    self.next_step = None

  def after_create_session(self, session, coord):
    self.next_step = session.run(self.global_step) + 1

  def before_run(self, run_context):
    feed = None
    if self.next_step == self.at_step and not BadStepHook.happened:
      BadStepHook.happened = True
      feed = {self.scale: np.float32('inf')}
    self.next_step += 1
    return tf.train.SessionRunArgs(None, feed_dict=feed)


def train_once(args, learning_rate):
  digits = load_digits()
  with tf.Graph().as_default():
    scale = tf.constant(1.0 / 16, name='scale')
    x = tf.placeholder(tf.float32, [None, 64])
    y = tf.placeholder(tf.int64, [None])
    w = tf.get_variable('w', [64, 10], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [10], initializer=tf.zeros_initializer())
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.matmul(x * scale, w) + b)
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(learning_rate).minimize(
        loss, global_step)
    hooks = [tf.train.StopAtStepHook(last_step=args.steps),
             BadStepHook(scale, at_step=47),
             tf.train.NanTensorHook(loss),
             PrintLoss(loss, every=10)]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=args.model_dir, hooks=hooks, save_checkpoint_steps=20,
        save_summaries_steps=None, save_summaries_secs=None,
        log_step_count_steps=None) as sess:
      while not sess.should_stop():
        rows = np.random.RandomState(rows_seed()).randint(1797, size=64)
        sess.run(train_op, {x: digits.data[rows], y: digits.target[rows]})


_calls = [0]


def rows_seed():
  _calls[0] += 1
  return _calls[0]


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--model_dir', default='nan_model')
  parser.add_argument('--steps', type=int, default=70)
  parser.add_argument('--retries', type=int, default=1)
  args = parser.parse_args()
  rate = 0.5
  for attempt in range(args.retries + 1):
    try:
      train_once(args, rate)
      return 0
    except tf.train.NanLossDuringTrainingError as error:
      newest = tf.train.latest_checkpoint(args.model_dir)
      print('attempt %d: %s; newest checkpoint %s'
            % (attempt, type(error).__name__, newest))
      rate /= 2
  return 4


if __name__ == '__main__':
  sys.exit(main())
