"""Names that were gone before TF 1.15."""
import tensorflow as tf

tf.mul(1, 2)  #! C301 tf.mul
tf.pack([1])  #! C301 tf.pack
tf.scalar_summary("a", 1)  #! C301 tf.scalar_summary
tf.merge_all_summaries()  #! C301 tf.merge_all_summaries
tf.train.SummaryWriter("d")  #! C301 tf.train.SummaryWriter
tf.nn.seq2seq.embedding_rnn_seq2seq  #! C301 tf.nn.seq2seq
tf.initialize_all_variables()  #= tf.initialize_all_variables
tf.train.SesionRunHook  #! C304 tf.train.SesionRunHook
tf.no_such_thing.at.all  #! C304 tf.no_such_thing
tf.app.run()  #= tf.app.run
