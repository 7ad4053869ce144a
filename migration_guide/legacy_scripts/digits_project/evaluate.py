"""Evaluates the newest checkpoint of the digits project; exit code 3 if there is none."""
from __future__ import print_function

import os
import sys

import tensorflow as tf

from digits_lib import config, data, model

FLAGS = config.FLAGS


def evaluate(checkpoint):
  features, labels = data.input_fn('test', batch_size=72, epochs=1)
  spec = model.model_fn(features, labels, training=False)
  accuracy, update_accuracy = tf.metrics.accuracy(labels, spec.predictions['class'])
  mean_loss, update_loss = tf.metrics.mean(spec.loss)
  per_class, update_per_class = tf.metrics.mean_per_class_accuracy(
      labels, spec.predictions['class'], 10)
  updates = tf.group(update_accuracy, update_loss, update_per_class)
  creator = tf.train.ChiefSessionCreator(checkpoint_filename_with_path=checkpoint)
  final_ops = tf.train.FinalOpsHook(
      {'accuracy': accuracy, 'loss': mean_loss, 'per class': per_class})
  batches = 0
  with tf.train.MonitoredSession(creator, hooks=[final_ops]) as sess:
    while not sess.should_stop():
      sess.run(updates)
      batches += 1
  print('%d batches evaluated' % batches)
  for name, value in sorted(final_ops.final_ops_values.items()):
    print('%s: %.6f' % (name, value))


def main(_):
  checkpoint = tf.train.latest_checkpoint(os.path.join(FLAGS.base_dir, 'checkpoints'))
  if checkpoint is None:
    print('no checkpoint in %s' % FLAGS.base_dir)
    sys.exit(3)
  print('evaluating %s' % os.path.basename(checkpoint))
  evaluate(checkpoint)


if __name__ == '__main__':
  tf.app.run(main=main)
