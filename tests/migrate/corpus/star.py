from tensorflow import *
from tensorflow.train import *

Session()  #! C201 tf.Session
Server({})  #! C401 tf.train.Server
len([])
no_such_name
