"""What TensorFlow's own upgrade script leaves behind: tf is TF2 here."""
import tensorflow as tf

tf.random.Generator.from_seed(1)
tf.keras.optimizers.Lion
tf.compat.v1.train.SessionRunHook  #= tf.train.SessionRunHook
tf.compat.v1.Session()  #! C201 tf.Session
tf.compat.v1.train.Server({})  #! C401 tf.train.Server
