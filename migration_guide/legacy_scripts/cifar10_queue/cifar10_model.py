"""Input pipeline and network of the CIFAR-10 example."""
import os

import tensorflow as tf

import cifar10_data

IMAGE_SIZE = 24
NUM_CLASSES = 10
MOVING_AVERAGE_DECAY = 0.99
STEPS_PER_DECAY = 20


class CIFAR10Record(object):
  pass


def read_cifar10(filename_queue):
  """Reads one record; the queue holds file names."""
  result = CIFAR10Record()
  image_bytes = 32 * 32 * 3
  reader = tf.FixedLengthRecordReader(record_bytes=1 + image_bytes)
  result.key, value = reader.read(filename_queue)
  record = tf.decode_raw(value, tf.uint8)
  result.label = tf.cast(tf.strided_slice(record, [0], [1]), tf.int32)
  depth_major = tf.reshape(
      tf.strided_slice(record, [1], [1 + image_bytes]), [3, 32, 32])
  result.uint8image = tf.transpose(depth_major, [1, 2, 0])
  return result


def distorted_inputs(data_dir, batch_size):
  filenames = [os.path.join(data_dir, name) for name in cifar10_data.TRAIN_FILES]
  for f in filenames:
    if not tf.gfile.Exists(f):
      raise ValueError('Failed to find file: ' + f)
  with tf.name_scope('data_augmentation'):
    filename_queue = tf.train.string_input_producer(filenames, shuffle=False)
    read_input = read_cifar10(filename_queue)
    image = tf.cast(read_input.uint8image, tf.float32)
    image = tf.random_crop(image, [IMAGE_SIZE, IMAGE_SIZE, 3], seed=21)
    image = tf.image.random_brightness(image, max_delta=40, seed=22)
    image = tf.image.random_contrast(image, lower=0.6, upper=1.4, seed=23)
    image = tf.image.per_image_standardization(image)
    image.set_shape([IMAGE_SIZE, IMAGE_SIZE, 3])
    read_input.label.set_shape([1])
    # One thread: the order of the examples stays the order of the files.
    images, labels = tf.train.batch(
        [image, read_input.label], batch_size=batch_size, num_threads=1,
        capacity=4 * batch_size)
  tf.summary.image('images', images, max_outputs=2)
  return images, tf.reshape(labels, [batch_size])


def _activation_summary(x):
  tf.summary.histogram(x.op.name + '/activations', x)
  tf.summary.scalar(x.op.name + '/sparsity', tf.nn.zero_fraction(x))


def _variable_with_weight_decay(name, shape, stddev, wd, seed):
  var = tf.get_variable(
      name, shape,
      initializer=tf.truncated_normal_initializer(stddev=stddev, seed=seed))
  if wd:
    tf.add_to_collection(
        'losses', tf.multiply(tf.nn.l2_loss(var), wd, name='weight_loss'))
  return var


def inference(images):
  with tf.variable_scope('conv1') as scope:
    kernel = _variable_with_weight_decay(
        'weights', [5, 5, 3, 16], stddev=5e-2, wd=0.0, seed=31)
    conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding='SAME')
    biases = tf.get_variable('biases', [16], initializer=tf.constant_initializer(0.0))
    conv1 = tf.nn.relu(conv + biases, name=scope.name)
    _activation_summary(conv1)
  pool1 = tf.nn.max_pool(
      conv1, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='SAME', name='pool1')
  norm1 = tf.nn.lrn(pool1, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name='norm1')

  with tf.variable_scope('local2') as scope:
    reshape = tf.reshape(norm1, [images.get_shape().as_list()[0], -1])
    dim = reshape.get_shape()[1].value
    weights = _variable_with_weight_decay(
        'weights', [dim, 48], stddev=0.04, wd=0.004, seed=32)
    biases = tf.get_variable('biases', [48], initializer=tf.constant_initializer(0.1))
    local2 = tf.nn.relu(tf.matmul(reshape, weights) + biases, name=scope.name)
    _activation_summary(local2)

  with tf.variable_scope('softmax_linear') as scope:
    weights = _variable_with_weight_decay(
        'weights', [48, NUM_CLASSES], stddev=1 / 48.0, wd=0.0, seed=33)
    biases = tf.get_variable(
        'biases', [NUM_CLASSES], initializer=tf.constant_initializer(0.0))
    return tf.add(tf.matmul(local2, weights), biases, name=scope.name)


def loss(logits, labels):
  cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
      labels=tf.cast(labels, tf.int64), logits=logits, name='cross_entropy_per_example')
  tf.add_to_collection('losses', tf.reduce_mean(cross_entropy, name='cross_entropy'))
  return tf.add_n(tf.get_collection('losses'), name='total_loss')


def train(total_loss, global_step):
  lr = tf.train.exponential_decay(
      0.05, global_step, STEPS_PER_DECAY, 0.5, staircase=True)
  tf.summary.scalar('learning_rate', lr)

  losses = tf.get_collection('losses')
  loss_averages = tf.train.ExponentialMovingAverage(0.9, name='avg')
  loss_averages_op = loss_averages.apply(losses + [total_loss])
  for l in losses + [total_loss]:
    tf.summary.scalar(l.op.name + '_raw', l)

  with tf.control_dependencies([loss_averages_op]):
    opt = tf.train.GradientDescentOptimizer(lr)
    grads = opt.compute_gradients(total_loss)
  apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
  for grad, var in grads:
    if grad is not None:
      tf.summary.histogram(var.op.name + '/gradients', grad)

  variable_averages = tf.train.ExponentialMovingAverage(
      MOVING_AVERAGE_DECAY, global_step)
  with tf.control_dependencies([apply_gradient_op]):
    return variable_averages.apply(tf.trainable_variables())
