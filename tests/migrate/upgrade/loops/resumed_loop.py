"""Linear regression on digits that continues from its last checkpoint."""
import sys

import tensorflow.compat.v1 as tf
from sklearn.datasets import load_digits

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

digits = load_digits()
data = ((digits.data[:256] / 16.0).astype("float32"), digits.target[:256].astype("float32"))
dataset = tf.data.Dataset.from_tensor_slices(data).repeat().batch(32)
iterator = dataset.make_one_shot_iterator()
x, y = iterator.get_next()
global_step = tf.train.get_or_create_global_step()
w = tf.get_variable("w", [64], initializer=tf.zeros_initializer())
error = tf.reduce_sum(x * w, axis=1) - y
loss = tf.reduce_mean(tf.square(error))
optimizer = tf.train.AdamOptimizer(0.01)
train_op = optimizer.minimize(loss, global_step=global_step)

with tf.train.MonitoredTrainingSession(
    checkpoint_dir=sys.argv[1],
    hooks=[tf.train.StopAtStepHook(num_steps=8)],
    save_checkpoint_steps=4,
    log_step_count_steps=0,
) as sess:
    while not sess.should_stop():
        value, _, step = sess.run([loss, train_op, global_step])
        print("%d %.6f" % (step, value))
