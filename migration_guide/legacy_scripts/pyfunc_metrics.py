"""Python functions inside the graph: augmentation going in, a report coming out."""
from __future__ import print_function

import argparse

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

NUM_CLASSES = 10


class Augmenter(object):
  """Shifts pictures by up to one pixel; called by the graph."""

  def __init__(self, seed):
    self.rng = np.random.RandomState(seed)
    self.calls = 0

  def __call__(self, images):
    self.calls += 1
    shifted = [np.roll(image, self.rng.randint(-1, 2), axis=1) for image in images]
    return np.stack(shifted).astype(np.float32)


def confusion(labels, predictions):
  matrix = np.zeros([NUM_CLASSES, NUM_CLASSES], dtype=np.int64)
  np.add.at(matrix, (labels, predictions), 1)
  return matrix, np.float32(np.trace(matrix) / max(matrix.sum(), 1))


class ReportHook(tf.train.SessionRunHook):
  """Streams metrics over the test digits at intervals."""

  def __init__(self, metrics, test_batches, feeds, every):
    self.values = {k: v[0] for k, v in metrics.items()}
    self.updates = {k: v[1] for k, v in metrics.items()}
    self.test_batches, self.feeds, self.every = test_batches, feeds, every

  def begin(self):
    self.reset = tf.variables_initializer(tf.local_variables())
    self.step = tf.train.get_global_step()

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self.step)

  def after_run(self, run_context, run_values):
    step = run_values.results
    if step % self.every:
      return
    session = run_context.session
    session.run(self.reset)
    for batch in self.test_batches:
      session.run(self.updates, dict(zip(self.feeds, batch)))
    result = session.run(self.values)
    text = ' '.join('%s %.6f' % (k, result[k]) for k in sorted(result))
    print('step %d: %s' % (step, text))


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--steps', type=int, default=60)
  args = parser.parse_args()
  digits = load_digits()
  pictures, targets = (digits.images / 16.0).astype(np.float32), digits.target
  augment = Augmenter(seed=31)

  images = tf.placeholder(tf.float32, [None, 8, 8])
  labels = tf.placeholder(tf.int64, [None])
  training = tf.placeholder_with_default(False, [])
  inputs = tf.cond(
      training,
      lambda: tf.py_func(augment, [images], tf.float32),
      lambda: tf.identity(images))
  inputs = tf.reshape(inputs, [-1, 64])

  w = tf.Variable(tf.truncated_normal([64, 10], stddev=0.05, seed=32), name='w')
  logits = tf.matmul(inputs, w)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  predictions = tf.argmax(logits, 1)
  matrix, accuracy = tf.py_func(
      confusion, [labels, predictions], [tf.int64, tf.float32], stateful=False)
  accuracy.set_shape([])

  global_step = tf.train.get_or_create_global_step()
  train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step)

  metrics = {
      'accuracy': tf.metrics.accuracy(labels, predictions),
      'precision_of_3': tf.metrics.precision(tf.equal(labels, 3), tf.equal(predictions, 3)),
      'recall_of_8': tf.metrics.recall(tf.equal(labels, 8), tf.equal(predictions, 8)),
      'rmse': tf.metrics.root_mean_squared_error(labels, predictions),
  }
  test_batches = [(pictures[i:i + 99], targets[i:i + 99]) for i in range(1500, 1797, 99)]
  hooks = [tf.train.StopAtStepHook(last_step=args.steps),
           ReportHook(metrics, test_batches, (images, labels), every=20)]
  with tf.train.MonitoredSession(hooks=hooks) as sess:
    step = 0
    while not sess.should_stop():
      at = step * 50 % 1500
      _, step, value, share = sess.run(
          [train_op, global_step, loss, accuracy],
          {images: pictures[at:at + 50], labels: targets[at:at + 50], training: True})
      if step % 15 == 0:
        print('step %d: loss %.7f, %.2f right' % (step, value, share))
    # Without the hooks, which want another step.
    table = sess.run_step_fn(lambda step_context: step_context.session.run(
        matrix, {images: pictures[1500:], labels: targets[1500:]}))
  print('augmented %d times; diagonal of the confusions: %s'
        % (augment.calls, ' '.join(str(n) for n in table.diagonal())))


if __name__ == '__main__':
  main()
