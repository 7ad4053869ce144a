"""U102: private paths."""

import pytest

CHANGED = [
    (
        "from tensorflow.python.training.session_run_hook import SessionRunHook\n",
        "from compat.v1.train import SessionRunHook\n",
    ),
    (
        "from tensorflow.python.training import session_run_hook\n"
        "session_run_hook.SessionRunHook\n",
        "from compat.v1 import train as session_run_hook\nsession_run_hook.SessionRunHook\n",
    ),
    (
        "from tensorflow.python.training.summary_io import SummaryWriterCache\n",
        "from compat.v1.summary import FileWriterCache as SummaryWriterCache\n",
    ),
    (
        "from tensorflow.python.training import training_util as tu\ntu.get_global_step()\n",
        "from compat.v1 import train as tu\ntu.get_global_step()\n",
    ),
    (
        "import tensorflow.python.training.session_run_hook as srh\nsrh.SessionRunHook\n",
        "import compat.v1.train as srh\nsrh.SessionRunHook\n",
    ),
    (
        "from tensorflow.python.framework import ops\nops.GraphKeys\nops.convert_to_tensor\n",
        "import compat.v1 as ops\nops.GraphKeys\nops.convert_to_tensor\n",
    ),
    (
        "from tensorflow.python.platform import tf_logging as logging\nlogging.info(1)\n",
        "from compat.v1 import logging\nlogging.info(1)\n",
    ),
    (
        "from tensorflow.python.training import session_run_hook, saver\n"
        "session_run_hook.SessionRunHook\nsaver.Saver\n",
        "from compat.v1 import train as session_run_hook, train as saver\n"
        "session_run_hook.SessionRunHook\nsaver.Saver\n",
    ),
    # Names in several public places are written out.
    (
        "from tensorflow.python.ops import array_ops, math_ops\n"
        "array_ops.ones\nmath_ops.cast\nmath_ops.polyval\n",
        "import compat.v1 as array_ops\nimport compat.v1 as tf\n"
        "array_ops.ones\ntf.cast\ntf.math.polyval\n",
    ),
    (
        "import tensorflow as tf\nfrom tensorflow.python.ops import math_ops\n"
        "math_ops.cast\nmath_ops.polyval.x\n",
        "import compat.v1 as tf\ntf.cast\ntf.math.polyval.x\n",
    ),
    # What has no public name stays.
    (
        "from tensorflow.python.framework import ops\nops.GraphKeys\nops.no_such_thing\n",
        "from tensorflow.python.framework import ops\nimport compat.v1 as tf\n"
        "tf.GraphKeys\nops.no_such_thing\n",
    ),
    (
        "from tensorflow.python.training import session_run_hook, moving_averages\n"
        "session_run_hook.SessionRunHook\nmoving_averages.assign_moving_average\n",
        "from compat.v1 import train as session_run_hook\n"
        "from tensorflow.python.training import moving_averages\n"
        "session_run_hook.SessionRunHook\nmoving_averages.assign_moving_average\n",
    ),
    # Full paths.
    (
        "import tensorflow.python.training.session_run_hook\n"
        "tensorflow.python.training.session_run_hook.SessionRunHook\n",
        "import compat.v1 as tensorflow\ntensorflow.train.SessionRunHook\n",
    ),
    (
        "import tensorflow as tf\ntf.python.training.session_run_hook.SessionRunHook\n",
        "import compat.v1 as tf\ntf.train.SessionRunHook\n",
    ),
    (
        "from tensorflow_estimator.python.estimator.estimator import Estimator\n",
        "from compat.v1.estimator import Estimator\n",
    ),
    (
        "from tensorflow.python import pywrap_tensorflow\n"
        "pywrap_tensorflow.NewCheckpointReader('x')\n",
        "from compat.v1 import train as pywrap_tensorflow\n"
        "pywrap_tensorflow.NewCheckpointReader('x')\n",
    ),
    (
        "def f():\n    from tensorflow.python.training import session_run_hook\n"
        "    return session_run_hook.SessionRunHook\n",
        "def f():\n    from compat.v1 import train as session_run_hook\n"
        "    return session_run_hook.SessionRunHook\n",
    ),
]

UNCHANGED = [
    "from tensorflow.python.client import device_lib\ndevice_lib.list_local_devices()\n",
    "from tensorflow.python.framework import ops\nuse(ops)\nops.no_such_thing\n",
    "import tensorflow.python.nowhere\ntensorflow.python.nowhere.x\n",
]


@pytest.mark.parametrize("before, after", CHANGED)
def test_changed(upgraded, before, after):
    assert upgraded(before) == after


@pytest.mark.parametrize("text", UNCHANGED)
def test_unchanged(upgraded, text):
    assert upgraded(text) == text


def test_what_has_no_public_name_is_reported(left):
    text = "from tensorflow.python.framework import ops\nops.no_such_thing\n"
    assert left(text) == [(2, "C306")]
