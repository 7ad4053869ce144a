"""The symbol tables are consistent with themselves and with what TF 1.15.5 had."""

from pathlib import Path

import pytest

from compat.migrate import contrib, lookup, symbols

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture(scope="module")
def contrib_names():
    lines = (GOLDEN / "tf1_contrib_names.txt").read_text().splitlines()
    return {line for line in lines if not line.startswith("#")}


ALL_ROWS = (*symbols.ROWS, *symbols.FAMILIES, *symbols.RENAMED, *symbols.PRIVATE, *symbols.METHODS)


@pytest.mark.parametrize("table", ["ROWS", "FAMILIES", "RENAMED", "PRIVATE", "METHODS"])
def test_names_of_a_table_are_unique(table):
    names = [row.name for row in getattr(symbols, table)]
    assert len(names) == len(set(names))


def test_every_row_has_a_known_rule():
    assert {row.code for row in ALL_ROWS} <= set(symbols.RULES)


def test_every_rule_has_a_known_status_and_a_stable_shape():
    for code, rule in symbols.RULES.items():
        assert rule.status in symbols.STATUS_TITLES, code
        assert rule.title
        assert len(code) == 4 and code[0] == "C" and code[1:].isdigit()


@pytest.mark.parametrize(
    "digit, status",
    [
        ("1", symbols.WORKS),
        ("2", symbols.DIFFERS),
        ("3", symbols.HAND),
        ("4", symbols.UNSUPPORTED),
        ("5", symbols.INFO),
        ("9", symbols.ERROR),
    ],
)
def test_the_first_digit_of_a_code_tells_its_status(digit, status):
    statuses = {rule.status for code, rule in symbols.RULES.items() if code[1] == digit}
    assert statuses == {status}


def test_rows_are_about_names_that_tf1_had():
    known = lookup.tf1_names() | lookup.namespaces()
    assert [row.name for row in symbols.ROWS if row.name not in known] == []


def test_renamed_rows_are_about_names_that_tf1_15_no_longer_had():
    assert [row.name for row in symbols.RENAMED if row.name in lookup.tf1_names()] == []
    assert {row.name for row in symbols.RENAMED} >= symbols.ONLY_RENAMED


def test_what_is_not_supported_names_a_replacement():
    rows = [row for row in ALL_ROWS if symbols.RULES[row.code].status == symbols.UNSUPPORTED]
    assert [row.name for row in rows if not row.use] == []


def test_what_behaves_differently_says_how():
    rows = [row for row in ALL_ROWS if symbols.RULES[row.code].status == symbols.DIFFERS]
    assert [row.name for row in rows if not row.note] == []


def test_every_name_of_tf1_has_a_verdict():
    assert [name for name in lookup.tf1_names() if lookup.classify(name) is None] == []


def test_every_private_path_with_a_public_name_has_one_that_tf1_had():
    for module, names in lookup.private_modules().items():
        for name, public in names.items():
            assert public in lookup.tf1_names(), f"{module}.{name}"


def test_hook_bases_are_hooks_of_tf1():
    for leaf in symbols.HOOK_BASES | symbols.LISTENER_BASES:
        homes = {f"train.{leaf}", f"estimator.{leaf}", f"estimator.experimental.{leaf}"}
        assert homes & lookup.tf1_names(), leaf


# tf.contrib


def test_the_contrib_table_covers_enough():
    specific = [row for row in contrib.REPLACEMENTS if row.name.count(".") >= 2]
    assert len(specific) >= 60


def test_contrib_names_are_unique():
    names = [row.name for row in (*contrib.REPLACEMENTS, *contrib.EARLIER)]
    assert len(names) == len(set(names))


def test_contrib_rows_are_about_names_that_tf1_had(contrib_names):
    names = [row.name for row in contrib.REPLACEMENTS if row.name != "contrib.tensor_forest"]
    assert [name for name in names if name not in contrib_names] == []


def test_earlier_contrib_rows_are_about_names_that_1_15_no_longer_had(contrib_names):
    assert [row.name for row in contrib.EARLIER if row.name in contrib_names] == []


