"""`python -m compat run`: what a script sees, and what its caller sees of it."""

import json
import os
import subprocess
import sys

import pytest

MODULE = [sys.executable, "-m", "compat"]
#: The installed command, which a code base's own `compat` can't come before.
COMMAND = [os.path.join(os.path.dirname(sys.executable), "tf-compat")]


def run(folder, *arguments, program=MODULE, **settings):
    return subprocess.run(
        [*program, "run", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        **settings,
    )


def write(folder, **files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


TRAIN = """\
import sys
import tensorflow as tf
from helpers.steps import count

def main(_):
    step = tf.train.get_or_create_global_step()
    counted = count(step)
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=3)]) as sess:
        while not sess.should_stop():
            last = sess.run(counted)
    print("steps", last, __name__, sys.argv[1:], tf.app.flags.FLAGS.rate)

tf.app.flags.DEFINE_float("rate", 0.5, "rate")
if __name__ == "__main__":
    tf.app.run()
"""
STEPS = "import tensorflow as tf\ndef count(step):\n    return tf.assign_add(step, 1)\n"


@pytest.mark.parametrize("how", [["train.py"], ["-m", "train"], ["./"]])
def test_script_module_and_folder(tmp_path, how):
    main = "__main__.py" if how == ["./"] else "train.py"
    write(tmp_path, **{main: TRAIN, "helpers/__init__.py": "", "helpers/steps.py": STEPS})
    done = run(tmp_path, *how, "--rate=0.25", "more")
    assert done.returncode == 0, done.stderr
    assert "steps 3 __main__ ['--rate=0.25', 'more'] 0.25" in done.stdout


def test_exit_code_of_the_script_is_kept(tmp_path):
    write(tmp_path, **{"leaves.py": "import sys, tensorflow as tf\nsys.exit(7)\n"})
    assert run(tmp_path, "leaves.py").returncode == 7


def test_traceback_shows_the_scripts_own_lines_only(tmp_path):
    write(tmp_path, **{"fails.py": "import tensorflow as tf\n\n\ntf.train.nothing_of_that_name\n"})
    done = run(tmp_path, "fails.py")
    assert done.returncode == 1
    assert 'fails.py", line 4, in <module>' in done.stderr
    assert "migrate" not in done.stderr


@pytest.mark.parametrize("text", ["print 'Python 2'\n", "def f(:\n", "# -*- coding: none -*-\n"])
def test_what_is_no_python_3_exits_with_2(tmp_path, text):
    write(tmp_path, **{"old.py": text})
    done = run(tmp_path, "old.py")
    assert done.returncode == 2
    assert "old.py" in done.stderr


def test_a_missing_script_exits_with_2(tmp_path):
    done = run(tmp_path, "nowhere.py")
    assert done.returncode == 2
    assert "nowhere.py" in done.stderr


OWN_COMPAT = """\
import compat
from compat import as_text
import tensorflow as tf
print(compat.MARK, as_text("x"), tf.train.MonitoredSession.__module__)
"""


def test_a_code_bases_own_compat_stays_its_own(tmp_path):
    write(
        tmp_path,
        **{
            "train.py": OWN_COMPAT,
            "compat.py": "MARK = 'own'\ndef as_text(x):\n    return 'own ' + x\n",
        },
    )
    done = run(tmp_path, "train.py", program=COMMAND)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("own own x compat.sessions")


WORKERS = """\
import multiprocessing
import tensorflow as tf

def square(x):
    with tf.Session(graph=tf.Graph()) as sess:
        with sess.graph.as_default():
            return int(sess.run(tf.square(x)))

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    with multiprocessing.Pool(1) as pool:
        print(pool.map(square, [2, 3]))
"""


def test_child_processes_see_the_same_tensorflow(tmp_path):
    write(tmp_path, **{"workers.py": WORKERS})
    done = run(tmp_path, "workers.py", timeout=200)
    assert done.returncode == 0, done.stderr
    assert "[4, 9]" in done.stdout


BESIDE_KERAS_3 = """\
import tensorflow as tf
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 2])
y = tf.reduce_sum(x)
import keras
import numpy as np
with tf.Session() as sess:
    print("graph", sess.run(y, {x: [[1, 2]]}))
import tensorflow.compat.v2 as tf2
with tf.init_scope():
    pass
print("keras", keras.__version__[0])
"""


def test_keras_3_is_there_beside_a_default_graph(tmp_path):
    write(tmp_path, **{"both.py": BESIDE_KERAS_3})
    done = run(tmp_path, "both.py")
    assert done.returncode == 0, done.stderr
    assert "graph 3.0" in done.stdout and "keras 3" in done.stdout


BY_STRING = """
import importlib
import importlib.util
import importlib.machinery as machinery, importlib as another
from importlib import import_module, reload

tf = importlib.import_module("tensorflow")
assert tf is import_module("tensorflow") is another.import_module("tensorflow")
assert tf.placeholder is __import__("tensorflow").placeholder
cells = importlib.import_module("tensorflow.python.ops.rnn_cell")
assert cells.LSTMCell is tf.nn.rnn_cell.LSTMCell
assert importlib.util.find_spec("json") and machinery.SourceFileLoader
assert import_module(".abc", "collections").__name__ == "collections.abc"
assert importlib.import_module("helper").tf is tf
try:
    importlib.import_module("tensorflow.examples.tutorials")
except ImportError as error:
    print(error)
"""


def test_modules_imported_by_a_string(tmp_path):
    helper = "import importlib\ntf = importlib.import_module('tensorflow')\n"
    write(tmp_path, **{"train.py": BY_STRING, "helper.py": helper})
    done = run(tmp_path, "train.py")
    assert done.returncode == 0, done.stderr
    assert "tensorflow.examples.tutorials" in done.stdout


def notebook(*cells):
    cells = [
        {
            "cell_type": "code",
            "source": cell.splitlines(keepends=True),
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        for cell in cells
    ]
    text = {"cell_type": "markdown", "source": ["# A title"], "metadata": {}}
    return json.dumps({"cells": [text, *cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def test_a_notebook_runs_like_a_script(tmp_path):
    cells = (
        "%matplotlib inline\nimport tensorflow as tf\nstep = tf.train.get_or_create_global_step()",
        "%%bash\necho not python",
        "!ls\ncounted = tf.assign_add(step, 1)\n"
        "with tf.train.SingularMonitoredSession() as sess:\n    display(sess.run(counted))",
    )
    write(tmp_path, **{"train.ipynb": notebook(*cells)})
    done = run(tmp_path, "train.ipynb")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1"


def test_an_error_in_a_notebook_names_its_cell_and_line(tmp_path):
    write(tmp_path, **{"fails.ipynb": notebook("import tensorflow as tf", "x = 1\nx / 0")})
    done = run(tmp_path, "fails.ipynb")
    assert done.returncode == 1
    assert 'fails.ipynb, cell 3", line 2' in done.stderr
    assert "x / 0" in done.stderr


@pytest.mark.parametrize("text", ["{", '{"cells": 1}', notebook("print 'old'")])
def test_what_is_no_notebook_exits_with_2(tmp_path, text):
    write(tmp_path, **{"old.ipynb": text})
    done = run(tmp_path, "old.ipynb")
    assert done.returncode == 2
    assert "old.ipynb" in done.stderr
