"""The one table of TensorFlow 1 names: what becomes of each of them.

Data only. `compat.migrate.lookup` answers questions from it; `compat.v1`, `run`, `check`,
`upgrade` and the guide's compatibility page all read it from there. Names are
written without the leading `tf.`. A name of TF 1.15 that has no row of its own
takes the row of its family, and without one it is C101: TensorFlow still ships it
under `tf.compat.v1`, and this package hands it on.
"""

from __future__ import annotations

from typing import NamedTuple

WORKS = "works"
DIFFERS = "differs"
HAND = "hand"
UNSUPPORTED = "unsupported"
INFO = "info"
ERROR = "error"

#: What a status means, in the words of the reports.
STATUS_TITLES = {
    WORKS: "works unchanged",
    DIFFERS: "works, behaves differently",
    HAND: "needs a hand",
    UNSUPPORTED: "not supported",
    INFO: "hook classes",
    ERROR: "could not be read",
}


class Rule(NamedTuple):
    """One stable code of `check`.

    Attributes:
      status: One of the statuses above.
      title: The rule in a few words.
    """

    status: str
    title: str


class Row(NamedTuple):
    """What is known about one name, or about a family of names.

    Attributes:
      name: The dotted name without `tf.`, or a full path for a private module.
      code: A key of `RULES`.
      note: How it differs, or what a person has to do.
      use: What to use instead, where there is something.
    """

    name: str
    code: str
    note: str = ""
    use: str = ""


RULES = {
    "C101": Rule(WORKS, "TensorFlow's own, as in tf.compat.v1"),
    "C102": Rule(WORKS, "a hook, a session or a helper of this package, same interface"),
    "C103": Rule(WORKS, "a legacy layer or cell, through tf-keras"),
    "C104": Rule(WORKS, "a private path whose public name run and upgrade use"),
    "C105": Rule(WORKS, "the Estimator surface of this package"),
    "C106": Rule(WORKS, "a module outside the API that TensorFlow still ships"),
    "C107": Rule(WORKS, "a tf.contrib name that is led to its successor"),
    "C201": Rule(DIFFERS, "a session without a C session"),
    "C202": Rule(DIFFERS, "a switch between TF1 and TF2 behaviour"),
    "C203": Rule(DIFFERS, "random numbers"),
    "C204": Rule(DIFFERS, "profiling"),
    "C205": Rule(DIFFERS, "session configuration"),
    "C206": Rule(DIFFERS, "Keras 2 under tf.keras"),
    "C207": Rule(DIFFERS, "synchronous training on one machine"),
    "C208": Rule(DIFFERS, "opens a session of TensorFlow's own"),
    "C301": Rule(HAND, "a name from before TF 1.15"),
    "C302": Rule(HAND, "a distribution strategy around a session"),
    "C303": Rule(HAND, "TPU programs"),
    "C304": Rule(HAND, "a name that TF 1.15 does not have"),
    "C305": Rule(HAND, "a name of the TF 2 API only"),
    "C306": Rule(HAND, "a private path without a public name"),
    "C307": Rule(HAND, "values kept inside a C session"),
    "C308": Rule(HAND, "a compiled custom op"),
    "C309": Rule(HAND, "TensorFlow Lite conversion from a session"),
    "C401": Rule(UNSUPPORTED, "parameter servers"),
    "C402": Rule(UNSUPPORTED, "partial runs"),
    "C403": Rule(UNSUPPORTED, "tf.contrib was removed"),
    "C404": Rule(UNSUPPORTED, "an Estimator part without a successor"),
    "C405": Rule(UNSUPPORTED, "removed from TensorFlow"),
    "C406": Rule(UNSUPPORTED, "the session debugger"),
    "C407": Rule(UNSUPPORTED, "example packages"),
    "C501": Rule(INFO, "a hook class"),
    "C502": Rule(INFO, "a checkpoint listener class"),
    "C503": Rule(INFO, "a hook by its methods, without the base class"),
    "C601": Rule(HAND, "the code base has a module named compat"),
    "C901": Rule(ERROR, "not valid Python"),
    "C902": Rule(ERROR, "Python 2"),
    "C903": Rule(ERROR, "unreadable"),
}

