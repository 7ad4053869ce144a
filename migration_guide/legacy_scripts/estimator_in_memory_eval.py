"""Evaluates during training without checkpoints, and stops when the loss is low.

Usage:
  python estimator_in_memory_eval.py
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf


class BestStep(tf.estimator.SessionRunHook):
  """A hook of the evaluation: keeps its state over all of them."""

  def __init__(self):
    self.evaluations = 0

  def begin(self):
    print('evaluation graph begins')

  def end(self, session):
    self.evaluations += 1


def model_fn(features, labels, mode):
  slope = tf.get_variable('slope', [], initializer=tf.zeros_initializer())
  offset = tf.get_variable('offset', [], initializer=tf.zeros_initializer())
  y = slope * features + offset
  loss = tf.reduce_mean(tf.square(y - labels))
  average = tf.train.ExponentialMovingAverage(0.9)
  step = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_global_step())
  with tf.control_dependencies([step]):
    train_op = average.apply([slope, offset])
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, predictions=y,
      eval_metric_ops={'slope': tf.metrics.mean(slope)})


def input_fn(mode):
  x = np.linspace(-1, 1, 20).astype(np.float32)
  data = tf.data.Dataset.from_tensor_slices((x, 3 * x + 1)).batch(5)
  return data if mode == tf.estimator.ModeKeys.EVAL else data.repeat()


def main():
  tf.logging.set_verbosity(tf.logging.INFO)
  estimator = tf.estimator.Estimator(
      model_fn, 'line', tf.estimator.RunConfig(
          save_checkpoints_steps=25, log_step_count_steps=10))
  os.makedirs(estimator.eval_dir('memory'))
  counter = BestStep()
  evaluator = tf.estimator.experimental.InMemoryEvaluatorHook(
      estimator, input_fn, steps=3, hooks=[counter], name='memory',
      every_n_iter=10)
  stopper = tf.estimator.experimental.make_early_stopping_hook(
      estimator, lambda: counter.evaluations >= 6, run_every_secs=None,
      run_every_steps=10)
  last = tf.estimator.experimental.make_stop_at_checkpoint_step_hook(
      estimator, 100)
  estimator.train(input_fn, hooks=[evaluator, stopper, last])
  print('evaluations', counter.evaluations)
  metrics = {
      e.step: {v.tag: v.simple_value for v in e.summary.value}
      for name in os.listdir(estimator.eval_dir('memory'))
      for e in tf.train.summary_iterator(
          os.path.join(estimator.eval_dir('memory'), name)) if e.summary.value}
  for step in sorted(metrics):
    print(step, ' '.join('%s=%.6f' % item for item in sorted(metrics[step].items())))


if __name__ == '__main__':
  main()
