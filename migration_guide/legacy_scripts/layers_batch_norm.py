"""tf.layers with batch normalisation, the update ops tied to the train op."""
from __future__ import division
from __future__ import print_function

import argparse

import numpy as np
from sklearn.datasets import load_digits
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.INFO)


def conv_block(inputs, filters, training, seed, name):
  with tf.variable_scope(name):
    net = tf.layers.conv2d(
        inputs, filters, 3, padding='same', use_bias=False,
        kernel_initializer=tf.variance_scaling_initializer(scale=2.0, seed=seed),
        kernel_regularizer=lambda w: 1e-4 * tf.nn.l2_loss(w))
    net = tf.layers.batch_normalization(net, momentum=0.9, training=training)
    return tf.nn.elu(net)


def model(images, training):
  net = conv_block(images, 8, training, seed=61, name='block1')
  net = tf.layers.average_pooling2d(net, pool_size=2, strides=2)
  net = conv_block(net, 16, training, seed=62, name='block2')
  net = tf.layers.flatten(net)
  net = tf.layers.dropout(net, rate=0.25, seed=63, training=training)
  net = tf.layers.dense(
      net, 32, activation=tf.nn.elu,
      kernel_initializer=tf.glorot_uniform_initializer(seed=64), name='fc')
  return tf.layers.dense(
      net, 10, kernel_initializer=tf.glorot_uniform_initializer(seed=65), name='logits')


class EvalHook(tf.train.SessionRunHook):
  """Evaluates with the moving averages, at intervals and in the end."""

  def __init__(self, hits, feed_dict, every):
    self.hits, self.feed_dict, self.every = hits, feed_dict, every

  def begin(self):
    self.global_step = tf.train.get_global_step()

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self.global_step)

  def after_run(self, run_context, run_values):
    if run_values.results % self.every == 0:
      self.evaluate(run_context.session, run_values.results)

  def end(self, session):
    self.evaluate(session, session.run(self.global_step))

  def evaluate(self, session, step):
    hits = session.run(self.hits, self.feed_dict)
    print('step %d: %d of %d right' % (step, hits.sum(), len(hits)))


def main(args):
  digits = load_digits()
  order = np.random.RandomState(9).permutation(len(digits.target))
  pictures, targets = digits.images[order][..., np.newaxis] / 16.0, digits.target[order]

  images = tf.placeholder(tf.float32, [None, 8, 8, 1], name='images')
  labels = tf.placeholder(tf.int64, [None], name='labels')
  is_training = tf.placeholder_with_default(False, [], name='is_training')
  logits = model(images, is_training)
  tf.losses.sparse_softmax_cross_entropy(labels, logits)
  total_loss = tf.losses.get_total_loss()
  hits = tf.equal(tf.argmax(logits, 1), labels)

  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  print('%d update ops, %d trainable variables'
        % (len(update_ops), len(tf.trainable_variables())))
  with tf.control_dependencies(update_ops + [total_loss]):
    train_op = tf.train.MomentumOptimizer(0.01, 0.8, use_nesterov=True).minimize(
        total_loss, global_step=tf.train.get_or_create_global_step())

  hooks = [
      tf.train.StopAtStepHook(num_steps=args.steps),
      tf.train.LoggingTensorHook({'loss': total_loss}, every_n_iter=10, at_end=False),
      EvalHook(hits, {images: pictures[1400:], labels: targets[1400:]}, every=18),
  ]
  with tf.train.MonitoredTrainingSession(
      checkpoint_dir=args.model_dir, hooks=hooks, save_checkpoint_steps=18,
      summary_dir=None, save_summaries_steps=0, log_step_count_steps=0) as sess:
    at = 0
    while not sess.should_stop():
      batch = slice(at % 1400, at % 1400 + 50)
      at += 50
      sess.run(train_op, {images: pictures[batch], labels: targets[batch],
                          is_training: True})


if __name__ == '__main__':
  parser = argparse.ArgumentParser()
  parser.add_argument('--model_dir', default='layers_model')
  parser.add_argument('--steps', type=int, default=36)
  main(parser.parse_args())
