"""Random feeds: chosen as plain data, made into a feed dict for one graph.

A feed is a tuple (key, form, kind, numbers): what is fed, in which form it is named, and
in which form the value is given.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1

_RIGHT = ["array", "array", "list", "other dtype", "scalars"]
_WRONG = ["wrong shape", "text", "none", "tensor", "object", "ragged list"]
_WRONG_KEYS = ["unknown name", "operation", "number", "list", "none", "operation name"]


def random_feeds(rng, feedables, count, wrong=0.0):
    """Chooses feeds.

    Args:
      rng: A `random.Random`.
      feedables: From `graphs.feedables`.
      count: How many at most.
      wrong: Probability that a feed is wrong.
    """
    keys = rng.sample(sorted(feedables), min(count, len(feedables)))
    return [_random_feed(rng, key, feedables[key], wrong) for key in keys]


def _random_feed(rng, key, kind_and_shape, wrong):
    dtype, shape = kind_and_shape
    numbers = [rng.randint(1, 5) for _ in range(int(np.prod(shape)) if shape else 1)]
    if rng.random() < wrong:
        if rng.random() < 0.3:
            return ("wrong key", rng.choice(_WRONG_KEYS), "array", numbers, dtype, shape)
        return (key, "object", rng.choice(_WRONG), numbers, dtype, shape)
    kind = rng.choice(_RIGHT)
    form = "object" if dtype == "sparse" or key == "weights" else rng.choice(["object", "name"])
    return (key, form, kind, numbers, dtype, shape)


def fixed_feed(key, number, dtype="float32"):
    """A feed of one chosen scalar."""
    return (key, "object", "array", [number], dtype, [])


def build(feeds, vocabulary):
    """Makes the feed dict."""
    return {
        _key(key, form, vocabulary): _value(kind, numbers, dtype, shape)
        for key, form, kind, numbers, dtype, shape in feeds
    }


def _key(key, form, vocabulary):
    if key != "wrong key":
        return vocabulary.element(key, form)
    return {
        "unknown name": "no_such_input:0",
        "operation": vocabulary.elements["train"],
        "operation name": "do_nothing",
        "number": 4,
        "list": (1, 2),
        "none": None,
    }[form]


def _value(kind, numbers, dtype, shape):
    if kind == "tensor":
        with tf.Graph().as_default():
            return tf.constant(1.0)
    if kind in ("text", "none", "object"):
        text = "not a number" if dtype != "string" else 5
        return {"text": text, "none": None, "object": object()}[kind]
    if dtype == "sparse":
        value = v1.SparseTensorValue([[0, 1], [1, 1]], _two(numbers), [2, 2])
        return tuple(value) if kind == "list" else value
    if kind == "wrong shape":
        return np.zeros([int(np.prod(shape)) + 2, 1], _numpy(dtype))
    if kind == "ragged list":
        return [[1.0], [2.0, 3.0]]
    array = np.array(_typed(numbers, dtype), dtype=_numpy(dtype)).reshape(shape)
    if kind == "list":
        return array.tolist()
    if kind == "other dtype" and dtype in ("float32", "int64"):
        return array.astype(np.float64 if dtype == "float32" else np.int32)
    if kind == "scalars" and shape:
        return [array[index] for index in range(shape[0])]
    return array


def _typed(numbers, dtype):
    if dtype == "bool":
        return [number % 2 == 0 for number in numbers]
    if dtype == "string":
        return [["one", "two", "three"][number % 3].encode() for number in numbers]
    return numbers


def _numpy(dtype):
    return object if dtype == "string" else np.dtype(dtype)


def _two(numbers):
    return np.array((numbers * 2)[:2], np.float32)
