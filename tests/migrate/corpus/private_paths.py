"""Imports from below tensorflow.python."""
import tensorflow.python.training.session_run_hook as srh
from tensorflow.core.framework import summary_pb2  #= tensorflow.core.framework.summary_pb2
from tensorflow.examples.tutorials.mnist import input_data  #! C407 tensorflow.examples.tutorials.mnist.input_data
from tensorflow.python import debug as tf_debug  #! C406 tensorflow.python.debug
from tensorflow.python.client import device_lib, timeline  #= tensorflow.python.client.device_lib #! C204 tensorflow.python.client.timeline
from tensorflow.python.framework import ops
from tensorflow.python.platform import tf_logging as logging
from tensorflow.python.training import basic_session_run_hooks, training_util
from tensorflow.python.training.summary_io import SummaryWriterCache  #= tensorflow.python.training.summary_io.SummaryWriterCache
from tensorflow_estimator.python.estimator import util  #! C306 tensorflow_estimator.python.estimator.util

srh.SessionRunHook  #= tensorflow.python.training.session_run_hook.SessionRunHook
basic_session_run_hooks.StopAtStepHook  #= tensorflow.python.training.basic_session_run_hooks.StopAtStepHook
basic_session_run_hooks._as_graph_element  #! C306 tensorflow.python.training.basic_session_run_hooks._as_graph_element
training_util.get_global_step()  #= tensorflow.python.training.training_util.get_global_step
ops.GraphKeys.LOSSES  #= tensorflow.python.framework.ops.GraphKeys.LOSSES
ops.no_such_thing  #! C306 tensorflow.python.framework.ops.no_such_thing
logging.info("x")  #= tensorflow.python.platform.tf_logging.info
timeline.Timeline  #! C204 tensorflow.python.client.timeline.Timeline
tf_debug.LocalCLIDebugHook()  #! C406 tensorflow.python.debug.LocalCLIDebugHook
util.foo  #! C306 tensorflow_estimator.python.estimator.util.foo