def test_contrib_names_that_are_the_same_lead_to_a_tensorflow_name():
    for row in (*contrib.REPLACEMENTS, *contrib.EARLIER):
        if row.same:
            assert row.use.startswith("tf."), row.name
            assert lookup.classify(row.use.removeprefix("tf.")).status != symbols.UNSUPPORTED


# lookup


@pytest.mark.parametrize(
    "path, name",
    [
        ("tensorflow.train.Saver", "train.Saver"),
        ("tensorflow.compat.v1.train.Saver", "train.Saver"),
        ("tensorflow.compat.v1.compat.v1.train.Saver", "train.Saver"),
        ("tensorflow._api.v1.train.Saver", "train.Saver"),
        ("tensorflow_core._api.v1.train.Saver", "train.Saver"),
        ("tensorflow", ""),
        ("tensorflow.compat.v1", ""),
        ("tensorflow.compat.v1beta", "compat.v1beta"),
        ("tensorflow.compat.v2.random.Generator", "compat.v2.random.Generator"),
        (
            "tensorflow_core.python.training.saver.Saver",
            "tensorflow.python.training.saver.Saver",
        ),
        ("tensorflow_estimator.estimator.Estimator", "estimator.Estimator"),
        (
            "tensorflow_estimator.python.estimator.api._v1.estimator.Estimator",
            "estimator.Estimator",
        ),
        (
            "tensorflow_estimator.python.estimator.run_config.RunConfig",
            "tensorflow_estimator.python.estimator.run_config.RunConfig",
        ),
        ("compat.v1.train.Saver", "train.Saver"),
        ("compat.v1.compat.v1.train.Saver", "train.Saver"),
        ("compat.SessionRunHook", "train.SessionRunHook"),
        ("compat.CheckpointSaverListener", "train.CheckpointSaverListener"),
        ("compat", None),
        ("compat.urllib", None),
        ("numpy.float32", None),
        ("tensorflowjs.converters", None),
        ("", None),
    ],
)
def test_tensorflow_name(path, name):
    assert lookup.tensorflow_name(path) == name


@pytest.mark.parametrize(
    "name, symbol, code",
    [
        ("train.Saver", "train.Saver", "C101"),
        ("train.Saver.save", "train.Saver", "C101"),
        ("flags.FLAGS.batch_size", "flags.FLAGS", "C101"),
        ("train.SessionRunHook", "train.SessionRunHook", "C102"),
        ("estimator.SessionRunHook", "estimator.SessionRunHook", "C102"),
        ("layers.dense", "layers.dense", "C103"),
        ("nn.rnn_cell.LSTMCell", "nn.rnn_cell.LSTMCell", "C103"),
        ("estimator.Estimator.train", "estimator.Estimator", "C105"),
        ("compat.v2.random.Generator", "compat.v2", "C101"),
        ("Session", "Session", "C201"),
        ("disable_v2_behavior", "disable_v2_behavior", "C202"),
        ("set_random_seed", "set_random_seed", "C203"),
        ("train.ProfilerHook", "train.ProfilerHook", "C204"),
        ("ConfigProto", "ConfigProto", "C205"),
        ("keras.layers.Dense", "keras.layers.Dense", "C206"),
        ("mul", "mul", "C301"),
        ("nn.seq2seq.attention_decoder", "nn.seq2seq", "C301"),
        ("distribute.MirroredStrategy", "distribute.MirroredStrategy", "C302"),
        ("tpu.CrossShardOptimizer", "tpu.CrossShardOptimizer", "C303"),
        ("train.SesionRunHook", "train.SesionRunHook", "C304"),
        ("no_such_name.below", "no_such_name", "C304"),
        ("math.erfcinv", "math.erfcinv", "C101"),
        ("distribute.DistributedDataset", "distribute.DistributedDataset", "C305"),
        ("get_session_handle", "get_session_handle", "C307"),
        ("load_op_library", "load_op_library", "C308"),
        ("train.Server", "train.Server", "C401"),
        ("train.Server.create_local_server", "train.Server", "C401"),
        ("contrib.slim.conv2d", "contrib.slim.conv2d", "C403"),
        ("contrib.layers.l2_regularizer", "contrib.layers.l2_regularizer", "C403"),
        ("contrib.rnn.LSTMCell", "contrib.rnn.LSTMCell", "C107"),
        ("contrib.training.SummaryAtEndHook", "contrib.training.SummaryAtEndHook", "C107"),
        ("contrib.nowhere.at_all", "contrib.nowhere.at_all", "C403"),
        ("estimator.BoostedTreesClassifier", "estimator.BoostedTreesClassifier", "C404"),
        ("raw_ops.CompareAndBitpack", "raw_ops.CompareAndBitpack", "C405"),
        ("keras.wrappers.scikit_learn.KerasClassifier", "keras.wrappers.scikit_learn", "C405"),
    ],
)
def test_classify(name, symbol, code):
    verdict = lookup.classify(name)
    assert (verdict.symbol, verdict.code) == (symbol, code)


