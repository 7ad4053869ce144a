"""Trains the model of the digits project.

  python train.py --base_dir=project --optimizer=adam --hidden=32,16
"""
import os

import tensorflow as tf

from digits_lib import data, hooks, model
from digits_lib.config import FLAGS

tf.app.flags.DEFINE_integer('num_steps', 100, 'Number of training steps.')
tf.app.flags.DEFINE_integer('batch_size', 100, 'Size of minibatches.')


def main(argv):
  if len(argv) > 1:
    raise tf.app.UsageError('Unexpected arguments: %s' % ' '.join(argv[1:]))
  checkpoint_dir = os.path.join(FLAGS.base_dir, 'checkpoints')
  features, labels = data.input_fn('train', FLAGS.batch_size)
  spec = model.model_fn(features, labels, training=True)
  session_hooks = [
      tf.train.StopAtStepHook(last_step=FLAGS.num_steps),
      hooks.LossHistoryHook(
          spec.loss, os.path.join(FLAGS.base_dir, 'losses.csv'), print_every=20),
      hooks.StopOnPlateauHook(spec.loss, patience=10, min_delta=1e-3),
  ]
  with tf.train.MonitoredTrainingSession(
      checkpoint_dir=checkpoint_dir, save_checkpoint_steps=50,
      summary_dir=os.path.join(FLAGS.base_dir, 'summaries'), save_summaries_steps=50,
      hooks=session_hooks) as sess:
    while not sess.should_stop():
      sess.run(spec.train_op)
  tf.logging.info('trained with optimizer = %s', FLAGS.optimizer)


if __name__ == '__main__':
  tf.logging.set_verbosity(tf.logging.INFO)
  tf.app.run(main)
