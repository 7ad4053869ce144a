"""On which surfaces a TensorFlow 1 name is not what it is in a graph session.

Data only, beside `symbols`; `compat.migrate.lookup.places` answers from both. The first
surface is the TF1 script itself. On the others, the question is whether a hook, a listener
or a scaffold that is given to them can make use of the name: build with it in `begin`,
fetch, feed and call it. A name that no row is about works there as in a graph session.
"""

from __future__ import annotations

from typing import NamedTuple

SESSION = "graph session"
FUNCTION = "tf.function"
FIT = "fit"
EVALUATE = "evaluate"
TF_KERAS = "tf_keras"
WORKERS = "two workers"

#: In the order of the guide's table. `fit` and `evaluate` are those of Keras 3,
#: `tf_keras` is `fit` with Keras 2, and `two workers` is the same under
#: MultiWorkerMirroredStrategy, or a `tf.function` step under it.
PLACES = (SESSION, FUNCTION, FIT, EVALUATE, TF_KERAS, WORKERS)

_LOOPS = (FIT, EVALUATE, TF_KERAS)
_OTHERS = PLACES[1:]


class Answer(NamedTuple):
    """What becomes of a name on one surface.

    Attributes:
      works: Whether it works.
      note: The condition, or the reason why not; may be empty where it works.
    """

    works: bool
    note: str = ""


class Row(NamedTuple):
    """What is particular about some names on some surfaces.

    Attributes:
      names: The dotted names without `tf.`; one that ends in a dot stands for all below it.
      places: The surfaces.
      works: Whether they work there.
      note: The condition, or the reason why not.
    """

    names: tuple[str, ...]
    places: tuple[str, ...]
    works: bool
    note: str


def _hook(*leaves: str) -> tuple[str, ...]:
    """The names that a hook has in TF1."""
    return tuple(f"{module}.{leaf}" for leaf in leaves for module in ("train", "estimator"))


_STANDS_STILL = "the global step stands still there"
_IN_A_GRAPH = (
    "Keras 2 layers made in a graph break the model that is running: make them before `fit`"
)

_OPTIMIZERS = (
    "",
    "Adadelta",
    "Adagrad",
    "AdagradDA",
    "Adam",
    "Ftrl",
    "GradientDescent",
    "Momentum",
    "ProximalAdagrad",
    "ProximalGradientDescent",
    "RMSProp",
)
_ESTIMATORS = (
    "estimator.Estimator",
    "estimator.DNNClassifier",
    "estimator.DNNLinearCombinedClassifier",
    "estimator.DNNLinearCombinedRegressor",
    "estimator.DNNRegressor",
    "estimator.LinearClassifier",
    "estimator.LinearRegressor",
    "estimator.tpu.TPUEstimator",
    "estimator.train_and_evaluate",
)

