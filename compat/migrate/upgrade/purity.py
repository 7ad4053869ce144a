"""Which TF1 names a step may use, and which are the same with and without a graph. Data only."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


#: Families of ops without state: they can stand in a tf.function as they are.
PURE_FAMILIES = ("math.", "linalg.", "bitwise.", "strings.", "dtypes.", "sparse.", "signal.")

#: Single ops without state.
PURE = frozenset(
    _words("""
    abs acos add add_n argmax argmin asin atan boolean_mask broadcast_to cast ceil
    clip_by_norm clip_by_value concat constant convert_to_tensor cos cumsum div divide equal
    exp expand_dims eye fill floor floor_div floordiv floormod gather gather_nd greater
    greater_equal identity is_finite is_nan less less_equal linspace log log1p logical_and
    logical_not logical_or matmul maximum meshgrid minimum mod multiply negative norm
    not_equal one_hot ones ones_like pad pow range rank realdiv reciprocal reduce_all
    reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum
    reshape reverse round rsqrt shape sigmoid sign sin size slice split sqrt square
    squared_difference squeeze stack stop_gradient subtract tan tanh tensordot tile to_double
    to_float to_int32 to_int64 top_k transpose truediv unstack where zeros zeros_like
    nn.avg_pool nn.bias_add nn.conv1d nn.conv2d nn.elu nn.embedding_lookup nn.in_top_k
    nn.l2_loss nn.l2_normalize nn.leaky_relu nn.log_softmax nn.max_pool nn.moments nn.relu
    nn.relu6 nn.selu nn.sigmoid nn.sigmoid_cross_entropy_with_logits nn.softmax
    nn.softmax_cross_entropy_with_logits nn.softmax_cross_entropy_with_logits_v2 nn.softplus
    nn.softsign nn.sparse_softmax_cross_entropy_with_logits nn.tanh nn.top_k nn.xw_plus_b
    losses.absolute_difference losses.huber_loss losses.log_loss losses.mean_squared_error
    losses.sigmoid_cross_entropy losses.softmax_cross_entropy
    losses.sparse_softmax_cross_entropy
""")
)

#: Ops that give a variable its first value.
INITIAL = frozenset(
    _words("""
    constant_initializer glorot_normal_initializer glorot_uniform_initializer ones_initializer
    random_normal random_normal_initializer random_uniform random_uniform_initializer
    truncated_normal truncated_normal_initializer variance_scaling_initializer
    zeros_initializer initializers.constant initializers.glorot_normal
    initializers.glorot_uniform initializers.ones initializers.random_normal
    initializers.random_uniform initializers.truncated_normal initializers.variance_scaling
    initializers.zeros random.normal random.truncated_normal random.uniform
""")
)

#: Names that build no graph, and mean the same everywhere.
NEUTRAL_FAMILIES = ("app.", "flags.", "logging.", "gfile.", "errors.", "data.", "compat.", "test.")
NEUTRAL = frozenset(
    _words("""
    bfloat16 bool complex128 complex64 double float16 float32 float64 half int16 int32 int64
    int8 qint8 quint8 string uint16 uint32 uint64 uint8 ConfigProto GPUOptions GraphKeys
    VERSION __version__ get_logger train.latest_checkpoint train.SecondOrStepTimer
    train.SessionRunArgs train.SessionRunContext train.SessionRunHook train.SessionRunValues
    train.CheckpointSaverListener train.get_global_step train.NanLossDuringTrainingError
    enable_eager_execution enable_v2_behavior
""")
)

#: Switches that a rewritten file must not have.
SWITCHES = frozenset({"disable_eager_execution", "disable_v2_behavior"})

#: Built-in hooks, and whether their first argument takes tensors or tensor names.
HOOKS = {
    "train.LoggingTensorHook": True,
    "train.NanTensorHook": True,
    "train.StopAtStepHook": False,
    "train.StepCounterHook": False,
    "train.ProfilerHook": False,
}

#: Optimizers of TF1 that work on eager variables.
OPTIMIZERS = frozenset(
    f"train.{name}Optimizer"
    for name in (
        "Adadelta",
        "Adagrad",
        "Adam",
        "Ftrl",
        "GradientDescent",
        "Momentum",
        "ProximalAdagrad",
        "ProximalGradientDescent",
        "RMSProp",
    )
)


def is_pure(name: str) -> bool:
    """Whether an op has no state and builds no variable."""
    return name in PURE or name.startswith(PURE_FAMILIES)


def is_neutral(name: str) -> bool:
    """Whether a name means the same with and without a graph."""
    return name in NEUTRAL or name.startswith(NEUTRAL_FAMILIES)
