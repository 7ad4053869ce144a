"""TPU estimators without a TPU: settings that are refused. Their runs are in the scripts."""

import pytest

from compat.estimator import tpu

PER_HOST_V2 = tpu.InputPipelineConfig.PER_HOST_V2


@pytest.mark.parametrize(
    "setting",
    [
        {"iterations_per_loop": 0},
        {"num_shards": 0},
        {"num_cores_per_replica": 3},
        {"initial_infeed_sleep_secs": -1},
        {"input_partition_dims": [[1]]},
        {"input_partition_dims": [[1]] * 3, "per_host_input_for_training": PER_HOST_V2},
        {"eval_training_input_configuration": tpu.InputPipelineConfig.BROADCAST},
    ],
)
def test_wrong_settings_are_refused(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        tpu.TPUConfig(**setting)


def test_settings_in_their_range_are_kept():
    config = tpu.TPUConfig(
        "60s",
        num_shards=8,
        num_cores_per_replica=2,
        input_partition_dims=[[1], None],
        per_host_input_for_training=PER_HOST_V2,
    )
    assert (config.num_shards, config.num_cores_per_replica) == (8, 2)


def test_a_tpu_is_refused():
    with pytest.raises(NotImplementedError, match="'TPU estimators'"):
        tpu.TPUEstimator(lambda features, params: None, config=tpu.RunConfig())
