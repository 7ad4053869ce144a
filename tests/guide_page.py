"""Runs the Python blocks of one page of the guide: `guide_page.py PAGE`.

The blocks run in order, in the current directory, each in a namespace of its own that
starts with what an example leaves to the reader. Exit status 1 names the blocks that failed.
"""

import os
import pathlib
import re
import sys
import traceback

#: What an example leaves to the reader.
SETUP = """
import keras, numpy as np
keras.utils.clear_session()
keras.utils.set_random_seed(1)
x, y = np.random.rand(64, 4).astype("float32"), np.random.rand(64, 1).astype("float32")
model = keras.Sequential([
    keras.Input((4,), name="features"),
    keras.layers.Dense(8, "relu", name="hidden"),
    keras.layers.Dense(1, name="head"),
])
model.compile("sgd", "mse", metrics=["mae"])

import compat.v1 as tf1

def input_fn():
    features = {"x": np.ones((2, 4), "float32")}
    return tf1.data.Dataset.from_tensors((features, np.zeros(2, "int64"))).repeat()

def model_fn(features, labels, mode):
    logits = tf1.layers.dense(features["x"], 2)
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
"""


def python_blocks(page):
    """The Python blocks of a page, in order."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def run(page):
    """Runs the blocks; returns the numbers of those that failed."""
    failed, blocks = [], python_blocks(page)
    if not blocks:
        return failed
    from compat.v1 import graph_mode

    for number, code in enumerate(blocks):
        path = pathlib.Path(f"block_{number}.py").resolve()
        path.write_text(code, "utf-8")  # AutoGraph reads the source of functions.
        namespace = {"__name__": "__main__", "__file__": str(path)}
        exec(compile(SETUP, "setup", "exec"), namespace)
        try:
            exec(compile(code, str(path), "exec"), namespace)
        except Exception:
            print(f"{page.name}, Python block {number} (from 0):", file=sys.stderr)
            traceback.print_exc()
            failed.append(number)
        graph_mode.leave()
        graph_mode.v1.summary.FileWriterCache.clear()
    return failed


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    sys.exit(bool(run(pathlib.Path(sys.argv[1]))))
