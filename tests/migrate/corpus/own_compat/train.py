import compat
import tensorflow as tf  #! C601 module

compat.as_text(tf.__version__)
