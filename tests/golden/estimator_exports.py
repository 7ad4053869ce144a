"""Models that are exported, and what an export holds and answers.

Used by the recording script (under TF 1.15 on Python 3.7) and by the tests, so it speaks
no newer Python. Functions take the TensorFlow to use as `tf`: TF 1.15 itself, or what
stands for it.
"""

from __future__ import annotations

import os
import re

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "estimator")
GOLDEN = os.path.join(HERE, "exports.json")
#: Below it, one directory a model with the checkpoint that TF 1.15 has left.
CHECKPOINTS = os.path.join(HERE, "export_checkpoints")
MODELS = ("words", "canned")
VOCABULARY = "words.txt"
WORDS = ["cat", "dog", "owl", "fox", "bee"]
ROWS = [
    {"words": ["cat", "owl", "fox"], "size": 0.5, "label": 0},
    {"words": ["dog", "dog", "yak"], "size": -1.5, "label": 1},
    {"words": ["bee", "fox", "cat"], "size": 3.0, "label": 1},
    {"words": ["yak", "owl", "bee"], "size": 0.0, "label": 0},
]


def columns_of_rows():
    """Feature or label name -> the values of all rows."""
    return {key: [row[key] for row in ROWS] for key in ROWS[0]}


def input_fn_of(tf):
    """All rows in each batch, for ever."""

    def input_fn():
        columns = columns_of_rows()
        labels = columns.pop("label")
        return tf.data.Dataset.from_tensor_slices((columns, labels)).repeat().batch(len(ROWS))

    return input_fn


def serialized_rows(tf):
    """The rows as serialized `tf.train.Example`s."""
    feature = tf.train.Feature
    result = []
    for row in ROWS:
        words = [word.encode() for word in row["words"]]
        features = {
            "words": feature(bytes_list=tf.train.BytesList(value=words)),
            "size": feature(float_list=tf.train.FloatList(value=[row["size"]])),
        }
        example = tf.train.Example(features=tf.train.Features(feature=features))
        result.append(example.SerializeToString())
    return result


def words_estimator(tf, model_dir, vocabulary):
    """A model of its own with a table from a file and three kinds of outputs."""

    def model_fn(features, labels, mode):
        table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                vocabulary,
                tf.string,
                tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            default_value=len(WORDS),
        )
        embeddings = tf.get_variable("embeddings", [len(WORDS) + 1, 4])
        net = tf.reduce_mean(tf.nn.embedding_lookup(embeddings, table.lookup(features["words"])), 1)
        net = tf.concat([net, tf.expand_dims(features["size"], 1)], 1)
        weights = tf.get_variable("weights", [5, 2])
        logits = tf.matmul(net, weights, name="logits")
        scores = tf.nn.softmax(logits)
        best = tf.argmax(logits, 1)
        predictions = {"scores": scores, "class": best, "words": features["words"]}
        loss, train_op, metrics = None, None, None
        if labels is not None:
            loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
            optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
            train_op = optimizer.minimize(loss, tf.train.get_global_step())
            metrics = {"accuracy": tf.metrics.accuracy(labels, best)}
        export = tf.estimator.export
        names = tf.tile(tf.constant([["no", "yes"]]), [tf.shape(logits)[0], 1])
        return tf.estimator.EstimatorSpec(
            mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            export_outputs={
                "serving_default": export.PredictOutput(predictions),
                "classes": export.ClassificationOutput(scores, names),
                "yes": export.RegressionOutput(scores[:, 1]),
                "logits": export.PredictOutput(logits),
            },
        )

    return tf.estimator.Estimator(model_fn, model_dir)


def canned_estimator(tf, model_dir):
    """A ready-made model, wide and deep."""
    size, words = feature_columns(tf)
    return tf.estimator.DNNLinearCombinedClassifier(
        model_dir=model_dir,
        linear_feature_columns=[size, words],
        dnn_feature_columns=[size, tf.feature_column.embedding_column(words, 3)],
        dnn_hidden_units=[4],
        label_vocabulary=None,
    )


def feature_columns(tf):
    """A numeric column and one of several words."""
    words = tf.feature_column.categorical_column_with_vocabulary_list("words", WORDS)
    return tf.feature_column.numeric_column("size"), words


def parsing_receiver_of(tf):
    """Is fed serialized examples, or the features themselves."""

    def receiver_fn():
        examples = tf.placeholder(tf.string, [None], name="examples")
        features = tf.parse_example(
            examples,
            {
                "words": tf.FixedLenFeature([3], tf.string),
                "size": tf.FixedLenFeature([], tf.float32),
            },
        )
        # tf.saved_model.load can't feed two outputs of one op, not even in a TF 1.15 export.
        features = {key: tf.identity(value) for key, value in features.items()}
        return tf.estimator.export.ServingInputReceiver(
            features, {"examples": examples}, {"raw": dict(features)}
        )

    return receiver_fn


def supervised_receiver_of(tf):
    """Is fed features and labels."""

    def receiver_fn():
        features = {
            "words": tf.placeholder(tf.string, [None, 3], name="words"),
            "size": tf.placeholder(tf.float32, [None], name="size"),
        }
        labels = tf.placeholder(tf.int64, [None], name="label")
        return tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
            features, {"label": labels}
        )()

    return receiver_fn


def supervised_words_estimator(tf, model_dir, vocabulary):
    """As `words_estimator`; the labels of its receiver are a dict."""
    inner = words_estimator(tf, model_dir, vocabulary)

    def model_fn(features, labels, mode, config):
        labels = labels["label"] if isinstance(labels, dict) else labels
        return inner.model_fn(features, labels, mode, config)

    return tf.estimator.Estimator(model_fn, model_dir)


def export(tf, name, model_dir, base, vocabulary):
    """Exports the newest checkpoint of `model_dir`; returns the new directory."""
    if name == "words":
        estimator = supervised_words_estimator(tf, model_dir, vocabulary)
        modes = tf.estimator.ModeKeys
        path = estimator.experimental_export_all_saved_models(
            base,
            {
                modes.TRAIN: supervised_receiver_of(tf),
                modes.EVAL: supervised_receiver_of(tf),
                modes.PREDICT: parsing_receiver_of(tf),
            },
        )
    else:
        spec = tf.feature_column.make_parse_example_spec(feature_columns(tf))
        receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
        path = canned_estimator(tf, model_dir).export_saved_model(base, receiver)
    return path.decode()


def files_of(directory):
    """The files of an export; TF 2's fingerprint, and how shards are numbered, left out."""
    found = set()
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), directory)
            found.add(re.sub(r"\d{5}-of-\d{5}$", "shard", path))
    return sorted(found - {"fingerprint.pb"})


def signatures_of(saved_model):
    """Tags -> signature name -> [method, inputs, outputs], names with dtypes and shapes."""
    result = {}
    for graph in saved_model.meta_graphs:
        result[",".join(sorted(graph.meta_info_def.tags))] = {
            name: [signature.method_name, _infos(signature.inputs), _infos(signature.outputs)]
            for name, signature in graph.signature_def.items()
            if not name.startswith("__")
        }
    return result


def _infos(tensors):
    found = {}
    for name, info in tensors.items():
        unknown = info.tensor_shape.unknown_rank
        shape = None if unknown else [d.size for d in info.tensor_shape.dim]
        found[name] = [info.dtype, shape]
    return found


def inputs_of(tf, name, input_names):
    """What to feed to a signature with these inputs, by name."""
    if list(input_names) in (["examples"], ["inputs"]):
        return {key: serialized_rows(tf) for key in input_names}
    columns = columns_of_rows()
    return {key: columns[key] for key in input_names}
