"""Finds out where a training step spends its time.

Writes a Chrome trace every few steps with ProfilerHook, and looks into one step's
statistics with a hook of its own.
"""
from __future__ import print_function

import argparse
import glob
import json
import os

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits


class StepStatsHook(tf.train.SessionRunHook):
  """Asks for the full trace of a single step and sums up its nodes."""

  def __init__(self, at_step):
    self._at_step = at_step
    self._count = 0

  def before_run(self, run_context):
    self._count += 1
    options = None
    if self._count == self._at_step:
      options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    return tf.train.SessionRunArgs(fetches=None, options=options)

  def after_run(self, run_context, run_values):
    if self._count == self._at_step:
      stats = run_values.run_metadata.step_stats
      names = [node.node_name for dev in stats.dev_stats for node in dev.node_stats]
      micros = sum(node.op_end_rel_micros
                   for dev in stats.dev_stats for node in dev.node_stats)
      print('traced step %d: has conv: %s, took time: %s' % (
          self._count, any('conv' in name for name in names), micros > 0))


def build(images, labels):
  with tf.variable_scope('conv'):
    kernel = tf.get_variable(
        'kernel', [3, 3, 1, 8],
        initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=4))
    net = tf.nn.relu(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], 'SAME'))
  net = tf.reshape(net, [-1, 8 * 8 * 8])
  with tf.variable_scope('out'):
    weights = tf.get_variable(
        'weights', [512, 10],
        initializer=tf.random_uniform_initializer(-0.05, 0.05, seed=5))
    logits = tf.matmul(net, weights)
  return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--profile_dir', default='profile')
  parser.add_argument('--steps', type=int, default=40)
  args = parser.parse_args()
  if not os.path.isdir(args.profile_dir):
    os.makedirs(args.profile_dir)

  digits = load_digits()
  images = tf.placeholder(tf.float32, [None, 8, 8, 1], 'images')
  labels = tf.placeholder(tf.int64, [None], 'labels')
  loss = build(images, labels)
  step_tensor = tf.train.get_or_create_global_step()
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, global_step=step_tensor)

  hooks = [
      tf.train.StopAtStepHook(num_steps=args.steps),
      tf.train.ProfilerHook(save_steps=15, output_dir=args.profile_dir,
                            show_dataflow=True, show_memory=True),
      StepStatsHook(at_step=7),
  ]
  with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
    i = 0
    while not sess.should_stop():
      rows = np.arange(i * 32, i * 32 + 256) % len(digits.target)
      feed = {images: digits.images[rows][..., None] / 16.0, labels: digits.target[rows]}
      loss_value, step, _ = sess.run([loss, step_tensor, train_op], feed)
      i += 1
      if step % 10 == 0:
        print('step %d loss %.7f' % (step, loss_value))

  for path in sorted(glob.glob(os.path.join(args.profile_dir, 'timeline-*.json'))):
    with open(path) as f:
      events = json.load(f)['traceEvents']
    ops = set(e.get('args', {}).get('op') for e in events if e['ph'] == 'X')
    print('%s: Conv2D %s, MatMul %s, ApplyGradientDescent %s, counters %s' % (
        os.path.basename(path), 'Conv2D' in ops, 'MatMul' in ops,
        any(str(op).endswith('ApplyGradientDescent') for op in ops),
        any(e['ph'] == 'C' for e in events)))


if __name__ == '__main__':
  main()
