"""What took over from each `tf.contrib` symbol that training scripts and hooks touch.

Data only, read through `compat.migrate.lookup`: `compat.v1.contrib` quotes it in its errors,
`check` in its report, and `upgrade` rewrites the rows marked `same`.
"""

from __future__ import annotations

from typing import NamedTuple


class Replacement(NamedTuple):
    """One `tf.contrib` symbol.

    Attributes:
      name: The dotted name without `tf.`; a package's own row serves the rest of it.
      use: What to use instead.
      same: Whether `use` takes the same arguments and does the same, so that a
        rewrite needs no person.
      note: What changes on the way, where something does.
    """

    name: str
    use: str
    same: bool = False
    note: str = ""


_SWAPPED = "labels come first there, before the predictions or logits"
_OWN_LOOP = "a loop over tf.train.MonitoredTrainingSession"
_METRICS = "put the metrics into eval_metric_ops"
_CKPT = "the first argument is called ckpt_dir_or_file"
_SLIM = "the same arguments, in the tf-slim package"

#: Symbols of tf.contrib as of TF 1.15, by package.
REPLACEMENTS = (
    # training
    Replacement("contrib.training.train", _OWN_LOOP),
    Replacement("contrib.training.create_train_op", "optimizer.minimize"),
    Replacement("contrib.training.clip_gradient_norms", "tf.clip_by_norm"),
    Replacement("contrib.training.add_gradients_summaries", "tf.summary.histogram"),
    Replacement("contrib.training.multiply_gradients", "tf.multiply"),
    Replacement("contrib.training.HParams", "types.SimpleNamespace or a dataclass"),
    Replacement("contrib.training.parse_values", "argparse or absl.flags"),
    Replacement("contrib.training.checkpoints_iterator", "tf.train.checkpoints_iterator", True),
    Replacement("contrib.training.wait_for_new_checkpoint", "tf.train.checkpoints_iterator"),
    Replacement(
        "contrib.training.evaluate_once",
        "tf.train.MonitoredSession with a ChiefSessionCreator on the checkpoint",
    ),
    Replacement(
        "contrib.training.evaluate_repeatedly",
        "tf.train.MonitoredSession in a loop over tf.train.checkpoints_iterator",
    ),
    Replacement("contrib.training.get_or_create_eval_step", "tf.get_variable in LOCAL_VARIABLES"),
    Replacement(
        "contrib.training.StopAfterNEvalsHook",
        "tf.train.SessionRunHook",
        note="or count the runs in after_run and call request_stop",
    ),
    Replacement(
        "contrib.training.SummaryAtEndHook",
        "tf.train.FinalOpsHook",
        note="or write its final_ops_values with tf.summary.FileWriter",
    ),
    Replacement("contrib.training.bucket", "tf.data.experimental.bucket_by_sequence_length"),
    Replacement(
        "contrib.training.bucket_by_sequence_length",
        "tf.data.experimental.bucket_by_sequence_length",
    ),
    Replacement(
        "contrib.training.batch_sequences_with_states", "tf.data.Dataset.batch and your own state"
    ),
    Replacement("contrib.training.rejection_sample", "tf.data.experimental.rejection_resample"),
    Replacement("contrib.training.stratified_sample", "tf.data.experimental.rejection_resample"),
    Replacement("contrib.training.weighted_resample", "tf.data.experimental.rejection_resample"),
    Replacement("contrib.training", "tf.train"),
    # framework
    Replacement("contrib.framework.get_global_step", "tf.train.get_global_step", True),
    Replacement("contrib.framework.create_global_step", "tf.train.create_global_step", True),
    Replacement(
        "contrib.framework.get_or_create_global_step", "tf.train.get_or_create_global_step", True
    ),
    Replacement("contrib.framework.assert_global_step", "tf.train.assert_global_step", True),
    Replacement(
        "contrib.framework.assert_or_get_global_step", "tf.train.get_or_create_global_step"
    ),
    Replacement(
        "contrib.framework.init_from_checkpoint", "tf.train.init_from_checkpoint", note=_CKPT
    ),
    Replacement("contrib.framework.list_variables", "tf.train.list_variables", note=_CKPT),
    Replacement("contrib.framework.load_variable", "tf.train.load_variable", note=_CKPT),
    Replacement("contrib.framework.load_checkpoint", "tf.train.load_checkpoint", note=_CKPT),
    Replacement("contrib.framework.assign_from_checkpoint_fn", "tf.train.init_from_checkpoint"),
    Replacement("contrib.framework.assign_from_checkpoint", "tf.train.init_from_checkpoint"),
    Replacement("contrib.framework.assign_from_values", "tf.Variable.load"),
    Replacement("contrib.framework.assign_from_values_fn", "tf.Variable.load"),
    Replacement("contrib.framework.get_variables", "tf.global_variables", note="takes a scope"),
    Replacement("contrib.framework.get_local_variables", "tf.local_variables"),
    Replacement("contrib.framework.get_trainable_variables", "tf.trainable_variables"),
    Replacement("contrib.framework.get_model_variables", "tf.model_variables"),
    Replacement("contrib.framework.get_variables_to_restore", "tf.global_variables"),
    Replacement("contrib.framework.get_variables_by_name", "tf.global_variables"),
    Replacement("contrib.framework.get_variables_by_suffix", "tf.global_variables"),
    Replacement("contrib.framework.filter_variables", "a list comprehension over v.name"),
    Replacement("contrib.framework.model_variable", "tf.get_variable in MODEL_VARIABLES"),
    Replacement("contrib.framework.variable", "tf.get_variable"),
    Replacement("contrib.framework.local_variable", "tf.get_variable in LOCAL_VARIABLES"),
    Replacement("contrib.framework.add_model_variable", "tf.add_to_collection"),
    Replacement("contrib.framework.get_unique_variable", "tf.global_variables"),
    Replacement("contrib.framework.arg_scope", "tf_slim.arg_scope", note=_SLIM),
    Replacement("contrib.framework.add_arg_scope", "tf_slim.add_arg_scope", note=_SLIM),
    Replacement("contrib.framework.nest", "tf.nest", note="without its private helpers"),
    Replacement("contrib.framework.sort", "tf.sort", True),
    Replacement("contrib.framework.argsort", "tf.argsort", True),
    Replacement("contrib.framework.is_tensor", "tf.is_tensor", True),
    Replacement("contrib.framework.smart_cond", "tf.cond"),
    Replacement("contrib.framework.zero_initializer", "tf.zeros_initializer"),
    Replacement("contrib.framework.TensorSpec", "tf.TensorSpec", True),
    Replacement("contrib.framework.py_func", "tf.py_func"),
    Replacement("contrib.framework.load_embedding_initializer", "tf.train.init_from_checkpoint"),
    Replacement("contrib.framework", "tf.train or tf_slim"),
    # layers
    Replacement("contrib.layers.fully_connected", "tf.layers.dense", note="no ReLU by default"),
    Replacement("contrib.layers.linear", "tf.layers.dense"),
    Replacement("contrib.layers.conv2d", "tf.layers.conv2d", note="no ReLU by default"),
    Replacement("contrib.layers.convolution2d", "tf.layers.conv2d", note="no ReLU by default"),
    Replacement("contrib.layers.conv2d_transpose", "tf.layers.conv2d_transpose"),
    Replacement("contrib.layers.separable_conv2d", "tf.layers.separable_conv2d"),
    Replacement("contrib.layers.max_pool2d", "tf.layers.max_pooling2d"),
    Replacement("contrib.layers.avg_pool2d", "tf.layers.average_pooling2d"),
    Replacement(
        "contrib.layers.batch_norm",
        "tf.layers.batch_normalization",
        note="decay is called momentum, is_training is called training",
    ),
    Replacement("contrib.layers.dropout", "tf.layers.dropout", note="keep_prob becomes rate"),
    Replacement("contrib.layers.flatten", "tf.layers.flatten"),
    Replacement("contrib.layers.layer_norm", "tf.keras.layers.LayerNormalization"),
    Replacement("contrib.layers.instance_norm", "tf_slim.instance_norm", note=_SLIM),
    Replacement("contrib.layers.softmax", "tf.nn.softmax"),
    Replacement("contrib.layers.one_hot_encoding", "tf.one_hot"),
    Replacement("contrib.layers.embed_sequence", "tf.nn.embedding_lookup"),
    Replacement(
        "contrib.layers.xavier_initializer",
        "tf.glorot_uniform_initializer",
        note="uniform=False is tf.glorot_normal_initializer",
    ),
    Replacement("contrib.layers.xavier_initializer_conv2d", "tf.glorot_uniform_initializer"),
    Replacement(
        "contrib.layers.variance_scaling_initializer",
        "tf.variance_scaling_initializer",
        note="factor is called scale and is 2.0 there by default",
    ),
    Replacement(
        "contrib.layers.l2_regularizer",
        "tf.keras.regularizers.l2",
        note="pass half the scale",
    ),
    Replacement("contrib.layers.l1_regularizer", "tf.keras.regularizers.l1"),
    Replacement("contrib.layers.l1_l2_regularizer", "tf.keras.regularizers.l1_l2"),
    Replacement("contrib.layers.apply_regularization", "tf.add_n over the penalties"),
    Replacement("contrib.layers.optimize_loss", "optimizer.minimize"),
    Replacement("contrib.layers.summarize_activation", "tf.summary.histogram"),
    Replacement("contrib.layers.summarize_tensor", "tf.summary.histogram"),
    Replacement("contrib.layers.summarize_tensors", "tf.summary.histogram"),
    Replacement("contrib.layers.summarize_collection", "tf.summary.histogram"),
    Replacement("contrib.layers.real_valued_column", "tf.feature_column.numeric_column"),
    Replacement("contrib.layers.bucketized_column", "tf.feature_column.bucketized_column"),
    Replacement("contrib.layers.crossed_column", "tf.feature_column.crossed_column"),
    Replacement("contrib.layers.embedding_column", "tf.feature_column.embedding_column"),
    Replacement("contrib.layers.one_hot_column", "tf.feature_column.indicator_column"),
    Replacement(
        "contrib.layers.sparse_column_with_hash_bucket",
        "tf.feature_column.categorical_column_with_hash_bucket",
    ),
    Replacement(
        "contrib.layers.sparse_column_with_keys",
        "tf.feature_column.categorical_column_with_vocabulary_list",
    ),
    Replacement("contrib.layers", "tf.layers or tf_slim"),
    # slim
    Replacement("contrib.slim.learning.train", _OWN_LOOP, note="tf_slim.learning.train keeps it"),
    Replacement("contrib.slim.learning.create_train_op", "tf_slim.learning.create_train_op"),
    Replacement("contrib.slim.evaluation.evaluate_once", "tf_slim.evaluation.evaluate_once"),
    Replacement("contrib.slim.evaluation.evaluation_loop", "tf_slim.evaluation.evaluation_loop"),
    Replacement("contrib.slim", "tf_slim", note="pip install tf-slim; " + _SLIM),
    # learn
    Replacement("contrib.learn.Estimator", "tf.estimator.Estimator"),
    Replacement("contrib.learn.RunConfig", "tf.estimator.RunConfig"),
    Replacement("contrib.learn.ModeKeys", "tf.estimator.ModeKeys"),
    Replacement("contrib.learn.ModelFnOps", "tf.estimator.EstimatorSpec"),
    Replacement("contrib.learn.MetricSpec", "eval_metric_ops of tf.estimator.EstimatorSpec"),
    Replacement("contrib.learn.Experiment", "tf.estimator.train_and_evaluate"),
    Replacement("contrib.learn.learn_runner", "tf.estimator.train_and_evaluate"),
    Replacement("contrib.learn.ExportStrategy", "tf.estimator.FinalExporter"),
    Replacement("contrib.learn.NanLossDuringTrainingError", "tf.train.NanLossDuringTrainingError"),
    Replacement("contrib.learn.datasets", "tf.keras.datasets or sklearn.datasets"),
    Replacement(
        "contrib.learn.monitors.ValidationMonitor",
        "tf.estimator.experimental.InMemoryEvaluatorHook",
    ),
    Replacement("contrib.learn.monitors.LoggingTrainable", "tf.train.LoggingTensorHook"),
    Replacement("contrib.learn.monitors.PrintTensor", "tf.train.LoggingTensorHook"),
    Replacement("contrib.learn.monitors.NanLoss", "tf.train.NanTensorHook"),
    Replacement("contrib.learn.monitors.StopAtStep", "tf.train.StopAtStepHook"),
    Replacement("contrib.learn.monitors.StepCounter", "tf.train.StepCounterHook"),
    Replacement("contrib.learn.monitors.CheckpointSaver", "tf.train.CheckpointSaverHook"),
    Replacement("contrib.learn.monitors.SummarySaver", "tf.train.SummarySaverHook"),
    Replacement("contrib.learn.monitors.CaptureVariable", "tf.train.SessionRunHook"),
    Replacement("contrib.learn.monitors.BaseMonitor", "tf.train.SessionRunHook"),
    Replacement("contrib.learn.monitors.EveryN", "tf.train.SessionRunHook"),
    Replacement("contrib.learn.monitors.ExportMonitor", "tf.estimator.LatestExporter"),
    Replacement(
        "contrib.learn.monitors.replace_monitors_with_hooks", "the hooks themselves in `hooks=`"
    ),
    Replacement("contrib.learn.monitors", "tf.train.SessionRunHook"),
    Replacement("contrib.learn.DNNClassifier", "tf.estimator.Estimator"),
    Replacement("contrib.learn.LinearClassifier", "tf.estimator.Estimator"),
    Replacement("contrib.learn", "tf.estimator"),
    # estimator, hooks, tpu
    Replacement("contrib.hooks.ProfilerHook", "tf.train.ProfilerHook", True),
    Replacement("contrib.hooks", "tf.train"),
    Replacement("contrib.estimator.add_metrics", "tf.estimator.EstimatorSpec", note=_METRICS),
    Replacement("contrib.estimator.clip_gradients_by_norm", "tf.clip_by_norm"),
    Replacement("contrib.estimator.forward_features", "your model_fn's predictions"),
    Replacement("contrib.estimator.replicate_model_fn", "tf.distribute.MirroredStrategy"),
    Replacement("contrib.estimator.TowerOptimizer", "tf.distribute.MirroredStrategy"),
    Replacement("contrib.estimator.multi_class_head", "tf.estimator.EstimatorSpec"),
    Replacement("contrib.estimator.regression_head", "tf.estimator.EstimatorSpec"),
    Replacement("contrib.estimator", "tf.estimator"),
    Replacement("contrib.tpu.TPUEstimator", "tf.estimator.tpu.TPUEstimator", True),
    Replacement("contrib.tpu.TPUEstimatorSpec", "tf.estimator.tpu.TPUEstimatorSpec", True),
    Replacement("contrib.tpu.TPUConfig", "tf.estimator.tpu.TPUConfig", True),
    Replacement("contrib.tpu.RunConfig", "tf.estimator.tpu.RunConfig", True),
    Replacement("contrib.tpu.InputPipelineConfig", "tf.estimator.tpu.InputPipelineConfig", True),
    Replacement("contrib.tpu.CrossShardOptimizer", "tf.tpu.CrossShardOptimizer", True),
    Replacement("contrib.tpu.bfloat16_scope", "tf.tpu.bfloat16_scope", True),
    Replacement("contrib.tpu.AsyncCheckpointSaverHook", "tf.train.CheckpointSaverHook"),
    Replacement("contrib.tpu", "tf.distribute.TPUStrategy"),
    Replacement(
        "contrib.cluster_resolver.TPUClusterResolver",
        "tf.distribute.cluster_resolver.TPUClusterResolver",
        True,
    ),
    Replacement("contrib.cluster_resolver", "tf.distribute.cluster_resolver"),
    Replacement("contrib.distribute.MirroredStrategy", "tf.distribute.MirroredStrategy"),
    Replacement(
        "contrib.distribute.CollectiveAllReduceStrategy",
        "tf.distribute.MultiWorkerMirroredStrategy",
    ),
    Replacement(
        "contrib.distribute.ParameterServerStrategy",
        "tf.distribute.MultiWorkerMirroredStrategy",
    ),
    Replacement("contrib.distribute", "tf.distribute"),
    # data
    Replacement("contrib.data.map_and_batch", "tf.data.experimental.map_and_batch", True),
    Replacement("contrib.data.shuffle_and_repeat", "tf.data.experimental.shuffle_and_repeat", True),
    Replacement(
        "contrib.data.parallel_interleave", "tf.data.experimental.parallel_interleave", True
    ),
    Replacement("contrib.data.ignore_errors", "tf.data.experimental.ignore_errors", True),
    Replacement("contrib.data.unbatch", "tf.data.experimental.unbatch", True),
    Replacement("contrib.data.scan", "tf.data.experimental.scan", True),
    Replacement("contrib.data.unique", "tf.data.experimental.unique", True),
    Replacement("contrib.data.Counter", "tf.data.experimental.Counter", True),
    Replacement("contrib.data.prefetch_to_device", "tf.data.experimental.prefetch_to_device", True),
    Replacement("contrib.data.copy_to_device", "tf.data.experimental.copy_to_device", True),
    Replacement("contrib.data.enumerate_dataset", "tf.data.experimental.enumerate_dataset", True),
    Replacement("contrib.data.group_by_window", "tf.data.experimental.group_by_window", True),
    Replacement("contrib.data.rejection_resample", "tf.data.experimental.rejection_resample", True),
    Replacement(
        "contrib.data.sample_from_datasets", "tf.data.experimental.sample_from_datasets", True
    ),
    Replacement(
        "contrib.data.choose_from_datasets", "tf.data.experimental.choose_from_datasets", True
    ),
    Replacement("contrib.data.get_single_element", "tf.data.experimental.get_single_element", True),
    Replacement(
        "contrib.data.bucket_by_sequence_length",
        "tf.data.experimental.bucket_by_sequence_length",
        True,
    ),
    Replacement("contrib.data.make_csv_dataset", "tf.data.experimental.make_csv_dataset", True),
    Replacement(
        "contrib.data.make_batched_features_dataset",
        "tf.data.experimental.make_batched_features_dataset",
        True,
    ),
    Replacement(
        "contrib.data.make_saveable_from_iterator",
        "tf.data.experimental.make_saveable_from_iterator",
        True,
    ),
    Replacement(
        "contrib.data.batch_and_drop_remainder", "tf.data.Dataset.batch(…, drop_remainder=True)"
    ),
    Replacement(
        "contrib.data.CheckpointInputPipelineHook",
        "tf.data.experimental.make_saveable_from_iterator",
    ),
    Replacement("contrib.data", "tf.data.experimental"),
    # rnn and sequences
    Replacement("contrib.rnn.BasicLSTMCell", "tf.nn.rnn_cell.BasicLSTMCell", True),
    Replacement("contrib.rnn.BasicRNNCell", "tf.nn.rnn_cell.BasicRNNCell", True),
    Replacement("contrib.rnn.LSTMCell", "tf.nn.rnn_cell.LSTMCell", True),
    Replacement("contrib.rnn.GRUCell", "tf.nn.rnn_cell.GRUCell", True),
    Replacement("contrib.rnn.RNNCell", "tf.nn.rnn_cell.RNNCell", True),
    Replacement("contrib.rnn.MultiRNNCell", "tf.nn.rnn_cell.MultiRNNCell", True),
    Replacement("contrib.rnn.DropoutWrapper", "tf.nn.rnn_cell.DropoutWrapper", True),
    Replacement("contrib.rnn.ResidualWrapper", "tf.nn.rnn_cell.ResidualWrapper", True),
    Replacement("contrib.rnn.DeviceWrapper", "tf.nn.rnn_cell.DeviceWrapper", True),
    Replacement("contrib.rnn.LSTMStateTuple", "tf.nn.rnn_cell.LSTMStateTuple", True),
    Replacement("contrib.rnn.static_rnn", "tf.nn.static_rnn", True),
    Replacement("contrib.rnn.static_bidirectional_rnn", "tf.nn.static_bidirectional_rnn", True),
    Replacement("contrib.rnn.static_state_saving_rnn", "tf.nn.static_state_saving_rnn", True),
    Replacement("contrib.rnn.stack_bidirectional_dynamic_rnn", "tf.nn.bidirectional_dynamic_rnn"),
    Replacement("contrib.rnn.LSTMBlockCell", "tf.nn.rnn_cell.LSTMCell"),
    Replacement("contrib.rnn.LayerNormBasicLSTMCell", "tf.nn.rnn_cell.LSTMCell"),
    Replacement("contrib.rnn", "tf.nn.rnn_cell"),
    Replacement("contrib.cudnn_rnn", "tf.keras.layers.LSTM"),
    Replacement("contrib.seq2seq.sequence_loss", "tf.losses.sparse_softmax_cross_entropy"),
    Replacement("contrib.seq2seq.tile_batch", "tf.repeat"),
    Replacement("contrib.seq2seq", "your own tf.while_loop over tf.nn.rnn_cell"),
    Replacement("contrib.legacy_seq2seq", "your own tf.while_loop over tf.nn.rnn_cell"),
    Replacement("contrib.crf.viterbi_decode", "a copy of the function: it is NumPy only"),
    Replacement("contrib.crf", "a copy of the functions in your code base"),
    # lookup
    Replacement(
        "contrib.lookup.HashTable",
        "tf.lookup.StaticHashTable",
        note="lookup takes the keys, the initializer is the first argument in both",
    ),
    Replacement("contrib.lookup.MutableHashTable", "tf.lookup.experimental.MutableHashTable"),
    Replacement("contrib.lookup.MutableDenseHashTable", "tf.lookup.experimental.DenseHashTable"),
    Replacement(
        "contrib.lookup.KeyValueTensorInitializer", "tf.lookup.KeyValueTensorInitializer", True
    ),
    Replacement("contrib.lookup.TextFileInitializer", "tf.lookup.TextFileInitializer", True),
    Replacement("contrib.lookup.index_table_from_file", "tf.lookup.StaticVocabularyTable"),
    Replacement("contrib.lookup.index_table_from_tensor", "tf.lookup.StaticVocabularyTable"),
    Replacement("contrib.lookup.index_to_string_table_from_file", "tf.lookup.StaticHashTable"),
    Replacement("contrib.lookup.index_to_string_table_from_tensor", "tf.lookup.StaticHashTable"),
    Replacement("contrib.lookup", "tf.lookup"),
    # metrics and losses
    Replacement("contrib.metrics.streaming_accuracy", "tf.metrics.accuracy", note=_SWAPPED),
    Replacement("contrib.metrics.streaming_auc", "tf.metrics.auc", note=_SWAPPED),
    Replacement("contrib.metrics.streaming_precision", "tf.metrics.precision", note=_SWAPPED),
    Replacement("contrib.metrics.streaming_recall", "tf.metrics.recall", note=_SWAPPED),
    Replacement("contrib.metrics.streaming_mean", "tf.metrics.mean", True),
    Replacement("contrib.metrics.streaming_mean_iou", "tf.metrics.mean_iou", note=_SWAPPED),
    Replacement("contrib.metrics.accuracy", "tf.reduce_mean of tf.equal"),
    Replacement("contrib.metrics.f1_score", "tf.metrics.precision and tf.metrics.recall"),
    Replacement("contrib.metrics", "tf.metrics"),
    Replacement(
        "contrib.losses.softmax_cross_entropy", "tf.losses.softmax_cross_entropy", note=_SWAPPED
    ),
    Replacement(
        "contrib.losses.sparse_softmax_cross_entropy",
        "tf.losses.sparse_softmax_cross_entropy",
        note=_SWAPPED,
    ),
    Replacement("contrib.losses.get_total_loss", "tf.losses.get_total_loss"),
    Replacement("contrib.losses", "tf.losses"),
    # optimizers
    Replacement("contrib.opt.AdamWOptimizer", "tf.train.AdamOptimizer and a decay of your own"),
    Replacement("contrib.opt.LazyAdamOptimizer", "tf.train.AdamOptimizer"),
    Replacement("contrib.opt.NadamOptimizer", "tf.train.AdamOptimizer"),
    Replacement("contrib.opt.MovingAverageOptimizer", "tf.train.ExponentialMovingAverage"),
    Replacement("contrib.opt.ScipyOptimizerInterface", "scipy.optimize.minimize"),
    Replacement("contrib.opt", "tf.train.Optimizer subclasses of your own"),
    Replacement(
        "contrib.mixed_precision", "tf.train.experimental.enable_mixed_precision_graph_rewrite"
    ),
    # summaries
    Replacement("contrib.summary.create_file_writer", "tf.compat.v2.summary.create_file_writer"),
    Replacement("contrib.summary.scalar", "tf.compat.v2.summary.scalar"),
    Replacement("contrib.summary.histogram", "tf.compat.v2.summary.histogram"),
    Replacement("contrib.summary.always_record_summaries", "tf.compat.v2.summary.record_if"),
    Replacement(
        "contrib.summary.record_summaries_every_n_global_steps", "tf.compat.v2.summary.record_if"
    ),
    Replacement("contrib.summary", "tf.compat.v2.summary"),
    Replacement("contrib.tensorboard", "tensorboard.plugins"),
    # profiling and memory
    Replacement("contrib.memory_stats.BytesInUse", "tf.config.experimental.get_memory_info"),
    Replacement("contrib.memory_stats.MaxBytesInUse", "tf.config.experimental.get_memory_info"),
    Replacement("contrib.memory_stats.BytesLimit", "tf.config.experimental.get_memory_info"),
    Replacement("contrib.memory_stats", "tf.config.experimental.get_memory_info"),
    Replacement("contrib.tfprof.ProfileContext", "tf.train.ProfilerHook"),
    Replacement("contrib.tfprof", "tf.profiler"),
    Replacement("contrib.stat_summarizer", "tf.train.ProfilerHook"),
    # the rest
    Replacement("contrib.cloud.ConfigureGcsHook", "the tensorflow_io package"),
    Replacement("contrib.cloud", "the tensorflow_io package"),
    Replacement("contrib.checkpoint", "tf.train.Checkpoint"),
    Replacement("contrib.compiler.jit", "tf.function with jit_compile=True"),
    Replacement("contrib.compiler", "tf.function with jit_compile=True"),
    Replacement("contrib.distributions", "the tensorflow_probability package"),
    Replacement("contrib.bayesflow", "the tensorflow_probability package"),
    Replacement("contrib.eager.defun", "tf.function"),
    Replacement("contrib.eager.function", "tf.function"),
    Replacement("contrib.eager.GradientTape", "tf.GradientTape", True),
    Replacement("contrib.eager.Variable", "tf.Variable with use_resource=True"),
    Replacement("contrib.eager", "tf"),
    Replacement("contrib.autograph", "tf.autograph"),
    Replacement("contrib.feature_column", "tf.feature_column"),
    Replacement("contrib.image.rotate", "tf.raw_ops.ImageProjectiveTransformV2"),
    Replacement("contrib.image.transform", "tf.raw_ops.ImageProjectiveTransformV2"),
    Replacement("contrib.image", "tf.image"),
    Replacement("contrib.integrate.odeint", "the tensorflow_probability package"),
    Replacement("contrib.nn", "tf.nn"),
    Replacement("contrib.predictor.from_saved_model", "tf.saved_model.load"),
    Replacement("contrib.predictor", "tf.saved_model.load"),
    Replacement("contrib.saved_model", "tf.saved_model"),
    Replacement("contrib.session_bundle", "tf.saved_model"),
    Replacement("contrib.deprecated.scalar_summary", "tf.summary.scalar"),
    Replacement("contrib.deprecated.histogram_summary", "tf.summary.histogram"),
    Replacement("contrib.deprecated.merge_all_summaries", "tf.summary.merge_all"),
    Replacement("contrib.deprecated", "tf.summary"),
    Replacement("contrib.quantize", "the tensorflow_model_optimization package"),
    Replacement("contrib.model_pruning", "the tensorflow_model_optimization package"),
    Replacement("contrib.signal", "tf.signal"),
    Replacement("contrib.staging.StagingArea", "tf.data.Dataset.prefetch"),
    Replacement("contrib.staging", "tf.data.Dataset.prefetch"),
    Replacement("contrib.stateless", "tf.random.stateless_uniform and its siblings"),
    Replacement("contrib.tensorrt", "tensorflow.python.compiler.tensorrt"),
    Replacement("contrib.timeseries", "a model of your own"),
    Replacement("contrib.util.make_tensor_proto", "tf.make_tensor_proto", True),
    Replacement("contrib.util.make_ndarray", "tf.make_ndarray", True),
    Replacement("contrib.util.constant_value", "tf.get_static_value"),
    Replacement("contrib.util", "tf"),
    Replacement("contrib.keras", "tf.keras"),
    Replacement("contrib.graph_editor", "tf.graph_util"),
    Replacement("contrib.graph_editor.get_backward_walk_ops", "a walk over op.inputs"),
    Replacement("contrib.factorization.KMeansClustering", "sklearn.cluster.KMeans"),
    Replacement("contrib.boosted_trees", "the tensorflow_decision_forests package"),
    Replacement("contrib.tensor_forest", "the tensorflow_decision_forests package"),
)

