"""Each row of the symbol table is true on the installed TensorFlow and `compat.v1`."""

import importlib
import inspect

import pytest
import tensorflow as tf

import compat.v1
from compat.migrate import contrib, lookup, symbols


def resolve(root, name):
    value = root
    for part in name.split("."):
        value = getattr(value, part)
    return value


def names_with(*codes):
    found = [name for name in lookup.tf1_names() if lookup.classify(name).code in codes]
    return sorted(found)


def missing(names, root=None):
    found = []
    for name in names:
        try:
            resolve(root or compat.v1, name)
        except Exception as error:
            found.append(f"{name}: {type(error).__name__}: {error}"[:120])
    return found


def test_names_that_tensorflow_still_ships_resolve():
    names = names_with("C101")
    assert len(names) > 2500
    assert missing(names) == []


def test_functions_and_classes_that_work_are_callable():
    # TF 1.15 had them as functions or classes; a constant in their place would be a wrong row.
    for name in names_with("C102", "C103", "C104", "C105"):
        value = resolve(compat.v1, name)
        assert callable(value) or inspect.ismodule(value), name


def test_hooks_and_sessions_are_this_packages():
    assert missing(names_with("C102")) == []
    import compat as package

    for leaf in sorted(symbols.HOOK_BASES | symbols.LISTENER_BASES):
        for name in (f"train.{leaf}", f"estimator.{leaf}"):
            if name in lookup.tf1_names():
                assert resolve(compat.v1, name) is getattr(package, leaf), name


def test_layers_and_cells_come_through_tf_keras():
    assert missing(names_with("C103")) == []


def test_the_estimator_surface_is_there():
    assert missing(names_with("C105")) == []


def test_names_that_behave_differently_resolve():
    names = [n for n in lookup.tf1_names() if lookup.classify(n).status == symbols.DIFFERS]
    assert len(names) > 500
    assert missing(sorted(names)) == []


def test_names_that_need_a_hand_are_not_gone():
    names = [n for n in lookup.tf1_names() if lookup.classify(n).status == symbols.HAND]
    names = [n for n in names if not n.startswith("raw_ops.")]
    assert missing(sorted(names)) == []


NOT_SUPPORTED = [r for r in symbols.ROWS if symbols.RULES[r.code].status == symbols.UNSUPPORTED]


#: What it takes to use a name, where that is more than to mention it.
USES = {
    "train.Server": lambda server: server({"worker": ["127.0.0.1:1"]}),
    "train.replica_device_setter": lambda setter: setter(ps_tasks=1),
}


@pytest.mark.parametrize("row", NOT_SUPPORTED, ids=lambda row: row.name)
def test_names_that_are_not_supported_raise_and_name_the_replacement(row):
    with pytest.raises((AttributeError, NotImplementedError)) as caught:
        USES.get(row.name, lambda value: None)(resolve(compat.v1, row.name))
    # The name first; words about it may follow.
    assert row.use.split(" ")[0].rpartition(".")[2] in str(caught.value)


@pytest.mark.parametrize("row", symbols.RENAMED, ids=lambda row: row.name)
def test_names_from_before_say_their_new_name(row):
    with pytest.raises(AttributeError) as caught:
        resolve(compat.v1, row.name)
    assert row.use in str(caught.value)


@pytest.mark.parametrize("row", symbols.RENAMED, ids=lambda row: row.name)
def test_names_from_before_are_gone_and_their_replacements_work(row):
    assert not hasattr_path(tf.compat.v1, row.name)
    if row.use.startswith("tf."):
        resolve(compat.v1, row.use.removeprefix("tf."))


def hasattr_path(root, name):
    try:
        resolve(root, name)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize("row", symbols.METHODS, ids=lambda row: row.name)
def test_methods_that_are_not_supported_raise_and_name_the_replacement(row):
    with tf.Graph().as_default(), compat.v1.Session() as session:
        with pytest.raises(Exception) as caught:
            getattr(session, row.name)([], [])
        assert "partial" in str(caught.value).lower()


def test_private_modules_that_tensorflow_still_ships_load():
    for row in symbols.PRIVATE:
        if row.code == "C106":
            importlib.import_module(row.name)


def test_private_names_that_tensorflow_still_ships_resolve():
    wrong = []
    for path in sorted(lookup.kept_private()):
        module, _, name = path.rpartition(".")
        if not hasattr(importlib.import_module(module), name):
            wrong.append(path)
    assert wrong == []


def test_public_names_behind_private_paths_work():
    names = {name for names in lookup.private_modules().values() for name in names.values()}
    works = [n for n in names if lookup.classify(n).status in (symbols.WORKS, symbols.DIFFERS)]
    assert missing(sorted(works)) == []


def test_names_of_the_2_x_api_only_are_no_names_of_compat_v1():
    # Otherwise C305 would warn of something that works.
    assert [n for n in sorted(lookup.tf2_names()) if hasattr_path(compat.v1, n)] == []


@pytest.mark.parametrize("row", [*contrib.REPLACEMENTS, *contrib.EARLIER], ids=lambda row: row.name)
def test_replacements_of_contrib_names_exist(row):
    name = row.use.split(" ")[0].rstrip(";,").partition("(")[0]
    if not name.startswith("tf.") or name == "tf.":
        pytest.skip("no TensorFlow name")
    name = name.removeprefix("tf.")
    # What only TensorFlow 2 has is meant to be taken from there.
    root = tf if hasattr_path(tf, name) and not hasattr_path(compat.v1, name) else compat.v1
    resolve(root, name)


def test_contrib_names_with_a_successor_work():
    rows = [row for row in (*contrib.REPLACEMENTS, *contrib.EARLIER) if row.same]
    names = [row.name for row in rows] + sorted(symbols.CONTRIB_KEPT)
    assert all(lookup.classify(name).code == "C107" for name in names)
    assert missing(names) == []


def test_contrib_names_without_a_successor_raise_and_name_the_replacement():
    for row in (*contrib.REPLACEMENTS, *contrib.EARLIER):
        if lookup.classify(row.name).code == "C107" or row.name.count(".") < 2:
            continue
        with pytest.raises(AttributeError) as caught:
            # A package of names only raises once something is taken from it.
            _ = resolve(compat.v1, row.name).anything
        assert row.use in str(caught.value), row.name
