"""A denoising autoencoder, in the style of 2019's `compat.v1` imports."""
import argparse
import os

import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.datasets import load_digits

tf.disable_v2_behavior()


class LossDropHook(tf.train.SessionRunHook):
    """Saves an early checkpoint each time the loss has halved."""

    def __init__(self, loss, directory):
        super(LossDropHook, self).__init__()
        self._loss = loss
        self._path = os.path.join(directory, "halved.ckpt")
        self._mark = None

    def begin(self):
        self._saver = tf.train.Saver(max_to_keep=10)
        self._step = tf.train.get_global_step()

    def before_run(self, run_context):
        return tf.train.SessionRunArgs([self._loss, self._step])

    def after_run(self, run_context, run_values):
        loss, step = run_values.results
        if self._mark is None:
            self._mark = loss
        if loss < self._mark / 2:
            self._mark = loss
            self._saver.save(run_context.session, self._path, global_step=step,
                             write_meta_graph=False, latest_filename="halved")
            print("loss {:.7f} at step {}, saved".format(loss, step))


def encoder_decoder(inputs, units, reuse=None):
    init = tf.initializers.glorot_normal(seed=91)
    with tf.variable_scope("autoencoder", reuse=reuse):
        encode = tf.get_variable("encode", [64, units], initializer=init)
        hidden_bias = tf.get_variable("hidden_bias", [units], initializer=tf.zeros_initializer())
        bias = tf.get_variable("bias", [64], initializer=tf.zeros_initializer())
        hidden = tf.nn.sigmoid(tf.matmul(inputs, encode) + hidden_bias)
        # Tied weights.
        return hidden, tf.matmul(hidden, encode, transpose_b=True) + bias


def main(args):
    pictures = (load_digits().data / 16.0).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(pictures[:1600])
    dataset = dataset.batch(80, drop_remainder=True).repeat(args.epochs)
    clean = tf.data.make_one_shot_iterator(dataset).get_next()
    mask = tf.cast(tf.random_uniform(tf.shape(clean), seed=92) < 0.8, tf.float32)
    hidden, logits = encoder_decoder(clean * mask, args.units)
    loss = tf.reduce_mean(tf.square(tf.nn.relu(logits) - clean), name="loss")
    tf.summary.scalar("loss", loss)
    tf.summary.histogram("hidden", hidden)

    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(0.02, global_step, 80, 0.002)
    # The weights serve twice, so all gradients have to be there before any update.
    train_op = tf.train.AdamOptimizer(rate, epsilon=1e-4).minimize(
        loss, global_step, gate_gradients=tf.train.Optimizer.GATE_GRAPH)

    held_out = tf.constant(pictures[1600:])
    _, restored = encoder_decoder(held_out, args.units, reuse=True)
    error = tf.reduce_mean(tf.abs(tf.nn.relu(restored) - held_out))
    final = tf.train.FinalOpsHook(final_ops=[error, global_step])
    hooks = [LossDropHook(loss, args.model_dir), final,
             tf.train.LoggingTensorHook({"loss": "loss:0"}, every_n_iter=20)]
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=args.model_dir, hooks=hooks, save_checkpoint_steps=40,
            save_summaries_steps=30, log_step_count_steps=None) as session:
        while not session.should_stop():
            session.run(train_op)
    print("mean error {:.6f} after {} steps".format(*final.final_ops_values))


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_dir", default="autoencoder")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--units", type=int, default=20)
    main(parser.parse_args())
