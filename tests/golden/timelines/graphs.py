"""Graphs whose timelines are compared between TensorFlow 1.15 and this package.

Every builder takes the TF1 namespace, builds in the default graph and returns a
`Case`. The module runs under Python 3.7 with TensorFlow 1.15 and under TensorFlow 2.
"""

import collections

import numpy as np

#: What to run: `prepare` runs once and before (initializers, queue fills), then `fetches`.
Case = collections.namedtuple("Case", "prepare fetches feeds")


def _variable(tf, name, shape, resource):
    initial = np.random.RandomState(len(name)).normal(0.0, 0.1, shape).astype("float32")
    return tf.get_variable(name, initializer=initial, use_resource=resource)


def _descend(tf, loss, step):
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


def _step(tf, resource):
    return tf.get_variable(
        "global_step",
        shape=[],
        dtype=tf.int64,
        initializer=tf.zeros_initializer(),
        trainable=False,
        use_resource=resource,
        collections=[tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.GLOBAL_STEP],
    )


def matmul(tf, resource=True):
    """A fully connected layer and a gradient-descent step."""
    x = tf.placeholder(tf.float32, [64, 256], name="x")
    hidden = tf.nn.relu(tf.matmul(x, _variable(tf, "kernel", [256, 128], resource)), name="hidden")
    loss = tf.reduce_mean(tf.square(hidden), name="loss")
    train = _descend(tf, loss, _step(tf, resource))
    batch = np.random.RandomState(0).normal(size=[64, 256]).astype("float32")
    return Case([tf.global_variables_initializer()], [train, loss], {x: batch})


def matmul_ref(tf):
    """The same with reference variables, the default of TF1 scripts."""
    return matmul(tf, resource=False)


def conv(tf):
    """Two convolutions, pooling, a classifier and a gradient-descent step."""
    x = tf.placeholder(tf.float32, [8, 16, 16, 3], name="image")
    y = tf.placeholder(tf.int64, [8], name="label")
    h = tf.nn.relu(
        tf.nn.bias_add(
            tf.nn.conv2d(x, _variable(tf, "conv1", [3, 3, 3, 8], True), [1, 1, 1, 1], "SAME"),
            _variable(tf, "bias1", [8], True),
        )
    )
    h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    h = tf.nn.relu(
        tf.nn.conv2d(h, _variable(tf, "conv2", [3, 3, 8, 16], True), [1, 1, 1, 1], "SAME")
    )
    logits = tf.matmul(tf.reshape(h, [8, 8 * 8 * 16]), _variable(tf, "dense", [1024, 10], True))
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name="loss"
    )
    train = _descend(tf, loss, _step(tf, True))
    random = np.random.RandomState(0)
    feeds = {
        x: random.normal(size=[8, 16, 16, 3]).astype("float32"),
        y: random.randint(0, 10, [8]),
    }
    return Case([tf.global_variables_initializer()], [train, loss], feeds)


def rnn(tf):
    """A recurrent network unrolled by a while loop, and its gradient."""
    x = tf.placeholder(tf.float32, [5, 8, 16], name="sequence")
    kernel = _variable(tf, "recurrent", [32, 16], True)
    read = tf.identity(kernel, name="recurrent_read")

    def body(i, state):
        together = tf.concat([x[i], state], axis=1)
        return i + 1, tf.tanh(tf.matmul(together, read))

    _, last = tf.while_loop(lambda i, state: i < 5, body, [tf.constant(0), tf.zeros([8, 16])])
    loss = tf.reduce_mean(tf.square(last), name="loss")
    train = _descend(tf, loss, _step(tf, True))
    sequence = np.random.RandomState(0).normal(size=[5, 8, 16]).astype("float32")
    return Case([tf.global_variables_initializer()], [train, loss], {x: sequence})


def dataset(tf):
    """A step fed by a mapped, batched and prefetched dataset."""
    numbers = tf.data.Dataset.from_tensor_slices(np.arange(64, dtype="float32"))
    numbers = numbers.repeat().map(lambda v: v / 2.0).batch(8, drop_remainder=True).prefetch(1)
    iterator = tf.data.make_initializable_iterator(numbers)
    x = tf.reshape(iterator.get_next(), [8, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, _variable(tf, "w", [1, 4], True))), name="loss")
    train = _descend(tf, loss, _step(tf, True))
    return Case([tf.global_variables_initializer(), iterator.initializer], [train, loss], {})


def queue(tf):
    """A step fed by a queue, filled beforehand."""
    values = tf.FIFOQueue(16, [tf.float32], shapes=[[4]], name="values")
    filled = values.enqueue_many([np.ones([16, 4], "float32")], name="fill")
    x = values.dequeue_many(2, name="take")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, _variable(tf, "w", [4, 4], True))), name="loss")
    train = _descend(tf, loss, _step(tf, True))
    return Case([tf.global_variables_initializer(), filled], [train, loss], {})


#: Every case by name.
CASES = {build.__name__: build for build in (matmul, matmul_ref, conv, rnn, dataset, queue)}
