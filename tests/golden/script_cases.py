"""Which legacy scripts have golden recordings, and with which arguments they run.

A case is a list of runs made one after the other in one directory: each is the
script's path under `migration_guide/legacy_scripts` and its arguments. The runs of a
case see the files that the earlier ones left.
"""

from __future__ import annotations

import os
import sys

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(REPOSITORY, "migration_guide", "legacy_scripts")
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts")

#: How the tests run a script.
COMPAT_RUN = [sys.executable, "-m", "compat", "run"]

CASES = {
    "digits_softmax": [
        ["digits_softmax.py", "--train_dir=out"],
        ["digits_softmax.py", "--train_dir=out", "--max_steps=300"],
    ],
    "autoencoder_v1": [["autoencoder_v1.py"]],
    "cifar10_queue": [["cifar10_queue/cifar10_train.py", "--train_dir=out", "--max_steps", "60"]],
    "classify_loop": [
        ["digits_softmax.py", "--train_dir=out", "--max_steps=100"],
        ["classify_loop.py", "--train_dir=out", "--count=300"],
    ],
    "dataset_iterators": [["dataset_iterators.py"]],
    "digits_project": [
        ["digits_project/evaluate.py"],
        ["digits_project/train.py", "--hidden=32,16", "--noshuffle", "--num_steps=100"],
        ["digits_project/evaluate.py"],
    ],
    "dropout_fetches": [["dropout_fetches.py"]],
    "gan_step_fn": [["gan_step_fn.py"]],
    "layers_batch_norm": [["layers_batch_norm.py", "--steps=20"]],
    "lstm_rows": [["lstm_rows.py"]],
    "mnist_feed": [["mnist_feed/fully_connected_feed.py", "--max_steps=250"]],
    "nan_recovery": [["nan_recovery.py"], ["nan_recovery.py", "--retries=0", "--model_dir=b"]],
    "partitioned_embeddings": [
        ["partitioned_embeddings.py"],
        ["partitioned_embeddings.py", "--epochs=1"],
    ],
    "profile_steps": [["profile_steps.py"]],
    "pyfunc_metrics": [["pyfunc_metrics.py"]],
    "resnet_lr_hook": [["resnet_lr_hook.py", "--log_root=out", "--train_steps=35"]],
    "rnn_while_loop": [["rnn_while_loop.py"]],
    "scaffold_ema": [["scaffold_ema.py"]],
    "summary_hooks": [["summary_hooks.py"]],
    "sync_replicas": [["sync_replicas.py"]],
    "text_tables": [["text_tables.py"]],
    "tfrecord_queue": [["tfrecord_queue.py"]],
}


def golden_path(name):
    """Returns where the recording of a case is kept."""
    return os.path.join(GOLDEN, name + ".json")


def with_script_path(argv, scripts=SCRIPTS):
    """Returns a run's arguments with the script's full path in front."""
    return [os.path.join(str(scripts), argv[0])] + argv[1:]
