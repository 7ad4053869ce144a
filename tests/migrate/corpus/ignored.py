"""Findings that comments silence."""
import tensorflow as tf

tf.train.Server({})  # compat: ignore
tf.train.Server({})  # compat: ignore[C401]
tf.train.Server({})  # compat: ignore[C4]
tf.train.Server({})  # compat: ignore[C403, C401] known
# compat: ignore[C401]
tf.train.Server({})
tf.train.Server({})  # compat: ignore[C403] #! C401 tf.train.Server
text = "# compat: ignore"; tf.train.Server({})  #! C401 tf.train.Server
