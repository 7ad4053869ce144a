"""Records TF 1.15's exports of estimators: checkpoints, signatures, files and outputs.

    python tests/golden/record_estimator_exports.py

Run it with the Python of a TensorFlow 1.15 installation. The tests export the same
checkpoints with this package and compare what `tf.saved_model.load` then gives.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import estimator_exports as exports
from record_estimator import readable_json

STEPS = 5


def train(name, vocabulary):
    """Trains a little and keeps the last checkpoint."""
    work_dir = tempfile.mkdtemp(prefix="record_")
    if name == "words":
        estimator = exports.words_estimator(tf, work_dir, vocabulary)
    else:
        estimator = exports.canned_estimator(tf, work_dir)
    estimator.train(exports.input_fn_of(tf), steps=STEPS)
    kept = os.path.join(exports.CHECKPOINTS, name)
    shutil.rmtree(kept, ignore_errors=True)
    os.makedirs(kept)
    # One shard, and the path relative to the directory.
    reader = tf.train.NewCheckpointReader(estimator.latest_checkpoint())
    with tf.Graph().as_default(), tf.Session() as sess:
        values = {v: reader.get_tensor(v) for v in reader.get_variable_to_shape_map()}
        variables = {
            v: tf.Variable(value, name=f"v{i}")
            for i, (v, value) in enumerate(sorted(values.items()))
        }
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Saver(variables, save_relative_paths=True)
        saver.save(sess, os.path.join(kept, "model.ckpt"), STEPS, write_meta_graph=False)
    shutil.rmtree(work_dir)
    return kept


def run_signatures(directory, tags, name):
    """Signature name -> output name -> values, in a session of TF 1.15."""
    results = {}
    with tf.Graph().as_default(), tf.Session() as sess:
        graph = tf.saved_model.loader.load(sess, tags, directory)
        for key, signature in graph.signature_def.items():
            if key.startswith("__"):
                continue
            fed = exports.inputs_of(tf, name, sorted(signature.inputs))
            feeds = {signature.inputs[n].name: value for n, value in fed.items()}
            # A metric's value is read before or after its update, as it happens.
            outputs = {
                n: info.name for n, info in signature.outputs.items() if not n.endswith("/value")
            }
            values = sess.run(outputs, feeds)
            results[key] = {n: _plain(value) for n, value in values.items()}
    return results


def _plain(value):
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        # What is fed and fetched comes back as it was fed.
        return [tf.compat.as_text(item) for item in array.ravel()]
    return [float(f"{item:.9g}") for item in array.ravel()]


def main():
    """Writes checkpoints and the recording."""
    golden = {"tensorflow": tf.__version__}
    vocabulary = os.path.join(tempfile.mkdtemp(), exports.VOCABULARY)
    with open(vocabulary, "w") as stream:
        stream.write("\n".join(exports.WORDS) + "\n")
    for name in exports.MODELS:
        kept = train(name, vocabulary)
        base = tempfile.mkdtemp(prefix="export_")
        directory = exports.export(tf, name, kept, base, vocabulary)
        proto = saved_model_pb2.SavedModel()
        with open(os.path.join(directory, "saved_model.pb"), "rb") as stream:
            proto.ParseFromString(stream.read())
        golden[name] = {
            "files": exports.files_of(directory),
            "signatures": exports.signatures_of(proto),
            "outputs": run_signatures(directory, ["serve"], name),
        }
        if "eval" in golden[name]["signatures"]:
            golden[name]["eval"] = run_signatures(directory, ["eval"], name)
        shutil.rmtree(base)
    with open(exports.GOLDEN, "w") as stream:
        stream.write(readable_json(golden) + "\n")


if __name__ == "__main__":
    main()
