"""U201, U202: session loops become tf.function step loops where that is certain."""

import textwrap

import pytest

BEFORE = """\
import tensorflow as tf

dataset = tf.data.Dataset.from_tensors(1.0).repeat()
x = dataset.make_one_shot_iterator().get_next()
w = tf.Variable(2.0)
# The loss.
loss = tf.square(w - x)  # squared
step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
hooks = [tf.train.StopAtStepHook(3), tf.train.LoggingTensorHook([loss], every_n_iter=1)]
with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
    while not sess.should_stop():
        # Run.
        _, value, now = sess.run([train_op, loss, step])  # once
        print(value, now)
"""

AFTER = """\
import tensorflow.compat.v1 as tf
import compat

dataset = tf.data.Dataset.from_tensors(1.0).repeat()
w = tf.Variable(2.0)
step = tf.train.get_or_create_global_step()
iterator = iter(dataset)
optimizer = tf.train.GradientDescentOptimizer(0.1)

@tf.function
def train_step():
    with tf.GradientTape() as tape:
        x = next(iterator)
        # The loss.
        loss = tf.square(w - x)  # squared
    variables = tape.watched_variables()
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables), global_step=step)
    return {"loss": loss, "step": step.read_value()}

hooks = [tf.train.StopAtStepHook(3), tf.train.LoggingTensorHook(["loss:0"], every_n_iter=1)]
with compat.MonitoredTrainingSession(hooks=hooks, global_step=step) as sess:
    while not sess.should_stop():
        # Run.
        outputs = sess.run(train_step)
        value = outputs["loss"]
        now = outputs["step"]  # once
        print(value, now)
"""


def test_a_certain_loop_is_rewritten(upgraded, left):
    assert upgraded(BEFORE, "tf-function") == AFTER
    assert left(BEFORE, "tf-function") == []


def changed(old, new, text=BEFORE):
    assert old in text
    return text.replace(old, new)


REWRITTEN = {
    "after the drop-in import": changed("import tensorflow as tf", "import compat.v1 as tf"),
    "with the v1 import": changed(
        "import tensorflow as tf\n",
        "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n",
    ),
    "with another v1 import": changed(
        "import tensorflow as tf\n", "from tensorflow.compat import v1 as tf\n"
    ),
    "without values kept": changed(
        "_, value, now = sess.run([train_op, loss, step])", "sess.run(train_op)"
    ).replace("        print(value, now)\n", ""),
    "with an optimizer of its own": changed(
        "train_op = tf.train.GradientDescentOptimizer(0.1).",
        "sgd = tf.train.GradientDescentOptimizer(0.1)\ntrain_op = sgd.",
    ),
    "with an iterator of its own": changed(
        "x = dataset.make_one_shot_iterator().get_next()",
        "it = tf.data.make_one_shot_iterator(dataset)\nx = it.get_next()",
    ),
    "with a singular session": changed("MonitoredTrainingSession", "SingularMonitoredSession"),
    "with statements around the loop": changed("    while not", "    print('start')\n    while not")
    + "print('end')\n",
    "with a step made in place": changed("step = tf.train.get_or_create_global_step()\n", "")
    .replace("global_step=step", "global_step=tf.train.get_or_create_global_step()")
    .replace("[train_op, loss, step]", "[train_op, loss]")
    .replace("_, value, now", "_, value")
    .replace("(value, now)", "(value)"),
    "with hooks added one by one": changed(
        "with tf.train", "hooks.append(tf.train.NanTensorHook(loss))\nwith tf.train"
    ),
    "with a helper": changed("tf.square(w - x)", "cost(w - x)").replace(
        "dataset =", "def cost(e):\n    return tf.square(e)\n\n\ndataset ="
    ),
    "with a hook class": changed("hooks = [", "hooks = [Mine(), ").replace(
        "dataset =",
        "class Mine(tf.train.SessionRunHook):\n    def end(self, s):\n        pass\n\n\ndataset =",
    ),
}


@pytest.mark.parametrize("text", REWRITTEN.values(), ids=REWRITTEN)
def test_variants_that_are_certain(upgraded, left, text):
    new = upgraded(text, "tf-function")
    assert "train_step" in new and "TODO" not in new
    assert "import tensorflow.compat.v1 as tf" in new and "import compat\n" in new
    assert "disable_v2_behavior" not in new
    assert left(text, "tf-function") == []


