"""Trains a small convolutional network on CIFAR-10 binary records.

The records come through TensorFlow's input queues. A speed and loss line is
printed every --log_frequency steps.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import time

import tensorflow as tf

import cifar10_data
import cifar10_model

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_string('data_dir', 'cifar10_data', 'Where the .bin files are.')
tf.app.flags.DEFINE_string('train_dir', 'cifar10_train', 'For events and checkpoints.')
tf.app.flags.DEFINE_integer('max_steps', 60, 'Number of batches to run.')
tf.app.flags.DEFINE_integer('batch_size', 32, 'Pictures in a batch.')
tf.app.flags.DEFINE_boolean('log_device_placement', False, 'Log device placement.')
tf.app.flags.DEFINE_integer('log_frequency', 10, 'How often to print the loss.')


def train():
  with tf.Graph().as_default():
    global_step = tf.train.get_or_create_global_step()

    # The input pipeline belongs on the CPU even where there is a GPU.
    with tf.device('/cpu:0'):
      images, labels = cifar10_model.distorted_inputs(FLAGS.data_dir, FLAGS.batch_size)

    logits = cifar10_model.inference(images)
    loss = cifar10_model.loss(logits, labels)
    train_op = cifar10_model.train(loss, global_step)

    class _LoggerHook(tf.train.SessionRunHook):
      """Logs loss and runtime."""

      def begin(self):
        self._step = -1
        self._start_time = time.time()

      def before_run(self, run_context):
        self._step += 1
        return tf.train.SessionRunArgs(loss)

      def after_run(self, run_context, run_values):
        if self._step % FLAGS.log_frequency == 0:
          current_time = time.time()
          duration = max(current_time - self._start_time, 1e-6)
          self._start_time = current_time
          loss_value = run_values.results
          examples_per_sec = FLAGS.log_frequency * FLAGS.batch_size / duration
          sec_per_batch = float(duration / FLAGS.log_frequency)
          print('step %d, loss = %.6f (%.1f examples/sec; %.3f sec/batch)'
                % (self._step, loss_value, examples_per_sec, sec_per_batch))

    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=FLAGS.train_dir,
        hooks=[tf.train.StopAtStepHook(last_step=FLAGS.max_steps),
               tf.train.NanTensorHook(loss),
               _LoggerHook()],
        save_summaries_steps=20,
        log_step_count_steps=25,
        config=tf.ConfigProto(
            log_device_placement=FLAGS.log_device_placement)) as mon_sess:
      while not mon_sess.should_stop():
        mon_sess.run(train_op)


def main(argv=None):  # pylint: disable=unused-argument
  cifar10_data.write_files(FLAGS.data_dir)
  if tf.gfile.Exists(FLAGS.train_dir):
    tf.gfile.DeleteRecursively(FLAGS.train_dir)
  tf.gfile.MakeDirs(FLAGS.train_dir)
  train()


if __name__ == '__main__':
  tf.app.run()
