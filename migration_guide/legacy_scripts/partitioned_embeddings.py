"""Learns which items people like from pairs, with partitioned embedding tables."""
from __future__ import print_function

import argparse

import numpy as np
import tensorflow as tf

NUM_PEOPLE = 120
NUM_ITEMS = 90
DIM = 6


def make_ratings():
  """Ratings with hidden structure: people and items have two traits."""
  rng = np.random.RandomState(11)
  person_traits = rng.normal(size=[NUM_PEOPLE, 2])
  item_traits = rng.normal(size=[NUM_ITEMS, 2])
  people = rng.randint(NUM_PEOPLE, size=3000).astype(np.int64)
  items = rng.randint(NUM_ITEMS, size=3000).astype(np.int64)
  likes = (person_traits[people] * item_traits[items]).sum(1) > 0
  return people, items, likes.astype(np.float32)


def build_score(people, items):
  with tf.variable_scope('tables', partitioner=tf.fixed_size_partitioner(3)):
    person_table = tf.get_variable(
        'people', [NUM_PEOPLE, DIM],
        initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=12))
    item_table = tf.get_variable(
        'items', [NUM_ITEMS, DIM],
        initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=13))
  with tf.variable_scope('bias'):
    item_bias = tf.get_variable('item', [NUM_ITEMS], initializer=tf.zeros_initializer())
  person = tf.nn.embedding_lookup(person_table, people, partition_strategy='div')
  item = tf.nn.embedding_lookup(item_table, items, partition_strategy='div')
  score = tf.reduce_sum(person * item, axis=1) + tf.gather(item_bias, items)
  return score, person_table


class MetricsHook(tf.train.SessionRunHook):
  """Streams the metrics of an epoch and starts them anew for the next."""

  def __init__(self, values, updates, reset, steps_per_epoch):
    self.values, self.updates, self.reset = values, updates, reset
    self.steps_per_epoch = steps_per_epoch

  def begin(self):
    self.seen = 0

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self.updates)

  def after_run(self, run_context, run_values):
    self.seen += 1
    if self.seen % self.steps_per_epoch == 0:
      values = run_context.session.run(self.values)
      print('epoch %d: %s' % (
          self.seen // self.steps_per_epoch,
          ', '.join('%s %.6f' % item for item in sorted(values.items()))))
      run_context.session.run(self.reset)


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--model_dir', default='embeddings')
  parser.add_argument('--epochs', type=int, default=4)
  parser.add_argument('--batch_size', type=int, default=100)
  args = parser.parse_args()
  people, items, likes = make_ratings()

  person_ids = tf.placeholder(tf.int64, [None])
  item_ids = tf.placeholder(tf.int64, [None])
  liked = tf.placeholder(tf.float32, [None])
  score, person_table = build_score(person_ids, item_ids)
  loss = tf.losses.sigmoid_cross_entropy(liked, score)
  tf.losses.add_loss(0.01 * tf.reduce_mean(tf.square(tf.convert_to_tensor(person_table))))
  total = tf.losses.get_total_loss(add_regularization_losses=False)

  metrics = {
      'accuracy': tf.metrics.accuracy(liked > 0.5, score > 0.0),
      'auc': tf.metrics.auc(liked > 0.5, tf.sigmoid(score), num_thresholds=50),
      'loss': tf.metrics.mean(loss),
  }
  values = {name: pair[0] for name, pair in metrics.items()}
  updates = [metrics[name][1] for name in sorted(metrics)]
  reset = tf.variables_initializer(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES))
  partition = next(iter(person_table))
  print('%s has %d partitions, the first %s' % (
      person_table.name, len(list(person_table)), partition.shape.as_list()))

  step = tf.train.get_or_create_global_step()
  # Metrics and losses are computed from the tables as they were before the update.
  with tf.control_dependencies([total] + updates):
    optimizer = tf.train.AdagradOptimizer(1.0)
    grads = optimizer.compute_gradients(total, gate_gradients=optimizer.GATE_GRAPH)
  sparse = [isinstance(grad, tf.IndexedSlices) for grad, _ in grads]
  print('%d of %d gradients are sparse' % (sum(sparse), len(sparse)))
  train_op = optimizer.apply_gradients(grads, global_step=step)

  steps_per_epoch = len(likes) // args.batch_size
  hooks = [tf.train.StopAtStepHook(num_steps=steps_per_epoch * args.epochs),
           tf.train.CheckpointSaverHook(args.model_dir, save_steps=60),
           MetricsHook(values, updates, reset, steps_per_epoch)]
  with tf.train.SingularMonitoredSession(
      hooks=hooks, checkpoint_dir=args.model_dir) as sess:
    start = sess.run_step_fn(lambda step_context: step_context.session.run(step))
    print('starting at step %d' % start)
    while not sess.should_stop():
      at = (start * args.batch_size) % len(likes)
      batch = slice(at, at + args.batch_size)
      _, start = sess.run([train_op, step], {
          person_ids: people[batch], item_ids: items[batch], liked: likes[batch]})


if __name__ == '__main__':
  main()
