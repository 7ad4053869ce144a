"""A small convolutional network on digits, as an Estimator with hooks everywhere.

Usage:
  python estimator_digits_cnn.py --model_dir=digits_cnn

Trains in two calls (the second resumes from the first), evaluates on two data
sets and predicts, and prints what every kind of hook gets to see.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse

import numpy as np
from sklearn.datasets import load_digits
import tensorflow as tf

NUM_CLASSES = 10


def load_data():
  digits = load_digits()
  order = np.random.RandomState(7).permutation(len(digits.target))
  images = (digits.images[order] / 16.0).astype(np.float32)
  labels = digits.target[order].astype(np.int32)
  return (images[:1400], labels[:1400]), (images[1400:], labels[1400:])


class CallPrinter(tf.train.SessionRunHook):
  """Prints when it is called; the runs only every few steps."""

  def __init__(self, name, every=10, tensor=None):
    self._name = name
    self._every = every
    self._tensor = tensor
    self._runs = 0

  def begin(self):
    print('%s: begin' % self._name)

  def after_create_session(self, session, coord):
    step = session.run(tf.train.get_global_step())
    print('%s: after_create_session at step %d' % (self._name, step))

  def before_run(self, run_context):
    del run_context
    if self._tensor is not None:
      return tf.train.SessionRunArgs(self._tensor)

  def after_run(self, run_context, run_values):
    self._runs += 1
    if self._runs % self._every == 0:
      line = '%s: run %d' % (self._name, self._runs)
      if run_values.results is not None:
        line += ' sees %.6f' % np.mean(run_values.results)
      print(line)

  def end(self, session):
    print('%s: end after %d runs, step %d' % (
        self._name, self._runs, session.run(tf.train.get_global_step())))


class ListenerPrinter(tf.train.CheckpointSaverListener):

  def begin(self):
    print('listener: begin')

  def before_save(self, session, global_step):
    print('listener: before_save %d' % global_step)

  def after_save(self, session, global_step):
    print('listener: after_save %d' % global_step)

  def end(self, session, global_step):
    print('listener: end %d' % global_step)


def weights(name, shape, seed):
  return tf.get_variable(
      name, shape,
      initializer=tf.truncated_normal_initializer(stddev=0.1, seed=seed))


def model_fn(features, labels, mode, params, config):
  del config
  images = tf.reshape(features['image'], [-1, 8, 8, 1])
  with tf.variable_scope('conv'):
    net = tf.nn.conv2d(images, weights('kernel', [3, 3, 1, 8], 1),
                       strides=[1, 1, 1, 1], padding='SAME')
    bias = tf.get_variable('bias', [8], initializer=tf.zeros_initializer())
    net = tf.nn.relu(net + bias)
    net = tf.nn.max_pool(net, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')
  net = tf.reshape(net, [-1, 4 * 4 * 8])
  if mode == tf.estimator.ModeKeys.TRAIN:
    net = tf.nn.dropout(net, keep_prob=params['keep_prob'], seed=3)
  with tf.variable_scope('dense'):
    logits = tf.matmul(net, weights('kernel', [128, NUM_CLASSES], 2))
    logits += tf.get_variable(
        'bias', [NUM_CLASSES], initializer=tf.zeros_initializer())

  classes = tf.argmax(logits, axis=1, name='classes')
  predictions = {
      'classes': classes,
      'probabilities': tf.nn.softmax(logits, name='probabilities'),
  }
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions=predictions,
        prediction_hooks=[CallPrinter('prediction_hook', 1, 'classes:0')])

  loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
  accuracy = tf.metrics.accuracy(labels, classes, name='accuracy')
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        eval_metric_ops={
            'accuracy': accuracy,
            'mean_probability': tf.metrics.mean(
                tf.reduce_max(predictions['probabilities'], axis=1)),
        },
        evaluation_hooks=[CallPrinter('evaluation_hook', 5)])

  tf.summary.scalar('batch_accuracy', tf.reduce_mean(
      tf.cast(tf.equal(tf.cast(classes, labels.dtype), labels), tf.float32)))
  learning_rate = tf.train.exponential_decay(
      params['learning_rate'], tf.train.get_global_step(), 50, 0.5)
  tf.summary.scalar('learning_rate', learning_rate)
  tf.identity(learning_rate, name='learning_rate')
  optimizer = tf.train.MomentumOptimizer(learning_rate, 0.9)
  with tf.control_dependencies([loss]):
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      training_chief_hooks=[CallPrinter('chief_hook', 20)],
      training_hooks=[
          CallPrinter('training_hook', 20, loss),
          tf.train.LoggingTensorHook(
              {'learning_rate': 'learning_rate:0'}, every_n_iter=25),
      ])


def main():
  parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
  parser.add_argument('--model_dir', default='digits_cnn')
  parser.add_argument('--batch_size', type=int, default=50)
  args = parser.parse_args()
  tf.logging.set_verbosity(tf.logging.INFO)

  (train_x, train_y), (test_x, test_y) = load_data()

  def dataset(x, y, repeat):
    data = tf.data.Dataset.from_tensor_slices(({'image': x}, y))
    return data.repeat(repeat).batch(args.batch_size)

  def train_input_fn(params):
    assert params['learning_rate'] == 0.05
    return dataset(train_x, train_y, None)

  def test_input_fn(mode):
    assert mode in ('eval', 'infer')
    return dataset(test_x, test_y, 1)

  estimator = tf.estimator.Estimator(
      model_fn,
      config=tf.estimator.RunConfig(
          model_dir=args.model_dir, tf_random_seed=11, save_summary_steps=10,
          save_checkpoints_steps=40, keep_checkpoint_max=2,
          log_step_count_steps=20),
      params={'learning_rate': 0.05, 'keep_prob': 0.8})

  estimator.train(
      train_input_fn, steps=60, hooks=[CallPrinter('user_hook', 20)],
      saving_listeners=[ListenerPrinter()])
  estimator.train(train_input_fn, max_steps=100)
  estimator.train(train_input_fn, max_steps=100)  # Nothing left to do.

  metrics = estimator.evaluate(test_input_fn, hooks=[CallPrinter('eval_user_hook')])
  print('test: ' + ', '.join('%s=%.6f' % item for item in sorted(metrics.items())))
  metrics = estimator.evaluate(
      lambda: dataset(train_x, train_y, 1), steps=4, name='train')
  print('train: ' + ', '.join('%s=%.6f' % item for item in sorted(metrics.items())))
  old = tf.train.get_checkpoint_state(args.model_dir).all_model_checkpoint_paths[0]
  metrics = estimator.evaluate(test_input_fn, checkpoint_path=old, name='old')
  print('old: ' + ', '.join('%s=%.6f' % item for item in sorted(metrics.items())))

  predicted = list(estimator.predict(test_input_fn, predict_keys=['classes']))
  print('first classes', [int(p['classes']) for p in predicted[:12]], len(predicted))
  batch = next(estimator.predict(test_input_fn, yield_single_examples=False))
  print('first batch', batch['classes'].shape,
        ' '.join('%.6f' % p for p in batch['probabilities'][0]))
  print(estimator.get_variable_names())
  print('bias sum %.6f' % estimator.get_variable_value('dense/bias').sum())
  print(estimator.eval_dir('train'), estimator.latest_checkpoint())


if __name__ == '__main__':
  main()