#: Symbols that tf.contrib had in earlier 1.x versions and 1.15 no longer does.
EARLIER = (
    Replacement(
        "contrib.estimator.InMemoryEvaluatorHook",
        "tf.estimator.experimental.InMemoryEvaluatorHook",
        True,
    ),
    Replacement(
        "contrib.estimator.make_early_stopping_hook",
        "tf.estimator.experimental.make_early_stopping_hook",
        True,
    ),
    Replacement(
        "contrib.estimator.make_stop_at_checkpoint_step_hook",
        "tf.estimator.experimental.make_stop_at_checkpoint_step_hook",
        True,
    ),
    Replacement(
        "contrib.estimator.stop_if_higher_hook",
        "tf.estimator.experimental.stop_if_higher_hook",
        True,
    ),
    Replacement(
        "contrib.estimator.stop_if_lower_hook", "tf.estimator.experimental.stop_if_lower_hook", True
    ),
    Replacement(
        "contrib.estimator.stop_if_no_decrease_hook",
        "tf.estimator.experimental.stop_if_no_decrease_hook",
        True,
    ),
    Replacement(
        "contrib.estimator.stop_if_no_increase_hook",
        "tf.estimator.experimental.stop_if_no_increase_hook",
        True,
    ),
    Replacement("contrib.framework.CriticalSection", "tf.CriticalSection", True),
    Replacement("contrib.gan", "the tensorflow_gan package"),
    Replacement("contrib.data.Dataset", "tf.data.Dataset", True),
    Replacement("contrib.data.Iterator", "tf.data.Iterator", True),
    Replacement("contrib.data.TFRecordDataset", "tf.data.TFRecordDataset", True),
    Replacement("contrib.data.TextLineDataset", "tf.data.TextLineDataset", True),
    Replacement("contrib.rnn.core_rnn_cell", "tf.nn.rnn_cell"),
)
