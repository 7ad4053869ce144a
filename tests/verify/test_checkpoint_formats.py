"""Checkpoints of all formats are read, paired by step, and compared variable by variable."""

import os
import resource
import shutil
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
from run_edits import GOLDEN, damage, edit_checkpoint, write_checkpoint

from compat.verify import compare

FORMATS = os.path.join(GOLDEN, "formats_1_15")


def kinds(report):
    return sorted({item.kind for item in report.differences})


@pytest.mark.parametrize("other", ["v1", "partitioned"])
def test_v1_and_partitioned_checkpoints_hold_the_same(other):
    report = compare(os.path.join(FORMATS, "v2"), os.path.join(FORMATS, other))
    assert report.equal, report.to_text()
    # Partitions are put together under the variable's full name.
    names = {row.name: row.shape for row in report.variables}
    assert names["hidden/kernel"] == (64, 16)


@pytest.mark.parametrize("path", ["model.ckpt-0", "model.ckpt-0.index"])
def test_single_checkpoints_are_compared_by_prefix_or_file(path):
    old, new = os.path.join(FORMATS, "v2", path), os.path.join(FORMATS, "partitioned", path)
    report = compare(old, new)
    assert report.equal and report.compared["checkpoints"]["variables"] == 5


def test_one_changed_slice_of_a_partitioned_variable(copy_run):
    run = copy_run("formats_1_15")

    def change(values):
        values["hidden/kernel"][40, 2] += 0.5

    edit_checkpoint(f"{run}/partitioned/model.ckpt-0", change)
    report = compare(f"{FORMATS}/partitioned", f"{run}/partitioned")
    assert report.first.index == (40, 2) and report.first.max_abs == pytest.approx(0.5)


def keras_model():
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [keras.layers.Input((8,)), keras.layers.Dense(4, name="a"), keras.layers.Dense(2, name="b")]
    )
    model.compile("adam", "mse")
    random = np.random.RandomState(0)
    model.fit(random.rand(32, 8), random.rand(32, 2), verbose=0)
    return model


def test_weights_file_and_archive_hold_the_same(tmp_path):
    model = keras_model()
    model.save_weights(tmp_path / "old.weights.h5")
    model.save(tmp_path / "new.keras")
    report = compare(tmp_path / "old.weights.h5", tmp_path / "new.keras")
    assert report.equal and report.compared["checkpoints"]["variables"] == 14, report.to_text()


def test_object_checkpoint_is_matched_by_recorded_names(tmp_path):
    """tf.train.Checkpoint stores each variable's own name beside its place in the object."""
    values = {"dense/kernel": np.arange(6.0, dtype="f4").reshape(2, 3), "global_step": np.int64(7)}
    (tmp_path / "old").mkdir()
    write_checkpoint(tmp_path / "old" / "model.ckpt-7", values)
    kernel = tf.Variable(values["dense/kernel"], name="dense/kernel")
    step = tf.Variable(values["global_step"], name="global_step")
    tf.train.Checkpoint(net=[kernel], step=step).save(str(tmp_path / "new" / "ckpt"))
    report = compare(tmp_path / "old", tmp_path / "new")
    assert report.equal, report.to_text()
    assert {(row.new_name, row.how) for row in report.variables} == {
        ("net/0", "recorded"),
        ("step", "recorded"),
    }


def test_object_keys_may_be_written_in_full_in_the_map(tmp_path):
    (tmp_path / "old").mkdir()
    write_checkpoint(tmp_path / "old" / "model.ckpt-0", {"dense/kernel": np.ones(3, "f4")})
    tf.train.Checkpoint(v=tf.Variable([1.0] * 3)).save(str(tmp_path / "new" / "ckpt"))
    names = {"variables": {"dense/kernel": "v/.ATTRIBUTES/VARIABLE_VALUE"}}
    report = compare(tmp_path / "old", tmp_path / "new", name_map=names)
    assert report.equal, report.to_text()


def test_optimizer_slots_of_object_checkpoints(tmp_path):
    for name, change in (("old", 0.0), ("new", 1.0)):
        model = keras_model()
        slot = model.optimizer.variables[2]
        slot.assign_add(change * tf.ones_like(slot))
        tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(str(tmp_path / name / "c"))
    report = compare(tmp_path / "old", tmp_path / "new")
    assert [item.name for item in report.differences] == ["optimizer/_variables/2"]


def test_strings_are_compared_exactly(tmp_path):
    for name, text in (("old", [b"cat\0", b"dog"]), ("new", [b"cat\0", b"dot"])):
        (tmp_path / name).mkdir()
        write_checkpoint(tmp_path / name / "model.ckpt-3", {"labels": np.array(text, object)})
    report = compare(tmp_path / "old", tmp_path / "new")
    (found,) = report.differences
    assert (found.kind, found.index, found.old, found.new) == ("text", (1,), b"dog", b"dot")
    assert '"dot"' in report.to_json()


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float64, tf.complex64, tf.uint8])
def test_types(tmp_path, dtype):
    for name, value in (("old", 3), ("new", 5)):
        (tmp_path / name).mkdir()
        tensor = tf.cast(tf.constant([1, 2, value]), dtype)
        write_checkpoint(tmp_path / name / "model.ckpt-1", {"v": tensor, "same": tensor[:1]})
    report = compare(tmp_path / "old", tmp_path / "new")
    (found,) = report.differences
    assert (found.name, found.index, found.max_abs, found.step) == ("v", (2,), 2.0, 1)