_SEED_NOTE = (
    "an op without a seed of its own takes one from its number in the graph, and TF 2 numbers "
    "ops differently: give each random op its own seed to get TF1's numbers"
)
_SHUFFLE_NOTE = "never repeats within a session, but the numbers are not those of a TF1 session"
_SWITCH_NOTE = "gives the script a default graph; TensorFlow itself stays eager"
_PROFILE_NOTE = "filled from tf.profiler; needs no GPU tools, times are the profiler's"
_CONFIG_NOTE = (
    "accepted; thread, memory and device options are those of the running process, set them "
    "with tf.config before the first op"
)
_PS = "tf.distribute.MultiWorkerMirroredStrategy around a tf.function step"
_MODEL_FN = "tf.estimator.Estimator with a model_fn of your own"
_SPEC = "tf.estimator.EstimatorSpec with the loss and metrics written out"
_PARSE = "tf.feature_column.make_parse_example_spec"
_CLUSTER_NOTE = "parameter servers and remote sessions need a C session"

#: Names that need a word of their own.
ROWS = (
    # Sessions and hooks
    Row("Session", "C201", "runs compiled eager functions; `target` must be empty"),
    Row("InteractiveSession", "C201", "runs compiled eager functions; `target` must be empty"),
    Row("train.SingularMonitoredSession", "C102"),
    Row("train.MonitoredSession", "C102"),
    Row("train.MonitoredTrainingSession", "C102"),
    Row("train.ChiefSessionCreator", "C102"),
    Row("train.WorkerSessionCreator", "C102"),
    Row("train.SessionCreator", "C102"),
    Row("train.SessionManager", "C102"),
    Row("train.Scaffold", "C102"),
    Row("train.SessionRunHook", "C102"),
    Row("train.SessionRunArgs", "C102"),
    Row("train.SessionRunContext", "C102"),
    Row("train.SessionRunValues", "C102"),
    Row("train.CheckpointSaverHook", "C102"),
    Row("train.CheckpointSaverListener", "C102"),
    Row("train.FeedFnHook", "C102"),
    Row("train.FinalOpsHook", "C102"),
    Row("train.GlobalStepWaiterHook", "C102"),
    Row("train.LoggingTensorHook", "C102"),
    Row("train.NanTensorHook", "C102"),
    Row("train.NanLossDuringTrainingError", "C102"),
    Row("train.SecondOrStepTimer", "C102"),
    Row("train.StepCounterHook", "C102"),
    Row("train.StopAtStepHook", "C102"),
    Row("train.SummarySaverHook", "C102"),
    Row("train.ProfilerHook", "C204", _PROFILE_NOTE),
    Row("train.Supervisor", "C208", "hooks do not run in it", "tf.train.MonitoredTrainingSession"),
    Row("test.TestCase", "C208", "`self.session()` is TensorFlow's graph session"),
    # Switches
    Row("disable_eager_execution", "C202", _SWITCH_NOTE),
    Row("disable_v2_behavior", "C202", _SWITCH_NOTE),
    Row("enable_eager_execution", "C202", "eager execution is on already"),
    Row("enable_v2_behavior", "C202", "TF 2 behaviour is on already"),
    Row("disable_resource_variables", "C202", "all variables are resource variables"),
    # Random numbers
    Row("set_random_seed", "C203", _SEED_NOTE),
    Row("random.set_random_seed", "C203", _SEED_NOTE),
    Row("random_shuffle", "C203", _SHUFFLE_NOTE),
    Row("random.shuffle", "C203", _SHUFFLE_NOTE),
    Row("multinomial", "C203", _SHUFFLE_NOTE),
    Row("random.multinomial", "C203", _SHUFFLE_NOTE),
    Row("random.categorical", "C203", _SHUFFLE_NOTE),
    Row("random_gamma", "C203", _SHUFFLE_NOTE),
    Row("random.gamma", "C203", _SHUFFLE_NOTE),
    Row("random_poisson", "C203", _SHUFFLE_NOTE),
    Row("random.poisson", "C203", _SHUFFLE_NOTE),
    # Profiling and configuration
    Row("RunMetadata", "C204", _PROFILE_NOTE),
    Row("RunOptions", "C204", "FULL_TRACE is answered by tf.profiler; timeouts are kept"),
    Row("ConfigProto", "C205", _CONFIG_NOTE),
    Row("GPUOptions", "C205", _CONFIG_NOTE),
    Row("OptimizerOptions", "C205", _CONFIG_NOTE),
    Row("GraphOptions", "C205", _CONFIG_NOTE),
    # Several machines
    Row("train.Server", "C401", _CLUSTER_NOTE, _PS),
    Row("train.replica_device_setter", "C401", _CLUSTER_NOTE, _PS),
    Row("train.SyncReplicasOptimizer", "C207", "chief and worker of one process"),
    # Values kept in a C session
    Row("get_session_handle", "C307", "", "a tf.Variable that keeps the value"),
    Row("get_session_tensor", "C307", "", "a tf.Variable that keeps the value"),
    Row("delete_session_tensor", "C307", "", "a tf.Variable that keeps the value"),
    Row("load_op_library", "C308", "build the library against the installed TensorFlow"),
    Row("load_file_system_library", "C308", "build the library against the installed TensorFlow"),
    # Removed
    Row("config.experimental_list_devices", "C405", "", "tf.config.list_logical_devices"),
    Row(
        "data.experimental.CheckpointInputPipelineHook",
        "C405",
        "",
        "tf.data.experimental.make_saveable_from_iterator in the Saver's variables",
    ),
    Row("data.experimental.MapVectorizationOptions", "C405", "", "no option: leave it out"),
    Row("data.experimental.StatsAggregator", "C405", "", "tf.profiler"),
    Row("data.experimental.StatsOptions", "C405", "", "tf.profiler"),
    Row("data.experimental.bytes_produced_stats", "C405", "", "tf.profiler"),
    Row("data.experimental.latency_stats", "C405", "", "tf.profiler"),
    Row("lite.experimental.get_potentially_supported_ops", "C405", "", "the converter's own check"),
    Row("lite.experimental.nn", "C405", "", "tf_keras.layers.LSTM"),
    Row("raw_ops.CompareAndBitpack", "C405", "", "tf.cast and tf.bitwise"),
    Row("tpu.experimental.AdagradParameters", "C405", "", "tf.tpu.experimental.embedding.Adagrad"),
    Row("tpu.experimental.AdamParameters", "C405", "", "tf.tpu.experimental.embedding.Adam"),
    Row(
        "tpu.experimental.StochasticGradientDescentParameters",
        "C405",
        "",
        "tf.tpu.experimental.embedding.SGD",
    ),
    # Keras
    Row(
        "keras.estimator.model_to_estimator",
        "C404",
        "",
        "model.fit(…, callbacks=[hook]) of this package",
    ),
    Row("keras.experimental.LinearCosineDecay", "C405", "", "tf.train.linear_cosine_decay"),
    Row(
        "keras.experimental.NoisyLinearCosineDecay",
        "C405",
        "",
        "tf.train.noisy_linear_cosine_decay",
    ),
    Row("keras.experimental.PeepholeLSTMCell", "C405", "", "tf.nn.rnn_cell.LSTMCell"),
    Row("keras.experimental.export_saved_model", "C405", "", "model.save or model.export"),
    Row("keras.experimental.load_from_saved_model", "C405", "", "tf_keras.models.load_model"),
    Row(
        "keras.experimental.terminate_keras_multiprocessing_pools",
        "C405",
        "",
        "nothing: the pools end by themselves",
    ),
    Row("keras.mixed_precision.experimental", "C405", "", "tf_keras.mixed_precision"),
    Row("keras.utils.HDF5Matrix", "C405", "", "h5py.Dataset"),
    Row("keras.utils.convert_all_kernels_in_model", "C405", "", "nothing: it was for Theano"),
    Row("keras.utils.multi_gpu_model", "C405", "", "tf.distribute.MirroredStrategy"),
    Row("keras.wrappers.scikit_learn", "C405", "", "the scikeras package"),
    # Estimator hooks
    Row("estimator.CheckpointSaverHook", "C102"),
    Row("estimator.CheckpointSaverListener", "C102"),
    Row("estimator.FeedFnHook", "C102"),
    Row("estimator.FinalOpsHook", "C102"),
    Row("estimator.GlobalStepWaiterHook", "C102"),
    Row("estimator.LoggingTensorHook", "C102"),
    Row("estimator.NanLossDuringTrainingError", "C102"),
    Row("estimator.NanTensorHook", "C102"),
    Row("estimator.ProfilerHook", "C204", _PROFILE_NOTE),
    Row("estimator.SecondOrStepTimer", "C102"),
    Row("estimator.SessionRunArgs", "C102"),
    Row("estimator.SessionRunContext", "C102"),
    Row("estimator.SessionRunHook", "C102"),
    Row("estimator.SessionRunValues", "C102"),
    Row("estimator.StepCounterHook", "C102"),
    Row("estimator.StopAtStepHook", "C102"),
    Row("estimator.SummarySaverHook", "C102"),
    Row("estimator.experimental.InMemoryEvaluatorHook", "C102"),
    Row("estimator.experimental.make_early_stopping_hook", "C102"),
    Row("estimator.experimental.make_stop_at_checkpoint_step_hook", "C102"),
    Row("estimator.experimental.stop_if_higher_hook", "C102"),
    Row("estimator.experimental.stop_if_lower_hook", "C102"),
    Row("estimator.experimental.stop_if_no_decrease_hook", "C102"),
    Row("estimator.experimental.stop_if_no_increase_hook", "C102"),
    # Estimators without a successor
    Row("estimator.BaselineClassifier", "C404", "", _MODEL_FN),
    Row("estimator.BaselineEstimator", "C404", "", _MODEL_FN),
    Row("estimator.BaselineRegressor", "C404", "", _MODEL_FN),
    Row("estimator.DNNEstimator", "C404", "", _MODEL_FN),
    Row("estimator.DNNLinearCombinedEstimator", "C404", "", _MODEL_FN),
    Row("estimator.LinearEstimator", "C404", "", _MODEL_FN),
    Row("estimator.BinaryClassHead", "C404", "", _SPEC),
    Row("estimator.Head", "C404", "", _SPEC),
    Row("estimator.LogisticRegressionHead", "C404", "", _SPEC),
    Row("estimator.MultiClassHead", "C404", "", _SPEC),
    Row("estimator.MultiHead", "C404", "", _SPEC),
    Row("estimator.MultiLabelHead", "C404", "", _SPEC),
    Row("estimator.PoissonRegressionHead", "C404", "", _SPEC),
    Row("estimator.RegressionHead", "C404", "", _SPEC),
    Row("estimator.add_metrics", "C404", "", _SPEC),
    Row("estimator.classifier_parse_example_spec", "C404", "", _PARSE),
    Row("estimator.regressor_parse_example_spec", "C404", "", _PARSE),
    Row("estimator.experimental.call_logit_fn", "C404", "", _MODEL_FN),
    Row("estimator.experimental.dnn_logit_fn_builder", "C404", "", _MODEL_FN),
    Row("estimator.experimental.linear_logit_fn_builder", "C404", "", _MODEL_FN),
    Row("estimator.tpu.experimental.EmbeddingConfigSpec", "C404", "", "tf.tpu.experimental"),
    Row("estimator.BoostedTreesClassifier", "C404", "", "the tensorflow_decision_forests package"),
    Row("estimator.BoostedTreesEstimator", "C404", "", "the tensorflow_decision_forests package"),
    Row("estimator.BoostedTreesRegressor", "C404", "", "the tensorflow_decision_forests package"),
    Row("estimator.experimental.KMeans", "C404", "", "sklearn.cluster.KMeans"),
    Row("estimator.experimental.LinearSDCA", "C404", "", "tf.train.FtrlOptimizer"),
)

