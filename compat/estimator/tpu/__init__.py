"""TPU estimators on a CPU or GPU (`use_tpu=False`); stands for `tf.estimator.tpu`."""

from compat.estimator.tpu.config import InputPipelineConfig, RunConfig, TPUConfig
from compat.estimator.tpu.estimator import TPUEstimator
from compat.estimator.tpu.spec import TPUEstimatorSpec

__all__ = ["InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec"]
