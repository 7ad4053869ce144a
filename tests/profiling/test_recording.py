"""The profiler is started and stopped, whatever else uses it or goes wrong."""

import tempfile

import pytest
import tensorflow as tf

from compat.profiling.recording import ProfilerWarning, Recording, record


def ops_of(space):
    return {entry.name for plane in space.planes for entry in plane.event_metadata.values()}


def test_a_block_is_recorded(recwarn):
    step = tf.function(tf.square)
    step(tf.constant(3.0))
    with record() as recording:
        step(tf.constant(3.0))
    assert any(name.endswith(":Square") for name in ops_of(recording.space))
    assert not recwarn.list


def test_cheap_ops_are_recorded_with_their_shapes():
    step = tf.function(lambda x: tf.identity(tf.reshape(x, [-1])))
    step(tf.zeros([2, 3]))
    with record() as recording:
        step(tf.zeros([2, 3]))
    names = ops_of(recording.space)
    assert any(name.endswith(":Reshape") for name in names)
    stats = {s.name for p in recording.space.planes for s in p.stat_metadata.values()}
    assert "(float[2,3];int32[1])" in stats


def test_the_temporary_files_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with record() as recording:
        tf.constant(1.0)
    assert recording.space is not None
    assert list(tmp_path.iterdir()) == []


def test_beside_another_session_there_is_a_warning_that_names_both(tmp_path):
    tf.profiler.experimental.start(str(tmp_path))
    try:
        with pytest.warns(
            ProfilerWarning, match=r"my hook.*another tf\.profiler session"
        ) as caught:
            with record(owner="my hook") as recording:
                value = tf.square(tf.constant(3.0))
        assert "TensorBoard" in str(caught[0].message)
        assert recording.space is None and float(value) == 9.0
    finally:
        tf.profiler.experimental.stop()  # The other session goes on as if nothing was.
    assert list(tmp_path.rglob("*.xplane.pb"))
    with record() as recording:
        tf.constant(1.0)
    assert recording.space is not None


def test_an_error_in_the_block_stops_the_profiler():
    with pytest.raises(KeyError):
        with record():
            raise KeyError("x")
    with record() as recording:
        tf.constant(1.0)
    assert recording.space is not None


def test_without_a_temporary_directory_there_is_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.warns(ProfilerWarning, match="no temporary directory"):
        with record() as recording:
            pass
    assert recording.space is None and not recording.running


def test_what_can_not_be_saved_is_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    recording = Recording("test")
    (directory,) = tmp_path.iterdir()
    directory.rmdir()
    directory.write_text("in the way")
    with pytest.warns(ProfilerWarning):
        recording.stop()
        recording.read()
    assert recording.space is None
    with record() as again:
        pass
    assert again.space is not None
