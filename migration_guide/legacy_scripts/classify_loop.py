"""Classifies digits with a trained model, reading its graph from the .meta file.

There is no training here: the loop ends when the input does.
"""
from __future__ import print_function

import argparse
import csv
import sys

import numpy as np
from sklearn.datasets import load_digits
import tensorflow as tf


class TallyHook(tf.train.SessionRunHook):
  """Counts answers and keeps the least certain ones."""

  def __init__(self, logits, keep):
    self._logits = logits
    self._keep = keep

  def begin(self):
    self._counts = np.zeros(10, dtype=np.int64)
    self._margins = []

  def before_run(self, run_context):
    return tf.train.SessionRunArgs({'logits': self._logits})

  def after_run(self, run_context, run_values):
    logits = run_values.results['logits']
    self._counts += np.bincount(logits.argmax(axis=1), minlength=10)
    top = np.sort(logits, axis=1)
    self._margins.extend(top[:, -1] - top[:, -2])

  def end(self, session):
    print('answers: ' + ' '.join(str(count) for count in self._counts))
    order = np.argsort(self._margins)[:self._keep]
    for i in order:
      print('example %d has margin %.5f' % (i, self._margins[i]))


def input_batches(count, batch_size):
  """The images to classify, one batch after the other, then StopIteration."""
  images = (load_digits().data[:count] / 16.0).astype(np.float32)
  for start in range(0, count, batch_size):
    yield images[start:start + batch_size]


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--train_dir', required=True)
  parser.add_argument('--output', default='answers.csv')
  parser.add_argument('--count', type=int, default=500)
  parser.add_argument('--batch_size', type=int, default=64)
  args = parser.parse_args()

  checkpoint = tf.train.latest_checkpoint(args.train_dir)
  if not checkpoint:
    sys.exit('No checkpoint in %s' % args.train_dir)
  saver = tf.train.import_meta_graph(checkpoint + '.meta', clear_devices=True)
  graph = tf.get_default_graph()
  images = graph.get_tensor_by_name('images:0')
  logits = graph.get_tensor_by_name('softmax/BiasAdd:0')
  scores = tf.nn.softmax(logits, name='scores')
  answer = tf.argmax(scores, axis=1)

  rows = []
  batches = input_batches(args.count, args.batch_size)
  scaffold = tf.train.Scaffold(saver=saver)
  with tf.train.SingularMonitoredSession(
      hooks=[TallyHook(logits, keep=3)], scaffold=scaffold,
      checkpoint_filename_with_path=checkpoint) as sess:
    while not sess.should_stop():
      # A StopIteration from the generator ends the session quietly.
      answers, certainty = sess.run([answer, tf.get_default_graph().get_tensor_by_name(
          'scores:0')], feed_dict={images: next(batches)})
      rows.extend(zip(answers, certainty.max(axis=1)))

  print('%d digits classified' % len(rows))
  with open(args.output, 'w') as f:
    writer = csv.writer(f)
    writer.writerow(['digit', 'certainty'])
    writer.writerows((int(digit), '%.6f' % score) for digit, score in rows[::10])


if __name__ == '__main__':
  main()
