"""Flags that training and evaluation share."""
import tensorflow as tf

flags = tf.app.flags

flags.DEFINE_string('base_dir', 'project', 'Parent of checkpoints and summaries.')
flags.DEFINE_enum('optimizer', 'adam', ['sgd', 'adam'], 'Which optimizer to use.')
flags.DEFINE_list('hidden', ['32', '16'], 'Sizes of the hidden layers.')
flags.DEFINE_float('learning_rate', 0.01, 'Initial learning rate.')
flags.DEFINE_bool('shuffle', True, 'Whether to shuffle the training data.')

FLAGS = flags.FLAGS


def hidden_sizes():
  return [int(size) for size in FLAGS.hidden]
