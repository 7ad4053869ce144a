"""Logistic regression that writes every kind of summary, through several hooks."""
import os
import sys

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tensorflow.python.training.summary_io import SummaryWriterCache

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_string('logdir', 'logs', 'where the event files go')
tf.flags.DEFINE_integer('steps', 100, 'training steps')
tf.flags.DEFINE_float('lr', 0.5, 'learning rate')


class ConfusionHook(tf.train.SessionRunHook):
  """Computes per-class accuracy in numpy and adds it as hand-made summaries."""

  def __init__(self, prediction, labels, every_steps, output_dir):
    self.prediction = prediction
    self.labels = labels
    self.timer = tf.train.SecondOrStepTimer(every_steps=every_steps)
    self.output_dir = output_dir

  def begin(self):
    self.writer = SummaryWriterCache.get(self.output_dir)
    self.global_step = tf.train.get_global_step()
    self.next_step = 0

  def before_run(self, run_context):
    self.triggered = self.timer.should_trigger_for_step(self.next_step)
    fetches = {'step': self.global_step}
    if self.triggered:
      fetches.update(prediction=self.prediction, labels=self.labels)
    return tf.train.SessionRunArgs(fetches)

  def after_run(self, run_context, run_values):
    results = run_values.results
    self.next_step = results['step'] + 1
    if not self.triggered:
      return
    self.timer.update_last_triggered_step(results['step'])
    summary = tf.Summary()
    for digit in (0, 5, 9):
      mine = results['labels'] == digit
      right = float(np.mean(results['prediction'][mine] == digit)) if mine.any() else 0.0
      summary.value.add(tag='recall/%d' % digit, simple_value=right)
    self.writer.add_summary(summary, results['step'])

  def end(self, session):
    self.writer.add_summary(
        tf.Summary(value=[tf.Summary.Value(tag='finished', simple_value=1.0)]),
        session.run(self.global_step))
    self.writer.flush()


class GradientNormHook(tf.train.SessionRunHook):
  """Builds its ops in begin() and prints now and then."""

  def __init__(self, loss, every):
    self.loss, self.every = loss, every

  def begin(self):
    gradients = tf.gradients(self.loss, tf.trainable_variables())
    self.norm = tf.global_norm(gradients)
    tf.summary.scalar('gradient_norm', self.norm, collections=['extra'])

  def before_run(self, run_context):
    return tf.train.SessionRunArgs([self.norm, tf.train.get_global_step()])

  def after_run(self, run_context, run_values):
    norm, step = run_values.results
    if step % self.every == 1:
      print('step %d: |gradient| = %.6f' % (step, norm))


def main(unused_argv):
  data = load_digits()
  features = tf.placeholder(tf.float32, [None, 64])
  labels = tf.placeholder(tf.int64, [None])
  tf.summary.image('digit', tf.reshape(features, [-1, 8, 8, 1]), max_outputs=1)

  weights = tf.get_variable('weights', initializer=tf.zeros([64, 10]))
  biases = tf.get_variable('biases', initializer=tf.zeros([10]))
  logits = tf.nn.xw_plus_b(features, weights, biases, name='logits')
  loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
      logits=logits, labels=labels))
  prediction = tf.argmax(logits, 1)
  accuracy = tf.reduce_mean(tf.to_float(tf.equal(prediction, labels)))
  tf.summary.scalar('loss', loss)
  tf.summary.scalar('accuracy', accuracy)
  tf.summary.histogram('logits', logits)
  tf.summary.text('note', tf.constant('trained with **plain** gradient descent'))

  step = tf.train.create_global_step()
  train_op = tf.train.GradientDescentOptimizer(FLAGS.lr).minimize(loss, step)

  hooks = [
      tf.train.StopAtStepHook(last_step=FLAGS.steps),
      tf.train.SummarySaverHook(
          save_steps=25, output_dir=FLAGS.logdir, summary_op=tf.summary.merge_all()),
      tf.train.StepCounterHook(every_n_steps=40, output_dir=FLAGS.logdir),
      tf.train.LoggingTensorHook({'loss': loss, 'accuracy': accuracy}, every_n_iter=50,
                                 formatter=lambda t: 'loss = {loss:.6f}, accuracy = '
                                                     '{accuracy:.4f}'.format(**t)),
      GradientNormHook(loss, every=33),
      ConfusionHook(prediction, labels, 50, os.path.join(FLAGS.logdir, 'classes')),
  ]
  rng = np.random.RandomState(0)
  with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
    while not sess.should_stop():
      i = rng.choice(len(data.target), 1200, replace=False)
      sess.run(train_op, {features: data.data[i] / 16.0, labels: data.target[i]})
  sys.stdout.write('done\n')


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run()