#: Rows for every name below a prefix that has no row of its own.
FAMILIES = (
    Row("contrib", "C403", "", "the package or tf.* name that took it over"),
    Row("distribute", "C302", "keep the strategy, run it in a tf.function step"),
    Row("estimator", "C105"),
    Row("keras", "C206", "tf.keras is Keras 2 (tf-keras), so that models live in graph code"),
    Row("layers", "C103"),
    Row("lite", "C309", "convert from a SavedModel instead of a session"),
    Row("nn.rnn_cell", "C103"),
    Row("profiler", "C204", _PROFILE_NOTE),
    Row("raw_ops.LoadTPUEmbedding", "C303", "TPU embedding tables load through tf.tpu"),
    Row("raw_ops.RetrieveTPUEmbedding", "C303", "TPU embedding tables load through tf.tpu"),
    Row("tpu", "C303", "use tf.distribute.TPUStrategy with a tf.function step"),
)

#: Names that TF 1.15 itself no longer had; code from TF 0.x and early 1.x uses them.
RENAMED = (
    Row("batch_matrix_matmul", "C301", "", "tf.matmul"),
    Row("batch_matmul", "C301", "", "tf.matmul"),
    Row("complex_abs", "C301", "", "tf.abs"),
    Row("concat_v2", "C301", "", "tf.concat"),
    Row("histogram_summary", "C301", "", "tf.summary.histogram"),
    Row("image_summary", "C301", "", "tf.summary.image"),
    Row("audio_summary", "C301", "", "tf.summary.audio"),
    Row("scalar_summary", "C301", "", "tf.summary.scalar"),
    Row("merge_summary", "C301", "", "tf.summary.merge"),
    Row("merge_all_summaries", "C301", "", "tf.summary.merge_all"),
    Row("initialize_variables_op", "C301", "", "tf.variables_initializer"),
    Row("inv", "C301", "", "tf.reciprocal"),
    Row("mul", "C301", "", "tf.multiply"),
    Row("neg", "C301", "", "tf.negative"),
    Row("sub", "C301", "", "tf.subtract"),
    Row("pack", "C301", "", "tf.stack"),
    Row("unpack", "C301", "", "tf.unstack"),
    Row("select", "C301", "", "tf.where"),
    Row("listdiff", "C301", "", "tf.setdiff1d"),
    Row("models.rnn", "C301", "", "tf.nn"),
    Row("nn.rnn", "C301", "", "tf.nn.static_rnn"),
    Row("nn.bidirectional_rnn", "C301", "", "tf.nn.static_bidirectional_rnn"),
    Row("nn.state_saving_rnn", "C301", "", "tf.nn.static_state_saving_rnn"),
    Row("nn.seq2seq", "C301", "", "your own loop over tf.nn.rnn_cell"),
    Row("ops.GraphKeys", "C301", "", "tf.GraphKeys"),
    Row("python_io.tf_record_reader", "C301", "", "tf.python_io.tf_record_iterator"),
    Row("train.SummaryWriter", "C301", "", "tf.summary.FileWriter"),
    Row("train.SummaryWriterCache", "C301", "", "tf.summary.FileWriterCache"),
    Row("train.summary_iterator_v2", "C301", "", "tf.train.summary_iterator"),
    Row("train.monitored_session", "C301", "", "tf.train.MonitoredSession"),
    Row("train.get_or_create_eval_step", "C301", "", "a variable of your own that counts"),
    Row("unsorted_segment_sum_v2", "C301", "", "tf.unsorted_segment_sum"),
)

