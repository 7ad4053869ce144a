"""Event files of TF1 and TF2 are read alike, and up to where they are damaged."""

import os

import numpy as np
import pytest
import tensorflow as tf
from run_edits import damage, event_file, read_events, scalar_event, write_events

from compat.verify import compare


def write_tf1(directory, steps, values, tag="loss"):
    directory.mkdir(parents=True, exist_ok=True)
    events = [scalar_event(step, **{tag: v}) for step, v in zip(steps, values, strict=True)]
    write_events(directory / "events.out.tfevents.1", events)


def write_tf2(directory, steps, values, tag="loss"):
    writer = tf.summary.create_file_writer(str(directory))
    with writer.as_default():
        for step, value in zip(steps, values, strict=True):
            tf.summary.scalar(tag, value, step=step)
    writer.close()


STEPS = range(1, 11)
VALUES = [1.0 / step for step in STEPS]


def test_simple_values_equal_tensors(tmp_path):
    write_tf1(tmp_path / "old", STEPS, VALUES)
    write_tf2(tmp_path / "new", STEPS, VALUES)
    report = compare(tmp_path / "old", tmp_path / "new")
    assert report.equal and report.series[0].common == 10, report.to_text()


def test_single_event_files(tmp_path):
    write_tf1(tmp_path / "old", STEPS, VALUES)
    write_tf2(tmp_path / "new", STEPS, VALUES)
    report = compare(event_file(tmp_path / "old"), event_file(tmp_path / "new"))
    assert report.equal, report.to_text()


def test_summaries_of_tf1_and_tf2_are_matched_by_what_they_hold(tmp_path):
    values = np.random.default_rng(0).standard_normal(100).astype("f4")
    picture = np.zeros((1, 4, 6, 1), "f4")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v1 = tf.compat.v1.summary
        merged = v1.merge(
            [
                v1.histogram("h", values),
                v1.text("t", tf.constant("hello")),
                v1.tensor_summary("v", tf.constant([1.0, 2.0])),
                v1.image("i", picture),
            ]
        )
        writer = v1.FileWriter(str(tmp_path / "old"))
        writer.add_summary(session.run(merged), 3)
        writer.close()
    writer = tf.summary.create_file_writer(str(tmp_path / "new"))
    with writer.as_default(step=3):
        tf.summary.histogram("h", values)
        tf.summary.text("t", "hello")
        tf.summary.write("v", tf.constant([1.0, 2.0]))
        tf.summary.image("i", picture)
    writer.close()
    names = {"tags": {"i/image": "i", "i/image/0": "i"}}
    report = compare(tmp_path / "old", tmp_path / "new", name_map=names)
    assert report.equal, report.to_text()
    assert report.compared["events"]["tags"] == 4


def test_epochs_meet_global_steps_through_the_map(tmp_path):
    write_tf1(tmp_path / "old", [20, 40, 60], [3.0, 2.0, 1.0])
    write_tf2(tmp_path / "new", [0, 1, 2], [3.0, 2.0, 1.0], tag="epoch_loss")
    first = compare(tmp_path / "old", tmp_path / "new")
    names = {"tags": {"loss": {"name": "epoch_loss", "scale": 20, "offset": 20}}}
    assert first.suggested == names
    assert compare(tmp_path / "old", tmp_path / "new", name_map=names).equal


def test_directories_are_mapped(tmp_path):
    for place in ("", "eval"):
        write_tf1(tmp_path / "old" / place, STEPS, VALUES)
    for place in ("train", "validation"):
        write_tf2(tmp_path / "new" / place, STEPS, VALUES)
    report = compare(tmp_path / "old", tmp_path / "new")
    assert {item.kind for item in report.differences} == {"missing", "extra"}
    names = {"directories": {"": "train", "eval": "validation"}}
    assert compare(tmp_path / "old", tmp_path / "new", name_map=names).equal


