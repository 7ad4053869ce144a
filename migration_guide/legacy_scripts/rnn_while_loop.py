"""Reads a picture of a digit row by row with a recurrent net made by hand.

The loop is a tf.while_loop over TensorArrays; rows may be dropped by a tf.cond, and
gradients are clipped by their global norm.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse

import numpy as np
from sklearn.datasets import load_digits
import tensorflow as tf

HIDDEN = 24


def gru_weights(num_inputs):
  def weights(name, shape, seed):
    return tf.get_variable(
        name, shape, initializer=tf.random_normal_initializer(stddev=0.2, seed=seed))
  with tf.variable_scope('gru'):
    gates = weights('gates', [num_inputs + HIDDEN, 2 * HIDDEN], seed=41)
    candidate = weights('candidate', [num_inputs + HIDDEN, HIDDEN], seed=42)
    gate_bias = tf.get_variable('gate_bias', [2 * HIDDEN],
                                initializer=tf.ones_initializer())
  return gates, gate_bias, candidate


def run_rows(rows, lengths):
  """rows: [batch, time, inputs]; returns the state after each row's own length."""
  batch_size = tf.shape(rows)[0]
  num_steps = tf.shape(rows)[1]
  gates, gate_bias, candidate = gru_weights(rows.shape[2].value)
  inputs = tf.TensorArray(tf.float32, size=num_steps, name='inputs')
  inputs = inputs.unstack(tf.transpose(rows, [1, 0, 2]))
  norms = tf.TensorArray(tf.float32, size=num_steps, name='norms')

  def condition(time, *_):
    return time < num_steps

  def body(time, state, norms):
    x = inputs.read(time)
    ru = tf.sigmoid(tf.matmul(tf.concat([x, state], 1), gates) + gate_bias)
    r, u = tf.split(ru, 2, axis=1)
    c = tf.tanh(tf.matmul(tf.concat([x, r * state], 1), candidate))
    new_state = u * state + (1.0 - u) * c
    alive = tf.expand_dims(tf.cast(time < lengths, tf.float32), 1)
    new_state = alive * new_state + (1.0 - alive) * state
    return time + 1, new_state, norms.write(time, tf.norm(new_state))

  _, state, norms = tf.while_loop(
      condition, body,
      loop_vars=[tf.constant(0), tf.zeros([batch_size, HIDDEN]), norms],
      parallel_iterations=1, swap_memory=True)
  return state, norms.stack()


class NormHook(tf.train.SessionRunHook):
  """Prints how the size of the state grows along the rows."""

  def __init__(self, norms, every_n):
    self._norms = norms
    self._timer = tf.train.SecondOrStepTimer(every_steps=every_n)

  def begin(self):
    self._iter = 0
    self._timer.reset()

  def before_run(self, run_context):
    self._wanted = self._timer.should_trigger_for_step(self._iter)
    return tf.train.SessionRunArgs(self._norms if self._wanted else [])

  def after_run(self, run_context, run_values):
    if self._wanted:
      self._timer.update_last_triggered_step(self._iter)
      print('norms: ' + ' '.join('%.5f' % v for v in run_values.results))
    self._iter += 1


def main(args):
  digits = load_digits()
  order = np.random.RandomState(2).permutation(len(digits.target))

  images = tf.placeholder(tf.float32, [None, 8, 8])
  labels = tf.placeholder(tf.int32, [None])
  drop_rows = tf.placeholder_with_default(False, [])
  lengths = tf.cond(drop_rows,
                    lambda: 8 - tf.floormod(tf.range(tf.shape(labels)[0]), 3),
                    lambda: tf.fill([tf.shape(labels)[0]], 8))
  state, norms = run_rows(images, lengths)
  with tf.variable_scope('softmax'):
    w = tf.get_variable('w', [HIDDEN, 10],
                        initializer=tf.random_normal_initializer(stddev=0.2, seed=43))
    logits = tf.matmul(state, w)
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
      labels=labels, logits=logits))
  error = 1.0 - tf.reduce_mean(tf.to_float(tf.nn.in_top_k(logits, labels, 1)))

  global_step = tf.train.get_or_create_global_step()
  variables = tf.trainable_variables()
  optimizer = tf.train.AdamOptimizer(0.01, epsilon=1e-4)
  grads, norm = tf.clip_by_global_norm(
      [g for g, _ in optimizer.compute_gradients(loss, variables)], 1.0)
  train_op = optimizer.apply_gradients(zip(grads, variables), global_step)

  hooks = [tf.train.StopAtStepHook(num_steps=args.steps), NormHook(norms, every_n=20)]
  with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
    step = 0
    while not sess.should_stop():
      rows = order[np.arange(step * 50, step * 50 + 50) % 1500]
      loss_value, norm_value, _, step = sess.run(
          [loss, norm, train_op, global_step],
          {images: digits.images[rows] / 16.0, labels: digits.target[rows],
           drop_rows: step % 2 == 1})
      if step % 10 == 0:
        print('step %d: loss %.6f, gradient norm %.6f' % (step, loss_value, norm_value))
    test_error = sess.raw_session().run(
        error, {images: digits.images[order[1500:]] / 16.0,
                labels: digits.target[order[1500:]]})
  print('test error %.4f' % test_error)


if __name__ == '__main__':
  parser = argparse.ArgumentParser()
  parser.add_argument('--steps', type=int, default=60)
  main(parser.parse_args())
