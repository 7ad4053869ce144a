"""Files appear whole or not at all."""

import os

import pytest

from compat.profiling.files import whole


@pytest.mark.parametrize("place", ["local", "ram://files"])
@pytest.mark.parametrize(("mode", "content"), [("w", "text é"), ("wb", b"\x00\xff")])
def test_a_file_is_replaced_at_the_end(tmp_path, place, mode, content):
    import tensorflow as tf

    path = f"{tmp_path / 'new'}/file" if place == "local" else f"{place}/{mode}/file"
    for _ in range(2):
        with whole(path, mode) as file:
            file.write(content)
            was_there = tf.io.gfile.exists(path)
    assert was_there
    with tf.io.gfile.GFile(path, mode.replace("w", "r")) as file:
        assert file.read() == content
    assert tf.io.gfile.listdir(os.path.dirname(path)) == ["file"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(KeyError):
        with whole(path) as file:
            file.write("new")
            raise KeyError
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_the_usual_permissions(tmp_path):
    with whole(tmp_path / "file"):
        pass
    (tmp_path / "other").write_text("")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "other").stat().st_mode
