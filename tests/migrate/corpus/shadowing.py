"""The name tf means something else here; nothing is to be found."""
import tensorflow as tf


def parameter(tf):
    return tf.contrib.slim


def keyword(*, tf=None, **train):
    return tf.contrib, train.Server


class Tools:
    tf = None
    contrib = tf


def in_comprehension(items):
    return [tf.contrib for tf in items]


def loop(items):
    for tf in items:
        tf.train.Server({})


def assigned(thing):
    tf = thing
    return tf.contrib.slim


def nested(tf):
    def inner():
        return tf.train.Server

    return inner


def handler():
    try:
        pass
    except ValueError as tf:
        return tf.contrib


def opened(path):
    with open(path) as tf:
        return tf.contrib


class Model:
    def tf(self):
        return self.tf.contrib

    def Server(self):
        return self.train.Server


def asks():
    return hasattr(tf, "contrib") and hasattr(tf.train, "Server")


text = "tf.train.Server({})  # tf.contrib.slim"
call(tf=1, train=2)
