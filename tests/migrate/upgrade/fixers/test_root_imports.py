"""U101: imports of TensorFlow's API."""

import pytest

CHANGED = [
    ("import tensorflow as tf\n", "import compat.v1 as tf\n"),
    ("import tensorflow\n", "import compat.v1 as tensorflow\n"),
    ("import tensorflow.compat.v1 as tf\n", "import compat.v1 as tf\n"),
    ("import tensorflow.compat.v1\n", "import compat.v1 as tensorflow\n"),
    ("import tensorflow.keras.backend as K\n", "import compat.v1.keras.backend as K\n"),
    ("import tensorflow.train\n", "import compat.v1 as tensorflow\n"),
    ("import os, tensorflow as tf, sys\n", "import os, compat.v1 as tf, sys\n"),
    ("import os; import tensorflow as tf\n", "import os; import compat.v1 as tf\n"),
    ("import tensorflow as tf  # keep\n", "import compat.v1 as tf  # keep\n"),
    ("import  tensorflow  as  tf\n", "import  compat.v1  as  tf\n"),
    ("from tensorflow import train\n", "from compat.v1 import train\n"),
    ("from tensorflow import train as t\n", "from compat.v1 import train as t\n"),
    ("from tensorflow.train import Saver\n", "from compat.v1.train import Saver\n"),
    (
        "from tensorflow.train import (\n    Saver,  # one\n    Scaffold as S,\n)\n",
        "from compat.v1.train import (\n    Saver,  # one\n    Scaffold as S,\n)\n",
    ),
    ("from tensorflow.compat import v1 as tf\n", "import compat.v1 as tf\n"),
    ("from tensorflow.compat import v1\n", "import compat.v1 as v1\n"),
    ("from tensorflow.compat.v1 import train\n", "from compat.v1 import train\n"),
    ("from tensorflow.compat.v1.train import Saver\n", "from compat.v1.train import Saver\n"),
    (
        "from tensorflow.keras.layers import Dense\n",
        "from compat.v1.keras.layers import Dense\n",
    ),
    ("from tensorflow import *\n", "from compat.v1 import *\n"),
    ("from tensorflow.train import *\n", "from compat.v1.train import *\n"),
    (
        "import tensorflow_estimator as tfe\n",
        "import compat.v1 as tfe\n",
    ),
    (
        "from tensorflow_estimator.estimator import Estimator\n",
        "from compat.v1.estimator import Estimator\n",
    ),
    (
        "def f():\n    import tensorflow as tf\n    return tf\n",
        "def f():\n    import compat.v1 as tf\n    return tf\n",
    ),
    (
        "try:\n    import tensorflow.compat.v1 as tf\n"
        "except ImportError:\n    import tensorflow as tf\ntf.constant\n",
        "try:\n    import compat.v1 as tf\n"
        "except ImportError:\n    import compat.v1 as tf\ntf.constant\n",
    ),
    ("if x: import tensorflow as tf\n", "if x: import compat.v1 as tf\n"),
    (
        "import tensorflow as tf\r\nx = 1\r\n",
        "import compat.v1 as tf\r\nx = 1\r\n",
    ),
    ("\ufeffimport tensorflow as tf\n", "\ufeffimport compat.v1 as tf\n"),
]

UNCHANGED = [
    "import numpy as np\n",
    "import tensorflowjs\n",
    "from . import tensorflow\n",
    "import compat.v1 as tf\ntf.constant(1)\n",
    "import tensorflow.compat.v2 as tf2\ntf2.constant(1)\n",
    "from tensorflow.compat.v2 import summary\n",
    "from tensorflow.core.framework import summary_pb2\n",
    "from tensorflow.python.client import timeline\n",
    "text = 'import tensorflow as tf'\n",
    "# import tensorflow as tf\n",
    "import tensorflow as tf  # compat: ignore[U101]\n",
]


@pytest.mark.parametrize("before, after", CHANGED)
def test_changed(upgraded, before, after):
    assert upgraded(before) == after


@pytest.mark.parametrize("text", UNCHANGED)
def test_unchanged(upgraded, text):
    assert upgraded(text) == text


def test_uses_stay_as_they_are(upgraded):
    uses = "tf.train.SessionRunHook\ntf.estimator.SessionRunHook\nx = tf.constant( 1 )\n"
    assert upgraded(f"import tensorflow as tf\n{uses}") == f"import compat.v1 as tf\n{uses}"
