"""The vocabulary of a monitored session that is made where TensorFlow runs eagerly."""

from __future__ import annotations

import tensorflow as tf

from compat.engine.vocabulary import VocabularyGraph

v1 = tf.compat.v1


def _spec_of_output(name: str) -> tf.TensorSpec | None:
    """A step's outputs are known only when it runs; until then any name may be one."""
    return tf.TensorSpec(None, tf.float32) if name.endswith(":0") and len(name) > 2 else None


def eager_graph(global_step: tf.Variable | None) -> VocabularyGraph:
    """A graph in which hooks find the global step and offer names of step outputs.

    Args:
      global_step: The integer variable that steps count, a Keras optimizer's
        `iterations` included. If None, the eager `get_or_create_global_step()`; if
        there is none, a counter of the session's own that every run of a step advances.

    Returns:
      The graph.

    Raises:
      TypeError: The global step is not of an integer dtype.
    """
    graph = VocabularyGraph(_spec_of_output)
    if global_step is None:
        global_step = v1.train.get_global_step()
    if global_step is None:
        global_step = graph.own_step = tf.Variable(0, dtype=tf.int64, trainable=False)
    variable = global_step if isinstance(global_step, tf.Variable) else global_step.value
    if not variable.dtype.is_integer:
        raise TypeError(
            f"The global step must be an integer variable; got dtype {variable.dtype.name}."
        )
    graph.bind("global_step", variable, [v1.GraphKeys.GLOBAL_VARIABLES, v1.GraphKeys.GLOBAL_STEP])
    return graph
