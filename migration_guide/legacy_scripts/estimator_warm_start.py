"""Warm starts: a second model takes weights and a vocabulary's rows from a first.

Usage:
  python estimator_warm_start.py
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

OLD_WORDS = ['the', 'cat', 'sat', 'on', 'mat']
NEW_WORDS = ['mat', 'dog', 'cat', 'the', 'ran', 'on']


def write_words(path, words):
  with open(path, 'w') as out:
    out.write('\n'.join(words) + '\n')
  return path


def make_model_fn(output_scope):

  def model_fn(features, labels, mode, params):
    embeddings = tf.get_variable(
        'embeddings', [params['words'], 4],
        initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
    mean = tf.reduce_mean(tf.nn.embedding_lookup(embeddings, features), axis=1)
    with tf.variable_scope(output_scope):
      w = tf.get_variable(
          'w', [4, 1], initializer=tf.random_uniform_initializer(seed=2))
      b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
    score = tf.squeeze(tf.matmul(mean, w) + b, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions=score)
    loss = tf.reduce_mean(tf.square(score - labels))
    train_op = tf.train.AdagradOptimizer(0.3).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  return model_fn


def make_input_fn(words, repeat):
  rows = np.random.RandomState(5).randint(0, words, size=[40, 3])
  labels = (rows.sum(axis=1) % 3).astype(np.float32)

  def input_fn():
    data = tf.data.Dataset.from_tensor_slices((rows, labels))
    return data.repeat(repeat).batch(8)

  return input_fn


def show(title, estimator):
  for name in estimator.get_variable_names():
    value = estimator.get_variable_value(name)
    print(title, name, value.shape, '%.6f' % np.sum(value))


def main():
  tf.logging.set_verbosity(tf.logging.INFO)
  old_file = write_words('old_words.txt', OLD_WORDS)
  new_file = write_words('new_words.txt', NEW_WORDS)
  config = tf.estimator.RunConfig(
      save_checkpoints_steps=20, log_step_count_steps=10)

  first = tf.estimator.Estimator(
      make_model_fn('output'), 'first', config, params={'words': len(OLD_WORDS)})
  first.train(make_input_fn(len(OLD_WORDS), None), steps=20)
  show('first', first)

  settings = tf.estimator.WarmStartSettings(
      'first',
      vars_to_warm_start='.*',
      var_name_to_vocab_info={
          'embeddings': tf.estimator.VocabInfo(
              new_vocab=new_file, new_vocab_size=len(NEW_WORDS), num_oov_buckets=0,
              old_vocab=old_file, old_vocab_size=len(OLD_WORDS)),
      },
      var_name_to_prev_var_name={'head/w': 'output/w', 'head/b': 'output/b'})
  second = tf.estimator.Estimator(
      make_model_fn('head'), 'second', config, params={'words': len(NEW_WORDS)},
      warm_start_from=settings)
  input_fn = make_input_fn(len(NEW_WORDS), 1)
  print('untrained', ' '.join(
      '%.6f' % p for p in list(second.predict(input_fn))[:6]))
  print('untrained loss %.6f' % second.evaluate(input_fn)['loss'])
  second.train(make_input_fn(len(NEW_WORDS), None), steps=20)
  show('second', second)

  third = tf.estimator.Estimator(
      make_model_fn('head'), 'third', config, params={'words': len(NEW_WORDS)},
      warm_start_from='second')
  third.train(input_fn)  # One pass: the end of the input ends training.
  show('third', third)
  metrics = third.evaluate(input_fn)
  print(', '.join('%s=%.6f' % item for item in sorted(metrics.items())))


if __name__ == '__main__':
  main()
