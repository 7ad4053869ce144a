"""TPU estimators on a CPU or GPU (`use_tpu=False`); stands for `tf.estimator.tpu`."""

from typing import Any

from compat.estimator.tpu.config import InputPipelineConfig, RunConfig, TPUConfig
from compat.estimator.tpu.estimator import TPUEstimator
from compat.estimator.tpu.spec import TPUEstimatorSpec

__all__ = ["InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec"]


def __getattr__(name: str) -> Any:
    if name == "experimental":
        from compat.estimator import _reason

        raise AttributeError(_reason("estimator.tpu.experimental.EmbeddingConfigSpec"))
    raise AttributeError(f"module 'compat.estimator.tpu' has no attribute {name!r}")
