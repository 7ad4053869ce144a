"""Softmax on handwritten digits, fed from NumPy."""
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

tf.logging.set_verbosity(tf.logging.ERROR)


class StepCounter(tf.train.SessionRunHook):
    """Counts the steps."""

    def begin(self):
        self.steps = 0

    def after_run(self, run_context, run_values):
        self.steps += 1

    def end(self, session):
        print("steps", self.steps)


def accuracy_of(logits, labels):
    """Share of right answers."""
    right = tf.equal(tf.argmax(logits, 1), labels)
    return tf.reduce_mean(tf.cast(right, tf.float32))


def main():
    digits = load_digits()
    rng = np.random.RandomState(0)
    # Inputs.
    x = tf.placeholder(tf.float32, [None, 64], name="x")
    y = tf.placeholder(tf.int64, [None], name="y")
    # Model.
    w = tf.get_variable("w", [64, 10], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=3))
    b = tf.get_variable("b", [10], initializer=tf.zeros_initializer())
    logits = tf.matmul(x / 16.0, w) + b  # scaled to 0…1
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    accuracy = accuracy_of(logits, y)
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    train_op = optimizer.minimize(loss, global_step=step)
    with tf.train.MonitoredTrainingSession(
        hooks=[StepCounter(), tf.train.NanTensorHook(loss), tf.train.StopAtStepHook(last_step=30)],
    ) as sess:
        while not sess.should_stop():
            batch = rng.randint(0, 1500, 64)
            # One step.
            _, value, right = sess.run(
                [train_op, loss, accuracy],
                feed_dict={x: digits.data[batch], y: digits.target[batch]},
            )
            print("%.6f %.4f" % (value, right))


if __name__ == "__main__":
    main()