def test_checkpoints_become_object_based_and_are_reported(upgraded, left):
    text = changed("(hooks=hooks)", '(checkpoint_dir="d", hooks=hooks)')
    new = upgraded(text, "tf-function")
    assert "Checkpoint(w=w, step=step, optimizer=optimizer)" in new
    assert "train_step.get_concrete_function()\n" in new
    assert left(text, "tf-function") == [(11, "U203")]


def test_a_loop_without_a_train_op_has_no_tape(upgraded):
    text = changed("[train_op, loss, step]", "[loss, loss, step]").replace("_, value", "a, value")
    text = "".join(line for line in text.splitlines(True) if not line.startswith("train_op"))
    new = upgraded(text, "tf-function")
    assert "GradientTape" not in new
    assert 'return {"loss": loss, "step": step.read_value()}' in new


UNDECIDED = {
    "several session loops": BEFORE + BEFORE[BEFORE.index("with tf.train") :],
    "is not opened by": changed(
        "with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:\n",
        "sess = tf.train.MonitoredTrainingSession(hooks=hooks)\nif sess:\n",
    ),
    "more than the session": changed(" as sess:", " as sess, open('f') as f:"),
    "has no name": changed(" as sess:", ":"),
    "not exactly one `while` loop": changed(
        "    while not sess.should_stop():", "    for _ in range(3):"
    ),
    "the loop is not": changed("while not sess.should_stop()", "while True"),
    "is used outside the loop": changed("    while", "    print(sess)\n    while"),
    "does more with sess": changed("print(value, now)", "print(sess.graph)"),
    "more than one place": changed("print(value, now)", "sess.run(step), sess.run(step)"),
    "not run exactly once": changed("print(value, now)", "sess.run(step)"),
    "inside a larger expression": changed(
        "_, value, now = sess.run([train_op, loss, step])", "print(sess.run(loss))"
    ),
    "not assigned to plain names": changed("_, value, now =", "_, value, self.now ="),
    "in the shape of its fetches": changed("_, value, now =", "values ="),
    "options or metadata": changed("[train_op, loss, step])", "[train_op, loss, step], options=o)"),
    "something else than plain names": changed(
        "[train_op, loss, step]", "[train_op, loss, {'a': step}]"
    ),
    "feed_dict is not written out": changed(
        "[train_op, loss, step])", "[train_op, loss, step], feed_dict=f)"
    ),
    "is no placeholder made nearby": changed(
        "[train_op, loss, step])", "[train_op, loss, step], {x: 1})"
    ),
    "does not feed every placeholder": changed("w = tf", "p = tf.placeholder(tf.float32)\nw = tf"),
    "other arguments than dtype": changed("w = tf", "p = tf.placeholder(shape=[1])\nw = tf"),
    "is run for its effect": changed("step = tf", "tf.summary.scalar('loss', loss)\nstep = tf"),
    "keeps a tensor in an object": changed("step = tf", "self.loss = tf.identity(loss)\nstep = tf"),
    "is no plain assignment": changed("step = tf", "loss += tf.nn.l2_loss(w)\nstep = tf"),
    "stand on one line": changed("step = tf", "a = 1; b = tf.identity(loss)\nstep = tf"),
    "stands in a nested block": changed(
        "step = tf", "if w:\n    loss = tf.identity(loss)\nstep = tf"
    ),
    "may keep state": changed("tf.square(w - x)", "tf.square(w - tf.random_uniform([]))"),
    "may keep state between": changed("tf.square(w - x)", "tf.layers.dense(x, 1)"),
    "is not known here": changed("tf.square(w - x)", "tf.square(model(x))"),
    "does more than compute": changed("tf.square(w - x)", "cost(w - x)").replace(
        "dataset =", "def cost(e):\n    while e:\n        pass\n    return e\n\n\ndataset ="
    ),
    "several train ops": changed(
        "hooks = [", "t2 = tf.train.AdamOptimizer().minimize(loss)\nhooks = ["
    ),
    "minimize has other arguments": changed("global_step=step", "var_list=[w]"),
    "the loss is not computed nearby": changed("minimize(loss", "minimize(w"),
    "not one of tf.train made nearby": changed(
        "tf.train.GradientDescentOptimizer(0.1)", "optimizers[0]"
    ),
    "the optimizer depends on": changed(
        "Optimizer(0.1)", "Optimizer(tf.train.exponential_decay(0.1, step, 1, 1.0))"
    ),
    "the global step is not made nearby": changed("global_step=step", "global_step=other"),
    "initializable iterator": changed(
        "make_one_shot_iterator().get_next()", "make_initializable_iterator().get_next()"
    ),
    "an iterator from elsewhere": changed(
        "dataset.make_one_shot_iterator().get_next()", "other.get_next()"
    ),
    "gives the variable w": changed(
        "tf.Variable(2.0)", "tf.Variable(tf.py_func(f, [], tf.float32))"
    ),
    "starts from a tensor": changed("tf.Variable(2.0)", "tf.Variable(x)"),
    "initial values use the seed": changed(
        "tf.Variable(2.0)",
        "tf.Variable(tf.random_normal([], seed=1))\nv = tf.Variable(tf.random_normal([], seed=1))",
    ),
    "may have a seed": changed(
        "tf.Variable(2.0)", "tf.Variable(tf.random_normal([], 0.0, 1.0, tf.float32, 3))"
    ),
    "a hook gets": changed("[loss]", "[train_op]"),
    "by its name in the graph": changed("[loss]", "['loss:0']"),
    "stands among the hooks": changed(
        "StopAtStepHook(3)", "StopAtStepHook(3), tf.train.SummarySaverHook(save_steps=1)"
    ),
    "it is not known what": changed("[train_op, loss, step]", "[train_op, loss, other]"),
    "is used outside the run": changed("print(value, now)", "print(loss)"),
    "the name train_step is taken": changed("w = tf", "train_step = 1\nw = tf"),
    "the name iterator is taken": changed("w = tf", "iterator = 1\nw = tf"),
    "the name optimizer is taken": changed("w = tf", "optimizer = 1\nw = tf"),
    "the name compat is taken": changed("w = tf", "compat = 1\nw = tf"),
    "has several meanings": changed("step = tf", "loss = tf.identity(loss)\nstep = tf"),
    "one by one": changed(
        "import tensorflow as tf\n", "import tensorflow as tf\nfrom tensorflow import train\n"
    ),
    "another way than": changed(
        "import tensorflow as tf\n", "import tensorflow as tf\nimport tensorflow\n"
    ),
    "is used outside the block": BEFORE + "def f():\n    return tf.placeholder(tf.float32)\n",
    "has a scaffold or a creator": changed("(hooks=hooks)", "(scaffold=s, hooks=hooks)"),
    "without a keyword": changed("(hooks=hooks)", "('', hooks=hooks)"),
    "the hook Mine": changed(
        "dataset =",
        "class Mine(tf.train.SessionRunHook):\n    def after_create_session(self, s, c):\n"
        "        s.run(self.it.initializer)\n\n\ndataset =",
    ),
}