#: Of those, the names that only changed: the new one takes the same arguments.
ONLY_RENAMED = frozenset(
    {
        "audio_summary",
        "batch_matrix_matmul",
        "complex_abs",
        "concat_v2",
        "histogram_summary",
        "initialize_variables_op",
        "inv",
        "merge_all_summaries",
        "merge_summary",
        "mul",
        "neg",
        "pack",
        "scalar_summary",
        "select",
        "sub",
        "train.SummaryWriter",
        "train.SummaryWriterCache",
        "unpack",
    }
)

#: Names below tf.contrib that this package brings back.
CONTRIB_KEPT = frozenset(
    {"contrib.training.StopAfterNEvalsHook", "contrib.training.SummaryAtEndHook"}
)

#: Modules outside the API, by full path, for names without a public twin.
PRIVATE = (
    Row("tensorflow.core", "C106"),
    Row("tensorflow.python.client.device_lib", "C106"),
    Row("tensorflow.python.client.timeline", "C204", _PROFILE_NOTE),
    Row("tensorflow.python.debug", "C406", "", "tf.debugging.experimental.enable_dump_debug_info"),
    Row("tensorflow.python.tools.freeze_graph", "C106"),
    Row("tensorflow.python.tools.inspect_checkpoint", "C106"),
    Row("tensorflow.python.tools.optimize_for_inference_lib", "C106"),
    Row("tensorflow.python.training.evaluation", "C306", "", "tf.train.MonitoredSession"),
    Row("tensorflow.python.platform.test", "C104", "", "tf.test"),
    Row("tensorflow.python", "C306", "find a public name, or keep the private import"),
    Row("tensorflow_estimator.python", "C306", "only the public tf.estimator names are kept"),
    Row(
        "tensorflow.examples.tutorials.mnist",
        "C407",
        "",
        "tf.keras.datasets.mnist or sklearn.datasets.load_digits",
    ),
    Row("tensorflow.examples", "C407", "", "a copy of the file in your code base"),
    Row("tensorflow.models", "C407", "", "a copy of the file in your code base"),
    Row("tensorflow.tools.graph_transforms", "C405", "", "tf.lite or tf.graph_util"),
    Row("tensorflow.tools", "C306", "not part of the package"),
    Row("tensorflow.compiler", "C306", "not part of the API"),
    Row("tensorflow.tensorboard", "C405", "", "the tensorboard package"),
)

#: Method names that give a feature away whatever they are called on.
METHODS = (
    Row("partial_run", "C402", "", "one session.run call for each part, or a tf.function step"),
    Row("partial_run_setup", "C402", "", "one session.run call for each part"),
)

#: Public hook classes of TF 1.15, by leaf name; bases that make a class a hook.
HOOK_BASES = frozenset(
    {
        "SessionRunHook",
        "CheckpointSaverHook",
        "FeedFnHook",
        "FinalOpsHook",
        "GlobalStepWaiterHook",
        "LoggingTensorHook",
        "NanTensorHook",
        "ProfilerHook",
        "StepCounterHook",
        "StopAtStepHook",
        "SummarySaverHook",
        "InMemoryEvaluatorHook",
    }
)
LISTENER_BASES = frozenset({"CheckpointSaverListener"})

#: The methods TF 1.15 calls on a hook and on a listener.
HOOK_METHODS = ("begin", "after_create_session", "before_run", "after_run", "end")
LISTENER_METHODS = ("begin", "before_save", "after_save", "end")
