"""Threads that a TF1 script starts."""

import subprocess
import sys
import threading

import keras
import numpy as np
import pytest
import tensorflow as tf

from compat import v1


def in_thread(work):
    """What a function returns in a new thread."""
    found = []

    def run():
        try:
            found.append(work())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]


@pytest.fixture
def session():
    step = v1.train.get_or_create_global_step()
    weight = v1.Variable(2.0, name="weight")
    session = v1.Session()
    session.run(v1.global_variables_initializer())
    session.step, session.weight = step, weight
    yield session
    session.close()


def test_a_checkpoint_is_saved_and_restored_in_a_thread(session, tmp_path):
    saver, path = v1.train.Saver(), str(tmp_path / "model")
    assert in_thread(lambda: saver.save(session, path, global_step=session.step)) == f"{path}-0"
    in_thread(lambda: session.weight.load(3.0, session))
    assert in_thread(lambda: session.weight.eval(session)) == 3.0
    in_thread(lambda: saver.restore(session, f"{path}-0"))
    assert session.run(session.weight) == 2.0


def test_a_thread_has_a_default_graph_of_its_own(session):
    def work():
        own = tf.compat.v1.get_default_graph()
        with session.graph.as_default():
            return own, tf.compat.v1.get_default_graph()

    own, inner = in_thread(work)
    assert own is not session.graph
    assert inner is session.graph


def test_a_thread_leaves_the_main_threads_default_graph_alone(session):
    in_thread(lambda: v1.constant(1.0))
    in_thread(v1.reset_default_graph)
    assert v1.get_default_graph() is session.graph
    v1.reset_default_graph()
    assert v1.get_default_graph() is not session.graph


def test_threads_of_eager_code_are_eager():
    v1.constant(1.0)
    v1.enable_eager_execution()
    assert in_thread(tf.executing_eagerly)


def test_keras_works_in_a_thread(session):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = np.ones((4, 2), "float32")
    assert len(in_thread(lambda: model.fit(x, x[:, :1], verbose=0)).history["loss"]) == 1


def test_supervisor_saves_and_counts_steps_in_its_threads(session, tmp_path):
    step = session.step
    increment = v1.assign_add(step, 1)
    supervisor = v1.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=1, save_model_secs=1)
    with supervisor.managed_session() as managed:
        while not v1.train.latest_checkpoint(str(tmp_path)):
            managed.run(increment)
    (events,) = tmp_path.glob("events.out*")
    tags = [v.tag for e in v1.train.summary_iterator(str(events)) for v in e.summary.value]
    assert "global_step/sec" in tags


def test_a_script_may_end_before_its_threads_do(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import threading, time\n"
        "import tensorflow as tf\n"
        "one = tf.constant(1)\n"
        "thread = threading.Thread(target=time.sleep, args=(100,), daemon=True)\n"
        "thread.start()\n"
    )
    command = [sys.executable, "-m", "compat", "run", str(script)]
    done = subprocess.run(command, text=True, capture_output=True, check=True)
    assert "Traceback" not in done.stderr
