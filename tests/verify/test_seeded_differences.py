"""Each of many seeded differences between two runs is found, named, and placed in time."""

import os
import shutil

import numpy as np
import pytest
from run_edits import (
    GOLDEN,
    damage,
    edit_checkpoint,
    edit_checkpoints,
    edit_events,
    edit_log,
    edit_tag,
    event_file,
    random_like,
    read_events,
    scalar_event,
    write_events,
)

from compat.verify import compare

RUN = "session_1_15"
KERNEL = "hidden/kernel"
CASES = {}
#: Kinds that an edit gives rise to besides its own.
COMPANIONS = {
    "index_missing": ["missing_steps"],
    "checkpoints_one_save_late": ["value", "scale", "permuted"],
}


def seeded(kind, step, *words, verdict="different"):
    """Registers an edit of a run, and what the report must say of it."""

    def register(edit):
        CASES[edit.__name__] = (edit, kind, step, words, verdict)
        return edit

    return register


@seeded("value", 20, KERNEL, "[3, 7]", "1 of 1,024 elements")
def one_element_changed_by_2e_5(run):
    def change(values):
        values[KERNEL][3, 7] += 2e-5

    edit_checkpoint(f"{run}/model.ckpt-20", change)


@seeded("swapped", 1, "loss_1", "accuracy_1", "exchanged")
def tags_swapped(run):
    other = {"loss_1": "accuracy_1", "accuracy_1": "loss_1"}

    def change(event):
        for value in event.summary.value:
            value.tag = other.get(value.tag, value.tag)

    edit_events(run, change)


@seeded("step_shift", 1, "loss_1", "1 step later", "the values are equal")
def events_one_step_late(run):
    def change(event):
        event.step += 1 if event.HasField("summary") else 0

    edit_events(run, change)


@seeded("lag", 1, "loss_1", "one record before")
def values_one_step_late(run):
    seen = [0.5]

    def change(step, value):
        seen.append(value.simple_value)
        value.simple_value = seen[-2]

    edit_tag(run, "loss_1", change)


@seeded("missing_steps", 20, "model.ckpt", "NEW ends at step 10")
def last_checkpoint_missing(run):
    for suffix in (".index", ".data-00000-of-00001"):
        os.remove(f"{run}/model.ckpt-20{suffix}")
    with open(f"{run}/checkpoint", "w") as stream:
        stream.write('model_checkpoint_path: "model.ckpt-10"\n')


@seeded("seed", 0, KERNEL, "another seed")
def another_seed(run):
    def change(values):
        for name in (KERNEL, "softmax/kernel"):
            values[name] = random_like(values[name])

    edit_checkpoints(run, change)


@seeded("rounding", 0, KERNEL, "rounded to float16")
def rounded_to_float16(run):
    def change(values):
        values[KERNEL] = values[KERNEL].astype(np.float16).astype(np.float32)

    edit_checkpoints(run, change)


@seeded("renamed", None, KERNEL, "dense/kernel", "the same shape and values")
def variable_renamed(run):
    def change(values):
        values["dense/kernel"] = values.pop(KERNEL)

    edit_checkpoints(run, change)


@seeded("duplicate", 11, "loss_1", "as after a restart", "tfevents.1 and again in")
def event_file_written_again_after_restart(run):
    later = [event for event in read_events(event_file(run)) if event.step > 10]
    write_events(f"{run}/events.out.tfevents.2", later)


@seeded("missing", 0, "softmax/bias/Adam_1", "only in OLD")
def optimizer_slot_missing(run):
    edit_checkpoints(run, lambda values: values.pop("softmax/bias/Adam_1"))


@seeded("extra", 0, "averages/kernel", "only in NEW")
def variable_added(run):
    edit_checkpoints(run, lambda values: values.update({"averages/kernel": np.ones(3)}))


@seeded("transposed", 0, "softmax/kernel", "[16, 10]", "[10, 16]", "axes reversed")
def kernel_transposed(run):
    def change(values):
        values["softmax/kernel"] = values["softmax/kernel"].T.copy()

    edit_checkpoints(run, change)


@seeded("shape", 0, "softmax/bias", "[10]", "[11]")
def shape_changed(run):
    edit_checkpoints(run, lambda values: values.update({"softmax/bias": np.zeros(11, "f4")}))


@seeded("dtype", 0, "softmax/bias", "float32 in OLD", "float64 in NEW")
def dtype_changed(run):
    def change(values):
        values["softmax/bias"] = values["softmax/bias"].astype(np.float64)

    edit_checkpoints(run, change)


@seeded("nonfinite", 10, KERNEL, "[0, 5]", "nan in NEW")
def nan_from_step_10(run):
    def change(values):
        values[KERNEL][0, 5:7] = np.nan

    edit_checkpoints(run, change, (10, 20))


@seeded("swapped", 10, "hidden/bias", "hidden/bias/Adam", "exchanged")
def variables_swapped(run):
    def change(values):
        one, other = "hidden/bias", "hidden/bias/Adam"
        values[one], values[other] = values[other], values[one]

    edit_checkpoints(run, change)


@seeded("scale", 10, "hidden/kernel/Adam", "times 64")
def sum_instead_of_mean(run):
    edit_checkpoints(run, lambda v: v.update({KERNEL + "/Adam": v[KERNEL + "/Adam"] * 64}))


