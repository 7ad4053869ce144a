"""Names that lead to TensorFlow in roundabout ways."""
import importlib

import tensorflow as tf

slim = tf.contrib.slim  #! C403 tf.contrib.slim
train = tf.train
a, (b, c) = tf.nn, (tf.contrib, tf.layers)  #! C403 tf.contrib
lazy = importlib.import_module("tensorflow.contrib.training")
other = LazyLoader("other", globals(), "tensorflow.contrib.slim")
v1 = tf.compat.v1 if hasattr(tf, "compat") else tf
Base = getattr(tf.train, "Server")  #! C401 tf.train.Server
fallback = getattr(tf, "contrib", None)  #! C403 tf.contrib
maybe = v1.train or train

slim.conv2d  #! C403 tf.contrib.slim.conv2d
train.Server({})  #! C401 tf.train.Server
b.rnn.static_rnn  #= tf.contrib.rnn.static_rnn
c.dense  #= tf.layers.dense
a.relu  #= tf.nn.relu
lazy.HParams()  #! C403 tf.contrib.training.HParams
other.conv2d  #! C403 tf.contrib.slim.conv2d
v1.Session()  #! C201 tf.Session
Base({})  #! C401 tf.train.Server
maybe.Server({})  #! C401 tf.train.Server
if (late := tf.train) and late.Server:  #! C401 tf.train.Server
    pass
values = [slim.conv2d for _ in range(3)]  #! C403 tf.contrib.slim.conv2d
text = f"{tf.train.Server}"  #! C401 tf.train.Server
tf.flags.FLAGS.worker = 1  #= tf.flags.FLAGS
tf.train.Server.target = None  #! C401 tf.train.Server


def use(scope=slim.arg_scope):  #! C403 tf.contrib.slim.arg_scope
    global tfx
    import tensorflow as tfx

    local = train
    return lambda: local.Server({})  #! C401 tf.train.Server


def later():
    return tfx.train.Server({})  #! C401 tf.train.Server


try:
    import tensorflow.compat.v1 as versioned
except ImportError:
    import tensorflow as versioned

versioned.train.Server({})  #! C401 tf.train.Server

try:
    import tensorflow as optional
except ImportError:
    optional = None

if optional:
    optional.Session()  #! C201 tf.Session

tf = tf.compat.v1
tf.train.Server({})  #! C401 tf.train.Server