def test_integers_of_different_width_under_a_map_are_noted(tmp_path):
    for name, variable in (("old", {"a": np.int64(4)}), ("new", {"b": np.int32(4)})):
        (tmp_path / name).mkdir()
        write_checkpoint(tmp_path / name / "model.ckpt-4", variable)
    report = compare(tmp_path / "old", tmp_path / "new", name_map={"variables": {"a": "b"}})
    assert report.equal and any("int64 in OLD and int32" in note for note in report.notes)


def test_first_step_of_several_is_named(copy_run):
    run = copy_run("session_1_15")
    for step, size in ((10, 0.5), (20, 0.25)):

        def change(values, size=size):
            values["softmax/bias"][1] += size

        edit_checkpoint(f"{run}/model.ckpt-{step}", change)
    (found,) = compare(f"{GOLDEN}/session_1_15", run).differences
    assert (found.step, found.index) == (10, (1,))


def test_bookkeeping_of_object_checkpoints_is_left_out(tmp_path):
    variable = tf.Variable([1.0], name="v")
    tf.train.Checkpoint(v=variable).save(str(tmp_path / "old" / "ckpt"))
    tf.train.Checkpoint(v=variable).write(str(tmp_path / "new" / "ckpt-1"))
    report = compare(tmp_path / "old", tmp_path / "new")
    assert report.equal, report.to_text()


def test_other_variables_of_a_missing_shard_are_compared(tmp_path):
    """Two shards by two devices' worth of variables: one file lost, the other half compared."""
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        prefix = tmp_path / name / "model.ckpt-5"
        parts = []
        for i, variable in enumerate(("a", "b")):
            part = str(tmp_path / name / f"part{i}")
            write_checkpoint(part, {variable: np.arange(4.0)})
            parts.append(part)
        tf.raw_ops.MergeV2Checkpoints(
            checkpoint_prefixes=parts, destination_prefix=str(prefix), delete_old_dirs=False
        )
    assert compare(tmp_path / "old", tmp_path / "new").equal
    lost = tmp_path / "new" / "model.ckpt-5.data-00001-of-00002"
    os.remove(lost)
    report = compare(tmp_path / "old", tmp_path / "new")
    assert report.verdict == "incomplete" and report.exit_code == 1
    assert [row.name for row in report.variables] == ["a"]
    assert any(lost.name in item.message for item in report.differences)


@pytest.mark.parametrize("name", ["m.keras", "m.weights.h5"])
def test_damaged_keras_file_is_named(tmp_path, name):
    model = keras_model()
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        path = tmp_path / side / name
        model.save(path) if name == "m.keras" else model.save_weights(path)
    damage(tmp_path / "new" / name, 3000)
    report = compare(tmp_path / "old", tmp_path / "new")
    assert report.exit_code == 2 and kinds(report) == ["unreadable"]
    assert name in report.first.message


def test_damaged_index_is_named(copy_run):
    run = copy_run("session_1_15")
    damage(f"{run}/model.ckpt-20.index", 100)
    report = compare(f"{GOLDEN}/session_1_15", run, only=["checkpoints"])
    assert report.verdict == "incomplete" and kinds(report) == ["unreadable"]
    assert "model.ckpt-20" in report.first.message


def test_keras_epochs_meet_global_steps_by_the_step_inside(copy_run):
    run = copy_run("keras_2_21")
    for epoch in ("00", "10", "20"):
        # Number in the name: 100 times the epoch; the values still say 0, 10 and 20.
        shutil.move(f"{run}/epoch_{epoch}.weights.h5", f"{run}/m-{epoch}00-0.5.weights.h5")
    report = compare(f"{GOLDEN}/session_1_15", run, only=["checkpoints"])
    assert report.compared["checkpoints"]["checkpoints"] == 3


def test_nothing_is_written_into_the_runs(copy_run):
    runs = copy_run("session_1_15", "old"), copy_run("keras_2_21", "new")

    def listing():
        return sorted(
            (path, os.stat(os.path.join(path, name)).st_mtime_ns, name)
            for run in runs
            for path, directories, files in os.walk(run)
            for name in [".", *directories, *files]
        )

    before = listing()
    compare(*runs).to_html()
    assert listing() == before


def test_progress_counts_variables_over_all_steps():
    seen = []
    run = os.path.join(GOLDEN, "session_1_15")
    compare(run, run, only=["checkpoints"], progress=lambda *what: seen.append(what))
    assert [done for _, done, _ in seen] == list(range(1, 46)) and seen[0][2] == 45
    assert "at step 20" in seen[-1][0]


def test_memory_follows_the_largest_tensor(tmp_path):
    """Eight tensors of 16 MB on each side, two of them and a few buffers at a time in memory."""
    for name, factor in (("old", 1.0), ("new", 1.1)):
        (tmp_path / name).mkdir()
        random = np.random.default_rng(0)
        tensors = {f"v{i}": random.standard_normal((2000, 2000), "f4") * factor for i in range(8)}
        write_checkpoint(tmp_path / name / "model.ckpt-1", tensors)
    script = (
        "import resource, sys, tensorflow as tf\n"
        "from compat.verify import compare\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        "tf.constant(1) + 1\n"
        "before = peak()\n"
        "assert len(compare(*sys.argv[1:]).differences) == 8\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "old"), str(tmp_path / "new")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # The unit is kilobytes on Linux.
    assert float(done.stdout.split()[-1]) < 130, "256 MB are on disk, 32 MB are one pair"
