import tensorflow as tf

slim = tf.contrib.slim  #! C403 tf.contrib.slim