#: The first row that is about a name and a surface decides.
ROWS = (
    # Hooks
    Row(
        _hook("StopAtStepHook"),
        (EVALUATE,),
        False,
        f"{_STANDS_STILL}: `StopAfterNEvalsHook` counts batches",
    ),
    Row(_hook("StepCounterHook"), (EVALUATE,), False, f"{_STANDS_STILL}: nothing to count"),
    Row(_hook("GlobalStepWaiterHook"), (EVALUATE,), False, f"{_STANDS_STILL}: would wait forever"),
    Row(
        _hook("CheckpointSaverHook", "CheckpointSaverListener"),
        (FUNCTION,),
        True,
        "with a `tf.train.Checkpoint` of the step's variables as the `Scaffold`'s saver",
    ),
    Row(
        _hook("CheckpointSaverHook", "CheckpointSaverListener"),
        (EVALUATE,),
        True,
        f"saves once: {_STANDS_STILL}",
    ),
    Row(
        _hook("CheckpointSaverHook", "CheckpointSaverListener", "StepCounterHook", "ProfilerHook"),
        (WORKERS,),
        True,
        "on the chief",
    ),
    Row(_hook("ProfilerHook"), (EVALUATE,), True, f"with `save_secs`: {_STANDS_STILL}"),
    Row(
        _hook("SummarySaverHook"),
        (WORKERS,),
        True,
        "on the chief; in `fit`, what it writes of the batch (loss, gradients, outputs) must be "
        "fetched in every step by a hook of every worker",
    ),
    Row(
        _hook("FeedFnHook"),
        (WORKERS,),
        False,
        "a batch that is spread over workers can't be fed: change the dataset",
    ),
    Row(
        (
            "estimator.experimental.make_early_stopping_hook",
            "estimator.experimental.make_stop_at_checkpoint_step_hook",
            "estimator.experimental.stop_if_higher_hook",
            "estimator.experimental.stop_if_lower_hook",
            "estimator.experimental.stop_if_no_decrease_hook",
            "estimator.experimental.stop_if_no_increase_hook",
        ),
        (EVALUATE,),
        False,
        f"{_STANDS_STILL}, and it is what they look at",
    ),
    Row(
        ("estimator.experimental.InMemoryEvaluatorHook",),
        (TF_KERAS, WORKERS),
        False,
        "a `model_fn` of Keras 2 layers breaks the model that is running: use `validation_data`",
    ),
    # Sessions
    Row(
        ("train.MonitoredTrainingSession",),
        (FUNCTION, WORKERS),
        True,
        "with `global_step=`",
    ),
    Row(
        ("train.SingularMonitoredSession", "train.MonitoredSession"),
        (FUNCTION,),
        True,
        "with `global_step=`",
    ),
    Row(
        (
            "train.SingularMonitoredSession",
            "train.MonitoredSession",
            "train.ChiefSessionCreator",
            "train.WorkerSessionCreator",
            "train.SessionCreator",
            "train.SessionManager",
            "Session",
            "InteractiveSession",
        ),
        (WORKERS,),
        False,
        "one process each: `MonitoredTrainingSession` starts and stops workers together",
    ),
    Row(
        (
            "train.SingularMonitoredSession",
            "train.MonitoredSession",
            "train.MonitoredTrainingSession",
            "train.ChiefSessionCreator",
            "train.WorkerSessionCreator",
            "train.SessionCreator",
            "train.SessionManager",
        ),
        _LOOPS,
        False,
        "the model runs the steps: pass the hooks as callbacks",
    ),
    Row(
        ("Session", "InteractiveSession"),
        _OTHERS,
        True,
        "for a graph of its own; of the loop, a hook has `run_context.session`",
    ),
    Row(("train.Scaffold",), _LOOPS, True, "through `HookCallback(hooks, scaffold=…)`"),
    Row(("train.Scaffold",), (WORKERS,), True, "in `MonitoredTrainingSession`"),
    Row(("train.Supervisor",), _OTHERS, False, "it opens a session of TensorFlow's own"),
    Row(
        ("ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions"),
        _LOOPS,
        False,
        "there is no session to configure: use `tf.config`",
    ),
    Row(
        ("ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions"),
        (WORKERS,),
        True,
        "in `MonitoredTrainingSession`",
    ),
    # What the surface has already
    Row(
        ("disable_eager_execution", "disable_v2_behavior", "disable_resource_variables"),
        _OTHERS,
        False,
        "leave it out: the step runs eagerly, and hooks have a default graph",
    ),
    Row(
        ("enable_eager_execution", "enable_v2_behavior"),
        _OTHERS,
        True,
        "is on already",
    ),
    Row(
        ("trainable_variables", "global_variables", "all_variables", "model_variables"),
        (FUNCTION,),
        False,
        "a graph of hooks knows the global step alone: hold the step's `tf.Variable`s",
    ),
    Row(
        ("train.Saver",),
        (FUNCTION,),
        False,
        "it would save the global step alone: `tf.train.Checkpoint` of the step's variables",
    ),
    Row(
        ("gradients",),
        (FUNCTION,),
        True,
        "among a hook's own ops; the step returns its gradients",
    ),
    Row(
        ("gradients",),
        (FIT, TF_KERAS, WORKERS),
        True,
        "among a hook's own ops; the model's are `\"gradients/hidden/kernel:0\"`",
    ),
    Row(("gradients",), (EVALUATE,), True, "among a hook's own ops; the model's aren't computed"),
    Row(
        tuple(f"train.{kind}Optimizer" for kind in _OPTIMIZERS),
        _OTHERS,
        True,
        "on a loss that a hook builds; the step has its own optimizer",
    ),
    Row(
        ("train.SyncReplicasOptimizer",),
        _OTHERS,
        False,
        "a `tf.distribute` strategy sums the gradients: leave it out",
    ),
    # Layers
    Row(
        ("layers.", "feature_column.input_layer", "feature_column.linear_model"),
        (FUNCTION,),
        True,
        "arguments of the step need their `set_shape` first",
    ),
    Row(("layers.", "keras.layers."), (TF_KERAS, WORKERS), False, _IN_A_GRAPH),
    Row(
        ("keras.Sequential", "keras.Model", "keras.models.", "keras.applications."),
        (TF_KERAS, WORKERS),
        False,
        _IN_A_GRAPH,
    ),
    # Estimators
    Row(
        _ESTIMATORS,
        (FUNCTION, *_LOOPS),
        True,
        "in a graph and session of its own; the hooks it was given also run here",
    ),
    Row(_ESTIMATORS, (WORKERS,), False, "move the model to Keras; the hooks go along"),
    Row(("distribute.",), _OTHERS, True, "around the step or the model, not in a hook"),
)
