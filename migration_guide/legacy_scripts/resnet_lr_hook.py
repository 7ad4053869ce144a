"""A small residual network whose learning rate is fed by a hook."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import sys

import numpy as np
from sklearn.datasets import load_digits
import tensorflow as tf
from tensorflow.python.training import moving_averages

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string('log_root', 'resnet', 'Parent of the checkpoint directory.')
tf.app.flags.DEFINE_integer('train_steps', 45, 'When to stop.')

HParams = collections.namedtuple(
    'HParams', 'batch_size, num_classes, lrn_rate, weight_decay_rate')


def build_input(batch_size):
  """Endless batches of 8x8x1 pictures, standardised, with one-hot labels."""
  digits = load_digits()
  order = np.random.RandomState(5).permutation(len(digits.target))[:640]
  images = digits.images[order].astype(np.float32)[..., np.newaxis]

  def _parse(image, label):
    return tf.image.per_image_standardization(image), tf.one_hot(label, 10)

  dataset = tf.data.Dataset.from_tensor_slices((images, digits.target[order]))
  dataset = dataset.map(_parse).repeat().batch(batch_size, drop_remainder=True)
  return dataset.make_one_shot_iterator().get_next()


class ResNet(object):
  """ResNet model."""

  def __init__(self, hps, images, labels):
    self.hps = hps
    self._images = images
    self.labels = labels
    self._extra_train_ops = []
    self._seed = 0

  def build_graph(self):
    self.global_step = tf.train.get_or_create_global_step()
    self._build_model()
    self._build_train_op()
    self.summaries = tf.summary.merge_all()

  def _build_model(self):
    with tf.variable_scope('init'):
      x = self._conv('init_conv', self._images, 3, 1, 8, 1)
    for unit, (filters, stride) in enumerate([(8, 1), (16, 2), (16, 1)]):
      with tf.variable_scope('unit_%d' % unit):
        x = self._residual(x, filters, stride)
    with tf.variable_scope('unit_last'):
      x = self._activation(self._batch_norm('final_bn', x))
      x = tf.reduce_mean(x, [1, 2])
    with tf.variable_scope('logit'):
      w = tf.get_variable(
          'DW', [x.get_shape()[1], self.hps.num_classes],
          initializer=tf.uniform_unit_scaling_initializer(factor=1.0, seed=99))
      b = tf.get_variable(
          'biases', [self.hps.num_classes], initializer=tf.constant_initializer())
      logits = tf.nn.xw_plus_b(x, w, b)
      self.predictions = tf.nn.softmax(logits)
    with tf.variable_scope('costs'):
      xent = tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=self.labels)
      self.cost = tf.reduce_mean(xent, name='xent') + self._decay()
      tf.summary.scalar('cost', self.cost)

  def _build_train_op(self):
    # A constant, which the hook below feeds over.
    self.lrn_rate = tf.constant(self.hps.lrn_rate, tf.float32)
    tf.summary.scalar('learning_rate', self.lrn_rate)
    with tf.control_dependencies([self.cost]):
      grads = tf.gradients(
          self.cost, tf.trainable_variables(), gate_gradients=True)
    optimizer = tf.train.MomentumOptimizer(self.lrn_rate, 0.9)
    apply_op = optimizer.apply_gradients(
        zip(grads, tf.trainable_variables()),
        global_step=self.global_step, name='train_step')
    self.train_op = tf.group(*([apply_op] + self._extra_train_ops))

  def _batch_norm(self, name, x):
    with tf.variable_scope(name):
      shape = [x.get_shape()[-1]]
      beta = tf.get_variable('beta', shape, tf.float32, tf.constant_initializer(0.0))
      gamma = tf.get_variable('gamma', shape, tf.float32, tf.constant_initializer(1.0))
      mean, variance = tf.nn.moments(x, [0, 1, 2], name='moments')
      moving_mean = tf.get_variable(
          'moving_mean', shape, initializer=tf.constant_initializer(0.0), trainable=False)
      moving_variance = tf.get_variable(
          'moving_variance', shape, initializer=tf.constant_initializer(1.0),
          trainable=False)
      self._extra_train_ops.append(moving_averages.assign_moving_average(
          moving_mean, mean, 0.9, zero_debias=False))
      self._extra_train_ops.append(moving_averages.assign_moving_average(
          moving_variance, variance, 0.9, zero_debias=False))
      y = tf.nn.batch_normalization(x, mean, variance, beta, gamma, 0.001)
      y.set_shape(x.get_shape())
      return y

  def _residual(self, x, filters, stride):
    orig_x, in_filters = x, x.get_shape()[-1].value
    x = self._activation(self._batch_norm('bn1', x))
    x = self._conv('conv1', x, 3, in_filters, filters, stride)
    x = self._activation(self._batch_norm('bn2', x))
    x = self._conv('conv2', x, 3, filters, filters, 1)
    if in_filters != filters:
      orig_x = tf.nn.avg_pool(
          orig_x, [1, stride, stride, 1], [1, stride, stride, 1], 'VALID')
      pad = (filters - in_filters) // 2
      orig_x = tf.pad(orig_x, [[0, 0], [0, 0], [0, 0], [pad, pad]])
    return x + orig_x

  def _decay(self):
    costs = [tf.nn.l2_loss(var) for var in tf.trainable_variables()
             if var.op.name.find(r'DW') > 0]
    return tf.multiply(self.hps.weight_decay_rate, tf.add_n(costs))

  def _conv(self, name, x, size, in_filters, out_filters, stride):
    self._seed += 1
    with tf.variable_scope(name):
      n = size * size * out_filters
      kernel = tf.get_variable(
          'DW', [size, size, in_filters, out_filters], tf.float32,
          initializer=tf.random_normal_initializer(
              stddev=np.sqrt(2.0 / n), seed=self._seed))
      return tf.nn.conv2d(x, kernel, [1, stride, stride, 1], padding='SAME')

  def _activation(self, x):
    return tf.nn.elu(x, name='elu')


class _LearningRateSetterHook(tf.train.SessionRunHook):
  """Sets learning_rate based on global step."""

  def __init__(self, model):
    self.model = model

  def begin(self):
    self._lrn_rate = 0.02

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(
        self.model.global_step,  # Asks for the global step value.
        feed_dict={self.model.lrn_rate: self._lrn_rate})

  def after_run(self, run_context, run_values):
    train_step = run_values.results
    if train_step < 15:
      rate = 0.02
    elif train_step < 30:
      rate = 0.01
    else:
      rate = 0.002
    if rate != self._lrn_rate:
      print('learning rate %.4f from step %d on' % (rate, train_step))
    self._lrn_rate = rate


def train(hps):
  images, labels = build_input(hps.batch_size)
  model = ResNet(hps, images, labels)
  model.build_graph()

  truth = tf.argmax(model.labels, axis=1)
  predictions = tf.argmax(model.predictions, axis=1)
  precision = tf.reduce_mean(tf.to_float(tf.equal(predictions, truth)))
  num_params = sum(v.get_shape().num_elements() for v in tf.trainable_variables())
  sys.stdout.write('total_params: %d\n' % num_params)

  summary_hook = tf.train.SummarySaverHook(
      save_steps=15, output_dir=FLAGS.log_root + '/train',
      summary_op=tf.summary.merge([
          model.summaries, tf.summary.scalar('Precision', precision)]))
  logging_hook = tf.train.LoggingTensorHook(
      tensors={'step': model.global_step, 'loss': model.cost, 'precision': precision},
      every_n_iter=10)
  with tf.train.MonitoredTrainingSession(
      checkpoint_dir=FLAGS.log_root,
      hooks=[logging_hook, tf.train.StopAtStepHook(FLAGS.train_steps),
             _LearningRateSetterHook(model)],
      chief_only_hooks=[summary_hook],
      # The summaries are saved by the hook above.
      save_summaries_steps=0,
      config=tf.ConfigProto(allow_soft_placement=True)) as mon_sess:
    while not mon_sess.should_stop():
      mon_sess.run(model.train_op)


def main(_):
  train(HParams(batch_size=32, num_classes=10, lrn_rate=0.02,
                weight_decay_rate=0.0002))


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run()
