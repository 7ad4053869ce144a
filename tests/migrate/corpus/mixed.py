"""TF1 code with a name that only TF2 has."""
import tensorflow as tf

x = tf.placeholder(tf.float32)  #= tf.placeholder
tf.keras.optimizers.Lion  #! C305 tf.keras.optimizers.Lion
tf.summary.record_if(True)  #! C305 tf.summary.record_if