def test_speeds_are_left_out_and_named(tmp_path):
    for name, speed in (("old", 10.0), ("new", 99.0)):
        (tmp_path / name).mkdir()
        event = scalar_event(5, **{"global_step/sec": speed, "loss": 1.0})
        write_events(tmp_path / name / "events.out.tfevents.1", [event])
    report = compare(tmp_path / "old", tmp_path / "new")
    assert report.equal and "global_step/sec" in report.to_text()


def test_damage_on_both_sides_is_not_signed(tmp_path):
    for name in ("old", "new"):
        write_tf1(tmp_path / name, STEPS, VALUES)
        damage(event_file(tmp_path / name), -3)
    report = compare(tmp_path / "old", tmp_path / "new")
    assert report.verdict == "incomplete" and report.series[0].common == 9
    assert "9 records before it were compared" in report.first.message


def test_corrupt_record_in_the_middle(tmp_path):
    for name in ("old", "new"):
        write_tf1(tmp_path / name, STEPS, VALUES)
    path = event_file(tmp_path / "new")
    with open(path, "r+b") as stream:
        stream.seek(os.path.getsize(path) // 2)
        stream.write(b"\xff\xff\xff")
    report = compare(tmp_path / "old", tmp_path / "new")
    assert report.verdict == "incomplete" and "corrupt at byte" in report.to_text(width=400)


def test_unreadable_from_the_start_cannot_be_compared(tmp_path):
    for name in ("old", "new"):
        write_tf1(tmp_path / name, STEPS, VALUES)
    damage(event_file(tmp_path / "new"), 4)
    report = compare(tmp_path / "old", tmp_path / "new")
    assert (report.verdict, report.exit_code) == ("incomparable", 2)


@pytest.mark.parametrize("changed", [False, True])
def test_restart_tells_whether_the_second_values_differ(tmp_path, changed):
    for name in ("old", "new"):
        write_tf1(tmp_path / name, STEPS, VALUES)
    again = [v + changed for v in VALUES[5:]]
    events = [scalar_event(s, loss=v) for s, v in zip(range(6, 11), again, strict=True)]
    write_events(tmp_path / "new" / "events.out.tfevents.2", events)
    report = compare(tmp_path / "old", tmp_path / "new")
    duplicate = next(item for item in report.differences if item.kind == "duplicate")
    assert duplicate.step == 6 and duplicate.count == 5
    assert ("with other values at 5 of them" in duplicate.message) == changed
    # The later record counts, from which training went on.
    assert any(item.kind == "value" for item in report.differences) == changed


def test_same_restart_in_both_runs_is_equal(tmp_path):
    for name in ("old", "new"):
        write_tf1(tmp_path / name, STEPS, VALUES)
        again = [scalar_event(s, loss=2.0) for s in range(6, 11)]
        write_events(tmp_path / name / "events.out.tfevents.2", again)
    assert compare(tmp_path / "old", tmp_path / "new").equal


def test_missing_tail_and_shift_are_both_told(tmp_path):
    write_tf1(tmp_path / "old", STEPS, VALUES)
    write_tf1(tmp_path / "new", range(0, 9), VALUES[:9])
    report = compare(tmp_path / "old", tmp_path / "new")
    assert [item.kind for item in report.differences] == ["step_shift", "missing_steps"]
    assert report.differences[1].step == 10


def test_large_file_is_streamed_with_progress(tmp_path):
    for name in ("old", "new"):
        write_tf1(tmp_path / name, range(12_000), [1.0] * 12_000)
    seen = []
    report = compare(tmp_path / "old", tmp_path / "new", progress=lambda *what: seen.append(what))
    assert report.equal and len(seen) >= 6
    assert all(0 <= done <= total for _, done, total in seen)


def test_run_metadata_presence(tmp_path):
    for name in ("old", "new"):
        write_tf1(tmp_path / name, STEPS, VALUES)
    path = event_file(tmp_path / "old")
    event = scalar_event(0)
    event.ClearField("summary")
    event.tagged_run_metadata.tag = "step_5"
    write_events(path, [*read_events(path), event])
    report = compare(tmp_path / "old", tmp_path / "new")
    assert [(d.kind, d.name) for d in report.differences] == [("missing", "run_metadata/step_5")]
