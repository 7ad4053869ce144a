"""Reverses words with a recurrent encoder and decoder; letters come through lookup tables.

Usage:
  python estimator_seq2seq_tables.py --model_dir=reverse
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import os

import numpy as np
import tensorflow as tf

WORDS = ['abc', 'bca', 'cab', 'acb', 'bac', 'cba', 'aab', 'bba']
LETTERS = ['<go>', 'a', 'b', 'c']
LENGTH = 3
UNITS = 16


def tables(path):
  to_id = tf.lookup.StaticHashTable(
      tf.lookup.TextFileInitializer(
          path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
          tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), default_value=-1)
  to_letter = tf.lookup.StaticHashTable(
      tf.lookup.TextFileInitializer(
          path, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER,
          tf.string, tf.lookup.TextFileIndex.WHOLE_LINE), default_value='?')
  return to_id, to_letter


def cell(scope, inputs, state):
  """A gated unit, written out."""
  with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
    both = tf.concat([inputs, state], 1)
    size = both.get_shape()[1].value
    init = tf.random_uniform_initializer(-0.4, 0.4, seed=len(scope))
    gate = tf.sigmoid(tf.matmul(
        both, tf.get_variable('gate', [size, UNITS], initializer=init)))
    new = tf.tanh(tf.matmul(
        both, tf.get_variable('new', [size, UNITS], initializer=init)))
    return gate * state + (1 - gate) * new


def model_fn(features, labels, mode, params):
  to_id, to_letter = tables(params['letters'])
  vocabulary = len(LETTERS)
  letters = features['letters']
  batch = tf.shape(letters)[0]
  ids = to_id.lookup(letters)
  state = tf.zeros([batch, UNITS])
  for i in range(LENGTH):
    state = cell('encoder', tf.one_hot(ids[:, i], vocabulary), state)
  output = tf.get_variable(
      'output', [UNITS, vocabulary],
      initializer=tf.random_uniform_initializer(-0.4, 0.4, seed=5))

  if mode == tf.estimator.ModeKeys.PREDICT:
    def step(i, last, state, written):
      state = cell('decoder', tf.one_hot(last, vocabulary), state)
      last = tf.argmax(tf.matmul(state, output), 1)
      return i + 1, last, state, written.write(i, last)

    start = tf.zeros([batch], tf.int64)
    _, _, _, written = tf.while_loop(
        lambda i, *_: i < LENGTH, step,
        [0, start, state, tf.TensorArray(tf.int64, LENGTH)])
    decoded = tf.transpose(written.stack())
    return tf.estimator.EstimatorSpec(mode, predictions={
        'word': tf.reduce_join(to_letter.lookup(decoded), 1),
        'ids': decoded,
    })

  targets = to_id.lookup(labels)
  losses = []
  last = tf.zeros([batch], tf.int64)
  hits = []
  for i in range(LENGTH):
    state = cell('decoder', tf.one_hot(last, vocabulary), state)
    logits = tf.matmul(state, output)
    losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=targets[:, i], logits=logits))
    hits.append(tf.equal(tf.argmax(logits, 1), targets[:, i]))
    last = targets[:, i]
  loss = tf.reduce_mean(tf.add_n(losses))
  gradients, variables = zip(
      *tf.train.AdamOptimizer(0.02).compute_gradients(loss))
  del gradients
  grads = tf.gradients(loss, variables)
  clipped, norm = tf.clip_by_global_norm(grads, 1.0)
  tf.summary.scalar('gradient_norm', norm)
  train_op = tf.train.AdamOptimizer(0.02).apply_gradients(
      zip(clipped, variables), tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      eval_metric_ops={'letters_right': tf.metrics.mean(
          tf.cast(tf.stack(hits), tf.float32))})


def input_fn(repeat=None):
  letters = np.array([list(word) for word in WORDS])
  reverse = letters[:, ::-1]
  data = tf.data.Dataset.from_tensor_slices(({'letters': letters}, reverse))
  return data.repeat(repeat).batch(4)


def serving_input_fn():
  letters = tf.placeholder(tf.string, [None, LENGTH], name='letters')
  return tf.estimator.export.ServingInputReceiver(
      {'letters': letters}, {'letters': letters})


def main():
  parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
  parser.add_argument('--model_dir', default='reverse')
  args = parser.parse_args()
  tf.logging.set_verbosity(tf.logging.INFO)
  with open('letters.txt', 'w') as out:
    out.write('\n'.join(LETTERS) + '\n')

  estimator = tf.estimator.Estimator(
      model_fn, args.model_dir,
      tf.estimator.RunConfig(save_summary_steps=20, log_step_count_steps=20),
      params={'letters': os.path.abspath('letters.txt')})
  estimator.train(input_fn, steps=80)
  metrics = estimator.evaluate(lambda: input_fn(1))
  print(', '.join('%s=%.6f' % item for item in sorted(metrics.items())))
  words = [p['word'].decode() for p in estimator.predict(lambda: input_fn(1))]
  print(' '.join('%s:%s' % pair for pair in zip(WORDS, words)))

  path = estimator.export_saved_model('export', serving_input_fn).decode()
  print(sorted(os.listdir(os.path.join(path, 'assets'))))
  with tf.Session(graph=tf.Graph()) as sess:
    meta = tf.saved_model.loader.load(
        sess, [tf.saved_model.tag_constants.SERVING], path)
    signature = meta.signature_def['serving_default']
    served = sess.run(signature.outputs['word'].name,
                      {signature.inputs['letters'].name: [list('abc'), list('cab')]})
    print('served', [word.decode() for word in served])


if __name__ == '__main__':
  main()
