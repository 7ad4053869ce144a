"""Digits as tf.Example records, read by queue runners.

First a pass over all records through a shuffling queue for the mean picture, then
training from a queue that keeps the order.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import os

import numpy as np
from sklearn.datasets import load_digits
import tensorflow as tf

NUM_FILES = 3


def _bytes_feature(value):
  return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def _int64_feature(value):
  return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def convert_to(directory, count):
  """Writes `count` digits to NUM_FILES record files."""
  digits = load_digits()
  paths = []
  for shard in range(NUM_FILES):
    path = os.path.join(directory, 'digits-%d-of-%d.tfrecords' % (shard, NUM_FILES))
    with tf.python_io.TFRecordWriter(path) as writer:
      for index in range(shard, count, NUM_FILES):
        example = tf.train.Example(features=tf.train.Features(feature={
            'label': _int64_feature(int(digits.target[index])),
            'image_raw': _bytes_feature(digits.images[index].astype(np.uint8).tobytes()),
        }))
        writer.write(example.SerializeToString())
    paths.append(path)
  return paths


def read_and_decode(filename_queue):
  reader = tf.TFRecordReader()
  _, serialized = reader.read(filename_queue)
  features = tf.parse_single_example(serialized, features={
      'image_raw': tf.FixedLenFeature([], tf.string),
      'label': tf.FixedLenFeature([], tf.int64),
  })
  image = tf.decode_raw(features['image_raw'], tf.uint8)
  image.set_shape([64])
  return tf.cast(image, tf.float32) * (1.0 / 16) - 0.5, tf.cast(features['label'], tf.int32)


def statistics(paths):
  """Sums that don't depend on the order in which the records arrive."""
  with tf.Graph().as_default(), tf.Session() as sess:
    queue = tf.train.string_input_producer(paths, num_epochs=1, shuffle=True, seed=5)
    image, label = read_and_decode(queue)
    images, labels = tf.train.shuffle_batch(
        [image, label], batch_size=32, num_threads=2, capacity=200,
        min_after_dequeue=50, allow_smaller_final_batch=True, seed=6)
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    total, counts = np.zeros(64), np.zeros(10, dtype=int)
    try:
      while not coord.should_stop():
        image_values, label_values = sess.run([images, labels])
        total += image_values.astype(np.float64).sum(axis=0)
        counts += np.bincount(label_values, minlength=10)
    except tf.errors.OutOfRangeError:
      print('one epoch read')
    finally:
      coord.request_stop()
    coord.join(threads)
  print('labels: %s' % ' '.join(str(count) for count in counts))
  return total / counts.sum()


class PrintHook(tf.train.SessionRunHook):

  def __init__(self, loss):
    self.loss = loss

  def begin(self):
    self.losses = []

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self.loss)

  def after_run(self, run_context, run_values):
    self.losses.append(run_values.results)
    if len(self.losses) % 20 == 0:
      print('step %d: mean loss %.7f' % (len(self.losses), np.mean(self.losses[-20:])))

  def end(self, session):
    print('records used up after %d steps' % len(self.losses))


def train(paths, mean, args):
  with tf.Graph().as_default():
    queue = tf.train.string_input_producer(paths, num_epochs=args.epochs, shuffle=False)
    image, label = read_and_decode(queue)
    images, labels = tf.train.batch(
        [image - tf.constant(mean, tf.float32), label], batch_size=50,
        num_threads=1, capacity=200)
    w = tf.get_variable('w', [64, 10], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [10], initializer=tf.zeros_initializer())
    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.matmul(images, w) + b)
    train_op = tf.train.FtrlOptimizer(0.3).minimize(
        loss, tf.train.get_or_create_global_step())
    with tf.train.SingularMonitoredSession(
        hooks=[PrintHook(loss), tf.train.CheckpointSaverHook(args.train_dir, save_steps=50)],
        checkpoint_dir=args.train_dir) as sess:
      # Ends with the OutOfRangeError of the empty queue.
      while not sess.should_stop():
        sess.run(train_op)


if __name__ == '__main__':
  parser = argparse.ArgumentParser()
  parser.add_argument('--data_dir', default='records')
  parser.add_argument('--train_dir', default='records_train')
  parser.add_argument('--epochs', type=int, default=5)
  flags = parser.parse_args()
  if not os.path.isdir(flags.data_dir):
    os.makedirs(flags.data_dir)
  record_paths = convert_to(flags.data_dir, count=900)
  mean_picture = statistics(record_paths)
  print('brightness %.6f' % mean_picture.mean())
  train(record_paths, mean_picture, flags)
