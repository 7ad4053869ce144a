import tensorflow as tf

try:
    tf.Session()
except tf.errors.OutOfRangeError, e:
    pass
