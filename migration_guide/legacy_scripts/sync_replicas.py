"""Synchronous replicas on one machine: gradients of two batches make one update.

A chief with SyncReplicasOptimizer. Its queue runner applies the averaged gradients
and hands out tokens; each run of the train op waits for one.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

flags = tf.app.flags
flags.DEFINE_integer('task_index', 0, 'Task 0 is the chief.')
flags.DEFINE_integer('replicas_to_aggregate', 2, 'Gradients averaged in one update.')
flags.DEFINE_integer('num_workers', 1, 'Total number of workers.')
flags.DEFINE_integer('train_steps', 40, 'Number of updates.')
flags.DEFINE_integer('batch_size', 40, 'Examples a worker reads at once.')
flags.DEFINE_float('learning_rate', 0.5, 'Learning rate.')
flags.DEFINE_string('train_dir', 'sync', 'Checkpoint directory.')
FLAGS = flags.FLAGS


class WorkerLog(tf.train.SessionRunHook):
  """Prints the step this worker works on and its loss."""

  def __init__(self, loss, local_steps):
    self._loss = loss
    self._every = local_steps

  def begin(self):
    self._local_step = 0
    self._global_step = tf.train.get_global_step()

  def after_create_session(self, session, coord):
    print('worker %d: session ready at step %d'
          % (FLAGS.task_index, session.run(self._global_step)))

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    self._local_step += 1
    if self._local_step % self._every == 0:
      print('worker %d: local step %d, loss %.7f'
            % (FLAGS.task_index, self._local_step, run_values.results))

  def end(self, session):
    print('worker %d: %d local steps' % (FLAGS.task_index, self._local_step))


def main(unused_argv):
  is_chief = FLAGS.task_index == 0
  digits = load_digits()

  global_step = tf.train.get_or_create_global_step()
  with tf.variable_scope('softmax'):
    w = tf.get_variable('w', [64, 10], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [10], initializer=tf.zeros_initializer())
  x = tf.placeholder(tf.float32, [None, 64])
  y_ = tf.placeholder(tf.int64, [None])
  y = tf.matmul(x, w) + b
  loss = tf.losses.sparse_softmax_cross_entropy(y_, y)

  opt = tf.train.GradientDescentOptimizer(FLAGS.learning_rate)
  opt = tf.train.SyncReplicasOptimizer(
      opt,
      replicas_to_aggregate=FLAGS.replicas_to_aggregate,
      total_num_replicas=FLAGS.num_workers,
      name='digits_sync_replicas')
  train_op = opt.minimize(loss, global_step=global_step)
  sync_hook = opt.make_session_run_hook(is_chief)

  hooks = [sync_hook, tf.train.StopAtStepHook(last_step=FLAGS.train_steps),
           WorkerLog(loss, local_steps=10)]
  with tf.train.MonitoredTrainingSession(
      is_chief=is_chief, checkpoint_dir=FLAGS.train_dir, hooks=hooks,
      save_checkpoint_steps=20, save_summaries_steps=None, save_summaries_secs=None,
      log_step_count_steps=None, stop_grace_period_secs=10) as sess:
    batch = 0
    while not sess.should_stop():
      rows = np.arange(batch, batch + FLAGS.batch_size) % 1500
      batch += FLAGS.batch_size
      sess.run(train_op, feed_dict={x: digits.data[rows] / 16.0, y_: digits.target[rows]})


if __name__ == '__main__':
  tf.app.run()
