"""Trains a fully connected network on MNIST files with a feed dictionary."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import math
import os
import sys
import time

import tensorflow as tf

import mnist_idx

FLAGS = None


def inference(images, hidden1_units, hidden2_units):
  sizes = [784, hidden1_units, hidden2_units, 10]
  outputs = images
  for layer, (fan_in, fan_out) in enumerate(zip(sizes[:-1], sizes[1:])):
    with tf.name_scope('layer%d' % (layer + 1)):
      weights = tf.Variable(
          tf.truncated_normal([fan_in, fan_out],
                              stddev=1.0 / math.sqrt(float(fan_in)), seed=layer),
          name='weights')
      biases = tf.Variable(tf.zeros([fan_out]), name='biases')
      outputs = tf.matmul(outputs, weights) + biases
      if layer < 2:
        outputs = tf.nn.relu(outputs)
  return outputs


def do_eval(sess, eval_correct, images_pl, labels_pl, data_set):
  """Runs one evaluation over the whole data set."""
  true_count = 0
  steps_per_epoch = data_set.num_examples // FLAGS.batch_size
  num_examples = steps_per_epoch * FLAGS.batch_size
  for _ in range(steps_per_epoch):
    images_feed, labels_feed = data_set.next_batch(FLAGS.batch_size)
    true_count += sess.run(
        eval_correct, feed_dict={images_pl: images_feed, labels_pl: labels_feed})
  print('Num examples: %d  Num correct: %d  Precision @ 1: %0.04f'
        % (num_examples, true_count, float(true_count) / num_examples))


def run_training():
  mnist_idx.maybe_write(FLAGS.input_data_dir)
  data_sets = mnist_idx.read_data_sets(FLAGS.input_data_dir)

  with tf.Graph().as_default():
    images_pl = tf.placeholder(tf.float32, shape=(FLAGS.batch_size, 784))
    labels_pl = tf.placeholder(tf.int32, shape=(FLAGS.batch_size,))
    logits = inference(images_pl, FLAGS.hidden1, FLAGS.hidden2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels_pl, logits=logits)
    tf.summary.scalar('loss', loss)
    optimizer = tf.train.GradientDescentOptimizer(FLAGS.learning_rate)
    global_step = tf.Variable(0, name='global_step', trainable=False)
    train_op = optimizer.minimize(loss, global_step=global_step)
    correct = tf.nn.in_top_k(logits, labels_pl, 1)
    eval_correct = tf.reduce_sum(tf.cast(correct, tf.int32))

    summary = tf.summary.merge_all()
    init = tf.global_variables_initializer()
    saver = tf.train.Saver()
    sess = tf.Session()
    summary_writer = tf.summary.FileWriter(FLAGS.log_dir, sess.graph)
    sess.run(init)

    for step in range(FLAGS.max_steps):
      start_time = time.time()
      images_feed, labels_feed = data_sets.train.next_batch(FLAGS.batch_size)
      feed_dict = {images_pl: images_feed, labels_pl: labels_feed}
      _, loss_value = sess.run([train_op, loss], feed_dict=feed_dict)
      duration = time.time() - start_time

      if step % 50 == 0:
        print('Step %d: loss = %.6f (%.3f sec)' % (step, loss_value, duration))
        summary_str = sess.run(summary, feed_dict=feed_dict)
        summary_writer.add_summary(summary_str, step)
        summary_writer.flush()

      if (step + 1) % 100 == 0 or (step + 1) == FLAGS.max_steps:
        checkpoint_file = os.path.join(FLAGS.log_dir, 'model.ckpt')
        saver.save(sess, checkpoint_file, global_step=step)
        print('Training Data Eval:')
        do_eval(sess, eval_correct, images_pl, labels_pl, data_sets.train)
        print('Test Data Eval:')
        do_eval(sess, eval_correct, images_pl, labels_pl, data_sets.test)
    print('global step %d' % tf.train.global_step(sess, global_step))
    sess.close()
    summary_writer.close()


def main(_):
  if tf.gfile.Exists(FLAGS.log_dir):
    tf.gfile.DeleteRecursively(FLAGS.log_dir)
  tf.gfile.MakeDirs(FLAGS.log_dir)
  run_training()


if __name__ == '__main__':
  parser = argparse.ArgumentParser()
  parser.add_argument('--learning_rate', type=float, default=0.1)
  parser.add_argument('--max_steps', type=int, default=250)
  parser.add_argument('--hidden1', type=int, default=64)
  parser.add_argument('--hidden2', type=int, default=32)
  parser.add_argument('--batch_size', type=int, default=50)
  parser.add_argument('--input_data_dir', type=str, default='input_data')
  parser.add_argument('--log_dir', type=str, default='logs')
  FLAGS, unparsed = parser.parse_known_args()
  tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
