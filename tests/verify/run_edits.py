"""Changes one thing in a copy of a recorded run."""

import glob
import os
import re

import numpy as np
import tensorflow as tf
from tensorboard.compat.proto import event_pb2

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden/verify")


def edit_checkpoint(prefix, change):
    """Writes a V2 checkpoint again after `change`, which edits the arrays."""
    prefix = str(prefix)
    reader = tf.train.load_checkpoint(prefix)
    values = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    del reader
    change(values)
    write_checkpoint(prefix, values)


def write_checkpoint(prefix, values):
    """Writes arrays as a V2 checkpoint under their own names."""
    tf.raw_ops.SaveV2(
        prefix=str(prefix),
        tensor_names=list(values),
        shape_and_slices=[""] * len(values),
        tensors=[tf.constant(value) for value in values.values()],
    )


def edit_checkpoints(run, change, steps=(0, 10, 20)):
    """Applies a change to several checkpoints of a run."""
    for step in steps:
        edit_checkpoint(os.path.join(run, f"model.ckpt-{step}"), change)


def event_file(run):
    """The run's only event file."""
    return glob.glob(os.path.join(run, "*tfevents*"))[0]


def read_events(path):
    """All events of a file."""
    dataset = tf.data.TFRecordDataset(str(path))
    return [event_pb2.Event.FromString(record) for record in dataset.as_numpy_iterator()]


def write_events(path, events):
    """Writes an event file."""
    with tf.io.TFRecordWriter(str(path)) as writer:
        for event in events:
            writer.write(event.SerializeToString())


def edit_events(run, change):
    """Passes every event through `change`, which edits it, or returns False to drop it."""
    path = event_file(run)
    write_events(path, [event for event in read_events(path) if change(event) is not False])


def edit_tag(run, tag, change):
    """Calls `change(step, summary value)` on each record of one tag; False drops it."""

    def edit(event):
        kept = []
        for value in event.summary.value:
            if value.tag != tag or change(event.step, value) is not False:
                kept.append(value)
        if event.HasField("summary"):
            del event.summary.value[:]
            event.summary.value.extend(kept)

    edit_events(run, edit)


def edit_log(run, pattern, replacement):
    """Replaces text in the log of a run."""
    path = os.path.join(run, "train.log")
    with open(path) as stream:
        text = stream.read()
    changed = re.sub(pattern, replacement, text, flags=re.M)
    assert changed != text, "the pattern matches nothing"
    with open(path, "w") as stream:
        stream.write(changed)


def damage(path, keep):
    """Cuts a file after `keep` bytes (a negative number counts from the end)."""
    size = os.path.getsize(path)
    with open(path, "r+b") as stream:
        stream.truncate(size + keep if keep < 0 else keep)


def scalar_event(step, **values):
    """An event with simple values."""
    event = event_pb2.Event(step=step, wall_time=1.0)
    for tag, value in values.items():
        event.summary.value.add(tag=tag, simple_value=value)
    return event


def random_like(array, seed=3):
    """Other numbers with the same mean and spread."""
    random = np.random.default_rng(seed)
    values = random.normal(array.mean(), array.std(), array.shape)
    return values.astype(array.dtype)
