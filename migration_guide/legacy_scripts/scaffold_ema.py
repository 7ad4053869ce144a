"""Trains with averaged weights and evaluates the averages after every save.

The checkpoint holds the weights and their moving averages. A listener opens each
new checkpoint in a graph of its own and restores the averages into the weights.
"""
from __future__ import print_function

import argparse

import numpy as np
import tensorflow as tf
from sklearn import datasets

DECAY = 0.95


def get_data():
  digits = datasets.load_digits()
  x = (digits.data / 8.0 - 1.0).astype('float32')
  y = digits.target.astype('int32')
  return (x[:1400], y[:1400]), (x[1400:], y[1400:])


def model_fn(x):
  w1 = tf.get_variable('w1', [64, 32], initializer=tf.glorot_uniform_initializer(seed=1))
  b1 = tf.get_variable('b1', [32], initializer=tf.zeros_initializer())
  w2 = tf.get_variable('w2', [32, 10], initializer=tf.glorot_uniform_initializer(seed=2))
  b2 = tf.get_variable('b2', [10], initializer=tf.zeros_initializer())
  return tf.matmul(tf.nn.tanh(tf.matmul(x, w1) + b1), w2) + b2


class EvalAfterSave(tf.train.CheckpointSaverListener):
  """Restores the averaged weights of each checkpoint and counts the right answers."""

  def __init__(self, model_dir, images, labels):
    self.model_dir = model_dir
    self.feed = (images, labels)
    self.history = []

  def begin(self):
    self.graph = tf.Graph()
    with self.graph.as_default():
      self.x = tf.placeholder(tf.float32, [None, 64])
      self.y = tf.placeholder(tf.int32, [None])
      with tf.variable_scope('net'):
        logits = model_fn(self.x)
      self.correct = tf.reduce_sum(
          tf.cast(tf.nn.in_top_k(logits, self.y, 1), tf.int32))
      ema = tf.train.ExponentialMovingAverage(DECAY)
      self.saver = tf.train.Saver(ema.variables_to_restore())

  def after_save(self, session, global_step_value):
    path = tf.train.latest_checkpoint(self.model_dir)
    with tf.Session(graph=self.graph) as sess:
      self.saver.restore(sess, path)
      correct = sess.run(self.correct, {self.x: self.feed[0], self.y: self.feed[1]})
    self.history.append(correct)
    print('step %d: %d of %d right with averaged weights'
          % (global_step_value, correct, len(self.feed[1])))

  def end(self, session, global_step_value):
    print('evaluated %d times, best %d' % (len(self.history), max(self.history)))


class LogHook(tf.train.SessionRunHook):

  def __init__(self, loss, every):
    self.loss, self.every = loss, every

  def begin(self):
    self.step_tensor = tf.train.get_global_step()

  def before_run(self, run_context):
    return tf.train.SessionRunArgs({'loss': self.loss, 'step': self.step_tensor})

  def after_run(self, run_context, run_values):
    if run_values.results['step'] % self.every == 0:
      print('loss at {step}: {loss:.7f}'.format(**run_values.results))


def main(args):
  (x_train, y_train), (x_test, y_test) = get_data()
  global_step = tf.train.get_or_create_global_step()
  x = tf.placeholder(tf.float32, [None, 64], name='x')
  y = tf.placeholder(tf.int32, [None], name='y')
  with tf.variable_scope('net'):
    logits = model_fn(x)
  loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
  opt_op = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=global_step)
  ema = tf.train.ExponentialMovingAverage(DECAY)
  with tf.control_dependencies([opt_op]):
    train_op = ema.apply(tf.trainable_variables())
  tf.summary.scalar('loss', loss)

  # The first layer starts from the data's principal directions.
  start = tf.placeholder(tf.float32, [64, 32])
  with tf.variable_scope('net', reuse=True):
    set_w1 = tf.assign(tf.get_variable('w1'), start)
  with tf.variable_scope('counters'):
    tf.get_variable('seen', [], tf.int32, initializer=tf.zeros_initializer(),
                    collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)

  def init_fn(scaffold, session):
    centred = x_train.astype('float64')
    centred -= centred.mean(0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    signs = np.sign(directions[:32].sum(axis=1, keepdims=True))
    session.run(set_w1, {start: 0.2 * (signs * directions[:32]).T})
    print('first layer set by init_fn')

  scaffold = tf.train.Scaffold(
      init_op=tf.global_variables_initializer(),
      init_fn=init_fn,
      local_init_op=tf.group(tf.local_variables_initializer(), tf.tables_initializer()),
      ready_op=tf.report_uninitialized_variables(),
      saver=tf.train.Saver(tf.global_variables(), max_to_keep=2),
      summary_op=tf.summary.merge_all())
  listener = EvalAfterSave(args.model_dir, x_test, y_test)
  hooks = [
      tf.train.StopAtStepHook(last_step=args.steps),
      tf.train.CheckpointSaverHook(
          args.model_dir, save_steps=40, scaffold=scaffold, listeners=[listener]),
      tf.train.SummarySaverHook(
          save_steps=20, output_dir=args.model_dir, scaffold=scaffold),
      LogHook(loss, every=20),
  ]
  creator = tf.train.ChiefSessionCreator(scaffold, checkpoint_dir=args.model_dir)
  rng = np.random.RandomState(7)
  with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as sess:
    while not sess.should_stop():
      chosen = rng.randint(len(y_train), size=1000)
      sess.run(train_op, feed_dict={x: x_train[chosen], y: y_train[chosen]})


if __name__ == '__main__':
  parser = argparse.ArgumentParser()
  parser.add_argument('--model_dir', default='ema_model')
  parser.add_argument('--steps', type=int, default=120)
  main(parser.parse_args())
