"""A small network on handwritten digits, fed from a dataset until it ends."""
import tensorflow as tf
from sklearn.datasets import load_digits

tf.logging.set_verbosity(tf.logging.ERROR)


def main(_):
    digits = load_digits()
    data = ((digits.data[:1024] / 16.0).astype("float32"), digits.target[:1024].astype("int32"))
    dataset = tf.data.Dataset.from_tensor_slices(data).repeat(2).batch(64)
    images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    hidden_w = tf.Variable(tf.truncated_normal([64, 32], stddev=0.1, seed=1))
    hidden_b = tf.Variable(tf.zeros([32]))
    out_w = tf.Variable(tf.truncated_normal([32, 10], stddev=0.1, seed=2))
    hidden = tf.nn.relu(tf.matmul(images, hidden_w) + hidden_b)
    logits = tf.matmul(hidden, out_w)
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(cross_entropy)
    train_op = tf.train.AdamOptimizer(0.01).minimize(
        loss, global_step=tf.train.get_or_create_global_step()
    )
    hooks = [tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=10)]
    with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
        while not sess.should_stop():
            _, value = sess.run([train_op, loss])
            print("%.6f" % value)


if __name__ == "__main__":
    tf.app.run()