@seeded("scale", 0, KERNEL, "sign reversed")
def sign_reversed(run):
    edit_checkpoints(run, lambda values: values.update({KERNEL: -values[KERNEL]}))


@seeded("permuted", 0, "softmax/kernel", "another order")
def units_in_another_order(run):
    def change(values):
        values["softmax/kernel"] = values["softmax/kernel"][:, ::-1].copy()

    edit_checkpoints(run, change)


@seeded("value", 20, "global_step", "20 in OLD", "21 in NEW")
def counter_off_by_one(run):
    edit_checkpoint(f"{run}/model.ckpt-20", lambda v: v.update(global_step=np.int64(21)))


@seeded("lag", 10, "step 10", "at step 0")
def checkpoints_one_save_late(run):
    for step, before in ((20, 10), (10, 0)):
        for suffix in (".index", ".data-00000-of-00001"):
            shutil.copy(f"{run}/model.ckpt-{before}{suffix}", f"{run}/model.ckpt-{step}{suffix}")


@seeded("value", 14, "loss_1", "0.001", "7 of 20 records")
def loss_departs_at_step_14(run):
    def change(step, value):
        value.simple_value += 0.001 if step >= 14 else 0

    edit_tag(run, "loss_1", change)


@seeded("nonfinite", 5, "loss_1", "nan in NEW")
def loss_is_nan(run):
    def change(step, value):
        value.simple_value = float("nan") if step >= 5 else value.simple_value

    edit_tag(run, "loss_1", change)


@seeded("missing_steps", 8, "loss_1", "8, 9 and 10", "a gap")
def gap_in_events(run):
    edit_tag(run, "loss_1", lambda step, value: step not in (8, 9, 10))


@seeded("extra_steps", 21, "loss_1", "OLD ends at step 20")
def trained_one_step_more(run):
    path = event_file(run)
    write_events(path, [*read_events(path), scalar_event(21, loss_1=1.0)])


@seeded("text", 1, "what", "digits, 17 units")
def text_changed(run):
    def change(step, value):
        value.tensor.string_val[0] = b"digits, 17 units"

    edit_tag(run, "what", change)


@seeded("value", 11, "logits", "histogram")
def histogram_changed(run):
    def change(step, value):
        value.histo.max += 1.0 if step > 10 else 0

    edit_tag(run, "logits", change)


@seeded("missing", 1, "digit/image", "only in OLD")
def image_missing(run):
    edit_tag(run, "digit/image", lambda step, value: False)


@seeded("missing", None, "graph", "only in OLD")
def graph_missing(run):
    edit_events(run, lambda event: event.WhichOneof("what") not in ("graph_def", "meta_graph_def"))


@seeded("renamed", None, "loss_1", "total_loss", "the same values")
def tag_renamed(run):
    edit_tag(run, "loss_1", lambda step, value: setattr(value, "tag", "total_loss"))


@seeded("value", 5, "logged loss", "train.log", "1 of 20 records")
def logged_number_changed(run):
    edit_log(run, r"loss = [\d.]+, step = 5\b", "loss = 9.25, step = 5")


@seeded("missing_steps", 20, "logged loss", "NEW ends at step 19")
def log_ends_early(run):
    edit_log(run, r"^.*step = 20\b.*\n", "")


@seeded("step_shift", 1, "logged loss", "1 step earlier")
def logged_before_the_update(run):
    edit_log(run, r"step = (\d+)", lambda found: f"step = {int(found.group(1)) - 1}")


@seeded("unreadable", None, "tfevents.1", "truncated at byte", "31 records", verdict="incomplete")
def event_file_truncated(run):
    damage(event_file(run), -5)


@seeded("unreadable", 20, "model.ckpt-20.data-00000-of-00001", "missing", verdict="incomplete")
def shard_missing(run):
    os.remove(f"{run}/model.ckpt-20.data-00000-of-00001")


@seeded("unreadable", None, "hecksum", "not compared", verdict="incomplete")
def checkpoint_corrupt(run):
    with open(f"{run}/model.ckpt-20.data-00000-of-00001", "r+b") as stream:
        stream.seek(5000)
        stream.write(b"corrupt")


@seeded("unreadable", None, "model.ckpt-20.index", "missing")
def index_missing(run):
    os.remove(f"{run}/model.ckpt-20.index")


@seeded("missing", None, "only OLD has events")
def events_missing(run):
    os.remove(event_file(run))


def test_the_untouched_copy_is_equal(copy_run):
    report = compare(os.path.join(GOLDEN, RUN), copy_run(RUN))
    assert report.verdict == "equal" and report.exit_code == 0, report.to_text()


@pytest.mark.parametrize("case", CASES)
def test_difference_is_found_and_named(case, copy_run):
    edit, kind, step, words, verdict = CASES[case]
    run = copy_run(RUN)
    edit(run)
    report = compare(os.path.join(GOLDEN, RUN), run)
    assert (report.verdict, report.exit_code) == (verdict, 1), report.to_text()
    found = [item for item in report.differences if item.kind == kind]
    named = [item for item in found if all(word in item.message for word in words)]
    assert named, report.to_text()
    assert named[0].step == step, report.to_text()
    # And nothing else is blamed.
    allowed = {kind, *COMPANIONS.get(case, ())}
    assert {item.kind for item in report.differences} <= allowed, report.to_text()


def test_there_are_at_least_twenty():
    assert len(CASES) >= 20