@pytest.mark.parametrize("reason, text", UNDECIDED.items(), ids=UNDECIDED)
def test_what_is_not_certain_gets_a_todo_and_stays(upgraded, left, left_texts, reason, text):
    new = upgraded(text, "tf-function")
    todos = [line for line in new.splitlines() if "TODO(compat U202)" in line]
    assert todos and reason.rstrip() in todos[0]
    assert "".join(line for line in new.splitlines(True) if "TODO" not in line) == text
    assert "U202" in [code for _, code in left(text, "tf-function")]
    assert any(reason in text for text in left_texts(text, "tf-function"))


def test_the_todo_stands_above_the_session(upgraded):
    text = changed("while not sess.should_stop()", "while True")
    lines = upgraded(text, "tf-function").splitlines()
    position = next(i for i, line in enumerate(lines) if "TODO" in line)
    assert lines[position + 1].startswith("with tf.train.MonitoredTrainingSession")


def test_code_in_functions_keeps_its_indentation(upgraded):
    inner = textwrap.indent(BEFORE.partition("\n\n")[2], "  ")
    text = f"import tensorflow as tf\n\n\ndef main(_):\n{inner}\n\ntf.app.run()\n"
    new = upgraded(text, "tf-function")
    assert (
        "  def train_step():\n    with tf.GradientTape() as tape:\n      x = next(iterator)\n"
        in new
    )
    assert new.endswith("\n\ntf.app.run()\n")


def test_other_modes_leave_the_loop(upgraded):
    assert upgraded(BEFORE) == BEFORE.replace("tensorflow", "compat.v1")


def test_a_file_without_a_loop_stays(upgraded):
    text = "import tensorflow as tf\ntf.constant(1)\n"
    assert upgraded(text, "tf-function") == text


def test_comments_and_options_silence_the_rewrite(upgraded):
    text = changed(" as sess:", " as sess:  # compat: ignore-file[U2]")
    assert upgraded(text, "tf-function") == text
    assert upgraded(BEFORE, "tf-function", ignore=["U2"]) == BEFORE
