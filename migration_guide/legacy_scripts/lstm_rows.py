"""A two-layer LSTM over the rows of a digit, with the cells of tf.nn.rnn_cell."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits


def lstm_cell(units, seed, keep_prob):
  cell = tf.nn.rnn_cell.LSTMCell(
      units, initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=seed))
  return tf.nn.rnn_cell.DropoutWrapper(
      cell, output_keep_prob=keep_prob, dtype=tf.float32, seed=seed)


class StateHook(tf.estimator.SessionRunHook):
  """Keeps the final state of the last batch and looks at it at the end."""

  def __init__(self, state):
    self.state = state

  def before_run(self, run_context):
    return tf.train.SessionRunArgs({'state': self.state})

  def after_run(self, run_context, run_values):
    self.last = run_values.results['state']

  def end(self, session):
    for layer, state in enumerate(self.last):
      print('layer %d: %s with mean |c| %.6f, mean |h| %.6f' % (
          layer, type(state).__name__, np.abs(state.c).mean(), np.abs(state.h).mean()))


def main(args):
  digits = load_digits()
  x, y = (digits.images / 16.0).astype(np.float32), digits.target.astype(np.int32)

  images = tf.placeholder(tf.float32, [None, 8, 8])
  labels = tf.placeholder(tf.int32, [None])
  keep_prob = tf.placeholder_with_default(1.0, [])
  stack = tf.nn.rnn_cell.MultiRNNCell(
      [lstm_cell(24, 5, keep_prob), lstm_cell(16, 6, keep_prob)])
  # One iteration at a time, or the dropout masks would be drawn in any order.
  outputs, state = tf.nn.dynamic_rnn(
      stack, images, dtype=tf.float32, parallel_iterations=1)
  w = tf.get_variable('w', [16, 10],
                      initializer=tf.random_normal_initializer(stddev=0.3, seed=7))
  logits = tf.matmul(outputs[:, -1], w)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  right = tf.reduce_sum(tf.to_int32(tf.nn.in_top_k(logits, labels, 1)))

  global_step = tf.train.get_or_create_global_step()
  train_op = tf.train.AdamOptimizer(0.01, epsilon=1e-4).minimize(loss, global_step)
  print('\n'.join('%s %s' % (v.op.name, v.shape.as_list())
                  for v in tf.trainable_variables()))

  hooks = [tf.train.StopAtStepHook(last_step=args.steps), StateHook(state),
           tf.train.CheckpointSaverHook(args.model_dir, save_steps=40)]
  with tf.train.SingularMonitoredSession(
      hooks=hooks, checkpoint_dir=args.model_dir) as sess:
    step = 0
    while not sess.should_stop():
      at = step * 60 % 1500
      _, step, value = sess.run(
          [train_op, global_step, loss],
          {images: x[at:at + 60], labels: y[at:at + 60], keep_prob: 0.9})
      if step % 10 == 0:
        print('step %d: loss %.6f' % (step, value))
    print('%d of 297 right' % sess.raw_session().run(
        right, {images: x[1500:], labels: y[1500:]}))


if __name__ == '__main__':
  parser = argparse.ArgumentParser()
  parser.add_argument('--model_dir', default='lstm_model')
  parser.add_argument('--steps', type=int, default=60)
  main(parser.parse_args())