@pytest.mark.parametrize(
    "path, code",
    [
        ("tensorflow.python.training.session_run_hook.SessionRunHook", "C104"),
        ("tensorflow.python.training.basic_session_run_hooks.SummaryWriterCache", "C104"),
        ("tensorflow.python.framework.ops.GraphKeys.LOSSES", "C104"),
        ("tensorflow.python.platform.tf_logging.INFO", "C104"),
        ("tensorflow.python.pywrap_tensorflow.NewCheckpointReader", "C104"),
        ("pywrap_tensorflow.NewCheckpointReader", "C104"),
        ("tensorflow_estimator.python.estimator.estimator.Estimator", "C104"),
        ("tensorflow.core.framework.summary_pb2.Summary", "C106"),
        ("tensorflow.python.client.device_lib.list_local_devices", "C106"),
        ("tensorflow.python.training.moving_averages.assign_moving_average", "C106"),
        ("tensorflow.python.client.session.Session", "C201"),
        ("tensorflow.python.client.timeline.Timeline", "C204"),
        ("tensorflow.python.framework.ops.no_such_thing", "C306"),
        ("tensorflow_estimator.python.estimator.util.MultiHostDatasetInitializerHook", "C306"),
        ("tensorflow.python.training.server_lib.Server", "C401"),
        ("tensorflow.python.debug.LocalCLIDebugHook", "C406"),
        ("tensorflow.examples.tutorials.mnist.input_data", "C407"),
    ],
)
def test_classify_private_paths(path, code):
    assert lookup.classify(path).code == code


@pytest.mark.parametrize(
    "name",
    [
        "",
        "train",
        "nn.rnn_cell",
        "__version__",
        "tensorflow.python.training.session_run_hook",
        "tensorflow.python.keras.backend",
        "tensorflow.python.estimator.inputs",
    ],
)
def test_a_namespace_alone_has_no_verdict(name):
    assert lookup.classify(name) is None


@pytest.mark.parametrize(
    "path, public",
    [
        ("tensorflow.python.training.session_run_hook.SessionRunHook", "train.SessionRunHook"),
        ("tensorflow.python.training.training_util.get_global_step", "train.get_global_step"),
        ("tensorflow.python.training.summary_io.SummaryWriterCache", "summary.FileWriterCache"),
        (
            "tensorflow.python.training.monitored_session.MonitoredSession",
            "train.MonitoredSession",
        ),
        ("tensorflow.python.training.session_run_hook.SessionRunHook.begin",) * 2,
        ("tensorflow.python.training.session_run_hook", None),
        ("tensorflow.python.nowhere.at_all", None),
        ("tensorflow.python.keras.layers.Dense", "keras.layers.Dense"),
        ("tensorflow.python.keras.engine.base_layer.Layer", None),
        ("tensorflow.python.estimator.estimator.Estimator", "estimator.Estimator"),
    ],
)
def test_public_name(path, public):
    expected = "train.SessionRunHook.begin" if public == path else public
    assert lookup.public_name(path) == expected


def test_refusal_names_the_replacement():
    text = lookup.refusal("train.Server")
    assert text.startswith("tf.train.Server is not supported")
    assert "tf.distribute" in text


@pytest.mark.parametrize("name", ["train.Saver", "train", "contrib.rnn.LSTMCell", "tpu.rewrite"])
def test_refusal_is_none_for_what_is_supported(name):
    assert lookup.refusal(name) is None


def test_replacement_falls_back_to_the_package():
    assert lookup.replacement("contrib.layers.no_such_layer").name == "contrib.layers"
    assert lookup.replacement("contrib.no_such_package.x") is None
