"""Every way to import TensorFlow."""
from __future__ import print_function

import tensorflow
import tensorflow as tf
import tensorflow.compat.v1
import tensorflow.compat.v1 as tf1
import tensorflow.contrib.slim  #! C403 tf.contrib.slim
import tensorflow.contrib.layers as layers  #! C403 tf.contrib.layers
import tensorflow.keras.backend as K
import tensorflow_estimator as tfe
import tensorflow_core as core
from tensorflow import contrib  #! C403 tf.contrib
from tensorflow import train, gfile as files
from tensorflow.compat import v1
from tensorflow.compat.v1 import train as train_v1
from tensorflow.contrib import training, rnn  #! C403 tf.contrib.training, C403 tf.contrib.rnn
from tensorflow.contrib.framework import arg_scope  #! C403 tf.contrib.framework.arg_scope
from tensorflow.contrib.rnn import LSTMCell  #= tf.contrib.rnn.LSTMCell
from tensorflow.train import (
    SessionRunHook,  #= tf.train.SessionRunHook
    Server,  #! C401 tf.train.Server
)

tensorflow.train.Server({})  #! C401 tf.train.Server
tensorflow.compat.v1.train.Server({})  #! C401 tf.train.Server
tensorflow.contrib.slim.conv2d  #! C403 tf.contrib.slim.conv2d
tf.train.Server({})  #! C401 tf.train.Server
tf.compat.v1.train.Server({})  #! C401 tf.train.Server
tf1.train.Server({})  #! C401 tf.train.Server
layers.batch_norm  #! C403 tf.contrib.layers.batch_norm
K.clear_session()  #! C206 tf.keras.backend.clear_session
tfe.estimator.DNNClassifier  #= tf.estimator.DNNClassifier
tfe.estimator.Head  #! C404 tf.estimator.Head
core.train.Server({})  #! C401 tf.train.Server
contrib.slim.conv2d  #! C403 tf.contrib.slim.conv2d
train.Server({})  #! C401 tf.train.Server
files.GFile("x")  #= tf.gfile.GFile
v1.train.Server({})  #! C401 tf.train.Server
train_v1.Server({})  #! C401 tf.train.Server
training.HParams()  #! C403 tf.contrib.training.HParams
rnn.LSTMCell(4)  #= tf.contrib.rnn.LSTMCell
arg_scope([])  #! C403 tf.contrib.framework.arg_scope
LSTMCell(4)  #= tf.contrib.rnn.LSTMCell
Server({})  #! C401 tf.train.Server


def local():
    import tensorflow as inner
    from tensorflow.train import replica_device_setter as setter  #! C401 tf.train.replica_device_setter

    inner.train.Server({})  #! C401 tf.train.Server
    return setter()  #! C401 tf.train.replica_device_setter


class Holder(SessionRunHook):  #= tf.train.SessionRunHook
    import tensorflow as tensorflow_in_class

    server = tensorflow_in_class.train.Server({})  #! C401 tf.train.Server
