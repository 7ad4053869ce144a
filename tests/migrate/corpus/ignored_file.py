import tensorflow as tf

# compat: ignore-file[C401]
tf.train.Server({})
tf.contrib.slim  #! C403 tf.contrib.slim
