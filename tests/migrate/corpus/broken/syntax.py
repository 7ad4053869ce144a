import tensorflow as tf

x = (tf.constant(1)
def f(): pass
