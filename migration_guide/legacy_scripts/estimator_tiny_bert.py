"""A tiny transformer classifier in the style of BERT's scripts, run by TPUEstimator on a CPU.

Usage:
  python estimator_tiny_bert.py --output_dir=tiny_bert --do_train --do_eval --do_predict
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import math
import os
import re

import numpy as np
import tensorflow as tf

flags = tf.flags
FLAGS = flags.FLAGS

flags.DEFINE_string('output_dir', 'tiny_bert', 'Where checkpoints go.')
flags.DEFINE_string('init_checkpoint', None, 'Checkpoint to start from.')
flags.DEFINE_bool('do_train', False, 'Whether to train.')
flags.DEFINE_bool('do_eval', False, 'Whether to evaluate.')
flags.DEFINE_bool('do_predict', False, 'Whether to predict.')
flags.DEFINE_bool('use_tpu', False, 'Whether to use a TPU.')
flags.DEFINE_integer('train_batch_size', 16, 'Batch size of training.')
flags.DEFINE_integer('eval_batch_size', 8, 'Batch size of evaluation.')
flags.DEFINE_integer('predict_batch_size', 8, 'Batch size of prediction.')
flags.DEFINE_integer('num_train_steps', 40, 'Steps to train.')
flags.DEFINE_float('learning_rate', 5e-3, 'Learning rate.')

VOCAB, WIDTH, HEADS, LAYERS, LENGTH = 30, 16, 2, 2, 8


def initializer(seed):
  return tf.truncated_normal_initializer(stddev=0.1, seed=seed)


def dense(x, units, name, seed, activation=None, use_bias=True):
  with tf.variable_scope(name):
    width = x.get_shape()[-1].value
    kernel = tf.get_variable('kernel', [width, units], initializer=initializer(seed))
    y = tf.matmul(x, kernel)
    if use_bias:
      bias = tf.get_variable('bias', [units], initializer=tf.zeros_initializer())
      y = tf.nn.bias_add(y, bias)
    return activation(y) if activation else y


def layer_norm(x, name):
  with tf.variable_scope(name):
    gamma = tf.get_variable('gamma', [WIDTH], initializer=tf.ones_initializer())
    beta = tf.get_variable('beta', [WIDTH], initializer=tf.zeros_initializer())
    mean, variance = tf.nn.moments(x, [-1], keep_dims=True)
    return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-12)


def gelu(x):
  return 0.5 * x * (1 + tf.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def attention(x, mask, batch, seed):
  """Self attention over [batch * LENGTH, WIDTH]."""
  size = WIDTH // HEADS

  def split(t):
    t = tf.reshape(t, [batch, LENGTH, HEADS, size])
    return tf.transpose(t, [0, 2, 1, 3])

  query = split(dense(x, WIDTH, 'query', seed + 1))
  # Softmax doesn't see a bias of the keys.
  key = split(dense(x, WIDTH, 'key', seed + 2, use_bias=False))
  value = split(dense(x, WIDTH, 'value', seed + 3))
  scores = tf.matmul(query, key, transpose_b=True) / math.sqrt(size)
  scores += (1.0 - mask[:, tf.newaxis, tf.newaxis, :]) * -10000.0
  context = tf.matmul(tf.nn.softmax(scores), value)
  context = tf.reshape(tf.transpose(context, [0, 2, 1, 3]), [-1, WIDTH])
  return dense(context, WIDTH, 'output', seed + 4)


def transformer(ids, mask):
  batch = tf.shape(ids)[0]
  with tf.variable_scope('bert'):
    with tf.variable_scope('embeddings'):
      words = tf.get_variable(
          'word_embeddings', [VOCAB, WIDTH], initializer=initializer(1))
      positions = tf.get_variable(
          'position_embeddings', [LENGTH, WIDTH], initializer=initializer(2))
      x = tf.nn.embedding_lookup(words, ids) + positions
      x = layer_norm(x, 'LayerNorm')
    x = tf.reshape(x, [-1, WIDTH])
    with tf.variable_scope('encoder'):
      for i in range(LAYERS):
        with tf.variable_scope('layer_%d' % i):
          with tf.variable_scope('attention'):
            x = layer_norm(x + attention(x, mask, batch, 10 * i), 'LayerNorm')
          y = dense(x, 2 * WIDTH, 'intermediate', 10 * i + 5, gelu)
          x = layer_norm(x + dense(y, WIDTH, 'output', 10 * i + 6), 'LayerNorm')
    x = tf.reshape(x, [-1, LENGTH, WIDTH])
    return dense(x[:, 0], WIDTH, 'pooler', 99, tf.tanh)


def get_assignment_map(tvars, init_checkpoint):
  """Which variables the checkpoint has."""
  names = collections.OrderedDict()
  for var in tvars:
    names[re.match('^(.*):\\d+$', var.name).group(1)] = var
  found = [name for name, _ in tf.train.list_variables(init_checkpoint)]
  return collections.OrderedDict((n, n) for n in found if n in names)


def create_optimizer(loss, init_lr, num_train_steps):
  """Adam with linear decay and clipped gradients."""
  global_step = tf.train.get_or_create_global_step()
  learning_rate = tf.train.polynomial_decay(
      init_lr, global_step, num_train_steps, end_learning_rate=0.0, power=1.0)
  optimizer = tf.train.AdamOptimizer(learning_rate)
  if FLAGS.use_tpu:
    raise ValueError('There is no TPU here.')
  tvars = tf.trainable_variables()
  grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), clip_norm=1.0)
  return optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)


def model_fn_builder(init_checkpoint, learning_rate, num_train_steps, use_tpu):

  def model_fn(features, labels, mode, params):
    del labels
    tf.logging.info('*** Features ***')
    for name in sorted(features):
      tf.logging.info('  name = %s, shape = %s', name, features[name].shape)
    print('batch size %d in mode %s' % (params['batch_size'], mode))
    pooled = transformer(features['input_ids'],
                         tf.cast(features['input_mask'], tf.float32))
    logits = dense(pooled, 2, 'classifier', 7)
    log_probs = tf.nn.log_softmax(logits)
    one_hot = tf.one_hot(features['label_ids'], 2)
    per_example_loss = -tf.reduce_sum(one_hot * log_probs, axis=-1)
    loss = tf.reduce_mean(per_example_loss)

    scaffold_fn = None
    if init_checkpoint:
      assignment_map = get_assignment_map(
          tf.trainable_variables(), init_checkpoint)
      print('initialized from checkpoint:', len(assignment_map), 'variables')
      if use_tpu:
        def tpu_scaffold():
          tf.train.init_from_checkpoint(init_checkpoint, assignment_map)
          return tf.train.Scaffold()
        scaffold_fn = tpu_scaffold
      else:
        tf.train.init_from_checkpoint(init_checkpoint, assignment_map)

    if mode == tf.estimator.ModeKeys.TRAIN:
      train_op = create_optimizer(loss, learning_rate, num_train_steps)

      def host_call_fn(step, loss_t):
        writer = tf.compat.v2.summary.create_file_writer(
            os.path.join(FLAGS.output_dir, 'host'))
        with writer.as_default(), tf.compat.v2.summary.record_if(True):
          tf.compat.v2.summary.scalar('host_loss', loss_t[0], step=step[0])
        return tf.summary.all_v2_summary_ops()

      return tf.estimator.tpu.TPUEstimatorSpec(
          mode=mode, loss=loss, train_op=train_op, scaffold_fn=scaffold_fn,
          host_call=(host_call_fn, [tf.reshape(tf.train.get_global_step(), [1]),
                                    tf.reshape(loss, [1])]))
    if mode == tf.estimator.ModeKeys.EVAL:

      def metric_fn(per_example_loss, label_ids, logits, is_real_example):
        predictions = tf.argmax(logits, axis=-1, output_type=tf.int32)
        return {
            'eval_accuracy': tf.metrics.accuracy(
                labels=label_ids, predictions=predictions,
                weights=is_real_example),
            'eval_loss': tf.metrics.mean(
                values=per_example_loss, weights=is_real_example),
        }

      real = tf.cast(features['is_real_example'], tf.float32)
      return tf.estimator.tpu.TPUEstimatorSpec(
          mode=mode, loss=loss,
          eval_metrics=(metric_fn, [per_example_loss, features['label_ids'],
                                    logits, real]),
          scaffold_fn=scaffold_fn)
    return tf.estimator.tpu.TPUEstimatorSpec(
        mode=mode, predictions={'probabilities': tf.nn.softmax(logits)},
        scaffold_fn=scaffold_fn)

  return model_fn


def input_fn_builder(seed, is_training, count):
  rng = np.random.RandomState(seed)
  ids = rng.randint(1, VOCAB, size=[count, LENGTH]).astype(np.int32)
  lengths = rng.randint(3, LENGTH + 1, size=[count])
  mask = (np.arange(LENGTH) < lengths[:, None]).astype(np.int32)
  labels = (((ids < 10) * mask).sum(axis=1) >= 2).astype(np.int32)
  real = np.ones([count], np.int32)
  real[-3:] = 0

  def input_fn(params):
    batch_size = params['batch_size']
    d = tf.data.Dataset.from_tensor_slices({
        'input_ids': ids * mask, 'input_mask': mask, 'label_ids': labels,
        'is_real_example': real})
    if is_training:
      d = d.repeat()
    return d.batch(batch_size=batch_size, drop_remainder=is_training)

  return input_fn


def main(_):
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.gfile.MakeDirs(FLAGS.output_dir)
  run_config = tf.estimator.tpu.RunConfig(
      cluster=None, master=None, model_dir=FLAGS.output_dir,
      save_checkpoints_steps=20, log_step_count_steps=10,
      tpu_config=tf.estimator.tpu.TPUConfig(
          iterations_per_loop=10, num_shards=8,
          per_host_input_for_training=(
              tf.estimator.tpu.InputPipelineConfig.PER_HOST_V2)))
  model_fn = model_fn_builder(
      FLAGS.init_checkpoint, FLAGS.learning_rate, FLAGS.num_train_steps,
      FLAGS.use_tpu)
  estimator = tf.estimator.tpu.TPUEstimator(
      use_tpu=FLAGS.use_tpu, model_fn=model_fn, config=run_config,
      train_batch_size=FLAGS.train_batch_size,
      eval_batch_size=FLAGS.eval_batch_size,
      predict_batch_size=FLAGS.predict_batch_size)
  if FLAGS.do_train:
    estimator.train(input_fn=input_fn_builder(1, True, 200),
                    max_steps=FLAGS.num_train_steps)
  if FLAGS.do_eval:
    result = estimator.evaluate(input_fn=input_fn_builder(2, False, 43), steps=None)
    with tf.gfile.GFile(os.path.join(FLAGS.output_dir, 'eval_results.txt'), 'w') as writer:
      for key in sorted(result.keys()):
        tf.logging.info('  %s = %s', key, str(result[key]))
        writer.write('%s = %s\n' % (key, str(result[key])))
  if FLAGS.do_predict:
    predictions = estimator.predict(input_fn=input_fn_builder(3, False, 11))
    for prediction in predictions:
      print('\t'.join('%.6f' % p for p in prediction['probabilities']))


if __name__ == '__main__':
  tf.app.run()
