from . import Derived, slim, tf  #! C403 tf.contrib.slim
from .. import common

slim.conv2d  #! C403 tf.contrib.slim.conv2d
tf.train.Server({})  #! C401 tf.train.Server
common.tf.contrib.training  #! C403 tf.contrib.training


class Deepest(Derived):
    def after_run(self, run_context, run_values):
        pass
