"""A parameter-server script."""
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "", "")
FLAGS = flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec({"ps": [], "worker": []})  #= tf.train.ClusterSpec
    server = tf.train.Server(cluster, job_name=FLAGS.job_name)  #! C401 tf.train.Server
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):  #! C401 tf.train.replica_device_setter
        optimizer = tf.train.SyncReplicasOptimizer(None, 2)  #! C207 tf.train.SyncReplicasOptimizer
    strategy = tf.distribute.MirroredStrategy()  #! C302 tf.distribute.MirroredStrategy
    tf.set_random_seed(1)  #! C203 tf.set_random_seed
    config = tf.ConfigProto()  #! C205 tf.ConfigProto
    tf.tpu.rewrite(None)  #! C303 tf.tpu.rewrite
    tf.load_op_library("x.so")  #! C308 tf.load_op_library
    tf.lite.TFLiteConverter  #! C309 tf.lite.TFLiteConverter
    tf.get_session_handle(None)  #! C307 tf.get_session_handle
    with tf.train.Supervisor().managed_session() as sess:  #! C208 tf.train.Supervisor
        handle = sess.partial_run_setup([])  #! C402 Session.partial_run_setup
        sess.partial_run(handle, [])  #! C402 Session.partial_run


if __name__ == "__main__":
    tf.app.run()
