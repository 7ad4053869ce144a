"""The vocabulary of a monitored session that is made where TensorFlow runs eagerly."""

from __future__ import annotations

import tensorflow as tf

from compat.engine.vocabulary import VocabularyGraph

v1 = tf.compat.v1


def eager_graph(global_step: tf.Variable | None) -> VocabularyGraph:
    """A graph in which hooks find the global step and offer names of step outputs.

    Args:
      global_step: The integer variable that steps count, a Keras optimizer's
        `iterations` included; the eager `get_or_create_global_step()` if None and made.

    Returns:
      The graph.

    Raises:
      TypeError: The global step is not of an integer dtype.
    """
    graph = VocabularyGraph(guesses=True)
    if global_step is None:
        global_step = v1.train.get_global_step()
    variable = getattr(global_step, "value", global_step) if _is_keras(global_step) else global_step
    if variable is not None:
        if not variable.dtype.is_integer:
            raise TypeError(
                f"The global step must be an integer variable; got dtype {variable.dtype.name}."
            )
        graph.bind(
            "global_step", variable, [v1.GraphKeys.GLOBAL_VARIABLES, v1.GraphKeys.GLOBAL_STEP]
        )
    return graph


def _is_keras(variable) -> bool:
    """Whether it is a Keras 3 variable, which holds the TensorFlow one as `value`."""
    return variable is not None and not isinstance(variable, tf.Variable)
