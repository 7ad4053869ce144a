"""Runs a legacy script, snapshots all it left behind, and compares two snapshots.

Used by the recording script (under TF 1.15 on Python 3.7) and by the tests (under
TF 2), so it speaks only names that both have and no newer Python.

A snapshot of one run holds the exit code, the lines on stdout, the values logged
with `tf.logging`, the files, the newest checkpoint of every directory, the events and
the small text files. Wall-clock numbers are masked before anything is stored.
"""

from __future__ import annotations

import collections
import math
import os
import re
import subprocess

import numpy as np
import tensorflow as tf

RTOL = 1e-5
#: Variables up to this size are stored whole, larger ones by sums and first values.
WHOLE = 16
FIRST = 8
TEXT_FILES = (".csv", ".tsv", ".txt")

#: What depends on the clock: `(512.3 examples/sec)`, `0.031 sec`.
_CLOCK = re.compile(r"[\d.]+(e[+-]?\d+)?( [a-z]+/sec\b| sec(/[a-z]+|onds)?\b)")
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)(?![\w])")
#: `tf.logging` lines that carry values. Where absl has been set up too, as `tf.app.run`
#: does, each line comes a second time in absl's format.
_LOG_LINE = re.compile(r"^INFO:tensorflow:(.* = .*)$")
_ABSL_LINE = re.compile(r"^I\d{4} [\d:.]+ +\d+ \S+\] (.* = .*)$")
_EVENT_FILE = re.compile(r"events\.out\.tfevents\.\d+\..*")
#: Tags whose value depends on the clock: speeds, and how full an input queue is.
_CLOCK_TAGS = re.compile(r"global_step/sec$|.*/fraction_(of|over)_\d+.*_full$")


# --- running -----------------------------------------------------------------------


def run_script(command, argv, work_dir, timeout=300):
    """Runs `command + argv` in `work_dir`.

    Args:
      command: What comes before the script, such as `[python]`; a list of str.
      argv: The script's path and its arguments.
      work_dir: Directory to run in; the script's relative paths land there.
      timeout: Seconds until the child is killed.

    Returns:
      The `subprocess.CompletedProcess`, with text output.
    """
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    # Importing TF 2 sets this for its children too, and TF 1.15 would obey it.
    env.pop("TF2_BEHAVIOR", None)
    return subprocess.run(
        list(command) + list(argv),
        cwd=str(work_dir),
        env=env,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def snapshot(done, work_dir):
    """Describes what one finished run printed and what `work_dir` holds after it.

    Args:
      done: The result of `run_script`.
      work_dir: The directory it ran in.

    Returns:
      A dict that `json` can write.
    """
    work_dir = str(work_dir)
    files, directories = _files(work_dir)
    return {
        "exit_code": done.returncode,
        "stdout": [_mask(line) for line in done.stdout.splitlines()],
        "log": _logged(done.stderr),
        "files": files,
        "texts": _texts(work_dir, files),
        "checkpoints": _checkpoints(work_dir, directories),
        "events": _events(work_dir, directories),
    }


def _mask(line):
    return _CLOCK.sub(lambda found: "<time>" + found.group(2), line)


def _logged(stderr):
    lines = stderr.splitlines()
    plain = [match.group(1) for match in map(_LOG_LINE.match, lines) if match]
    absl = [match.group(1) for match in map(_ABSL_LINE.match, lines) if match]
    return [_mask(line) for line in plain or absl]


def _files(work_dir):
    files, directories = set(), set()
    for folder, _, names in os.walk(work_dir):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), work_dir)
            files.add(_EVENT_FILE.sub("events.out.tfevents", path))
        directories.add(os.path.relpath(folder, work_dir))
    return sorted(files), sorted(directories)


def _texts(work_dir, files):
    texts = {}
    for path in files:
        if path.endswith(TEXT_FILES):
            with open(os.path.join(work_dir, path)) as stream:
                texts[path] = [_mask(line.rstrip("\n")) for line in stream]
    return texts


def _checkpoints(work_dir, directories):
    found = {}
    for directory in directories:
        state = tf.compat.v1.train.get_checkpoint_state(os.path.join(work_dir, directory))
        if state is None:
            continue
        reader = tf.compat.v1.train.NewCheckpointReader(state.model_checkpoint_path)
        shapes = reader.get_variable_to_shape_map()
        found[directory] = {
            "newest": os.path.basename(state.model_checkpoint_path),
            "all": [os.path.basename(path) for path in state.all_model_checkpoint_paths],
            "variables": {name: _describe(reader.get_tensor(name)) for name in sorted(shapes)},
        }
    return found


def _describe(value):
    array = np.asarray(value)
    result = {"shape": list(array.shape), "dtype": array.dtype.name}
    flat = array.ravel()
    if array.dtype.kind not in "biuf":
        result["values"] = [str(item) for item in flat[:WHOLE]]
        return result
    result["values"] = [_number(item) for item in (flat if flat.size <= WHOLE else flat[:FIRST])]
    wide = flat.astype(np.float64)
    result["sum"] = _number(wide.sum())
    result["abs_sum"] = _number(np.abs(wide).sum())
    return result


def _number(value):
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    return float(f"{value:.9g}")


def _events(work_dir, directories):
    found = {}
    for directory in directories:
        folder = os.path.join(work_dir, directory)
        entries = []
        for name in sorted(os.listdir(folder)):
            if _EVENT_FILE.match(name):
                for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, name)):
                    entries.extend(_entries(event))
        if entries:
            # Two writers of one directory interleave by the clock: order is not kept.
            found[directory] = sorted(entries, key=lambda entry: (entry[0], entry[1], entry[2]))
    return found


def _entries(event):
    kind = event.WhichOneof("what")
    if kind in ("graph_def", "meta_graph_def"):
        return [[event.step, kind, "", None]]
    if kind == "session_log":
        log = event.session_log
        path = os.path.basename(log.checkpoint_path)
        return [[event.step, "session_log", str(log.status) + " " + path, None]]
    if kind == "tagged_run_metadata":
        return [[event.step, kind, event.tagged_run_metadata.tag, None]]
    if kind != "summary":
        return []
    return [[event.step] + _summary_value(value) for value in event.summary.value]


def _summary_value(value):
    kind = value.WhichOneof("value")
    if _CLOCK_TAGS.match(value.tag):
        return [kind, value.tag, None]
    if kind == "simple_value":
        return [kind, value.tag, _number(value.simple_value)]
    if kind == "histo":
        histo = value.histo
        return [
            kind,
            value.tag,
            [_number(item) for item in (histo.num, histo.min, histo.max, histo.sum_squares)],
        ]
    if kind == "image":
        return [kind, value.tag, [value.image.height, value.image.width, value.image.colorspace]]
    if kind == "tensor" and value.tensor.string_val:
        return [kind, value.tag, [text.decode("utf-8") for text in value.tensor.string_val]]
    return [kind, value.tag, None]


# --- comparing ---------------------------------------------------------------------


def differences(golden, actual, rtol=RTOL):
    """Lists where two snapshots of one run disagree.

    Args:
      golden: The recorded snapshot.
      actual: The snapshot to judge.
      rtol: Largest relative difference of two floating-point numbers.

    Returns:
      Sentences, one a difference; none when the runs are equal.
    """
    found = []
    if golden["exit_code"] != actual["exit_code"]:
        found.append(f"exit code {actual['exit_code']}, was {golden['exit_code']}")
    found += _lines_differ("stdout", golden["stdout"], actual["stdout"], rtol)
    found += _lines_differ("log", golden["log"], actual["log"], rtol)
    for path in sorted(set(golden["files"]) ^ set(actual["files"])):
        found.append(f"file {path} {'lost' if path in golden['files'] else 'new'}")
    for path in sorted(set(golden["texts"]) & set(actual["texts"])):
        found += _lines_differ(path, golden["texts"][path], actual["texts"][path], rtol)
    found += _checkpoints_differ(golden["checkpoints"], actual["checkpoints"], rtol)
    found += _events_differ(golden["events"], actual["events"], rtol)
    return found


def _lines_differ(what, golden, actual, rtol):
    found = []
    for number in range(max(len(golden), len(actual))):
        expected = golden[number] if number < len(golden) else "<no line>"
        line = actual[number] if number < len(actual) else "<no line>"
        if not lines_agree(expected, line, rtol):
            found.append(f"{what} line {number + 1}: {line!r}, was {expected!r}")
    return found


def lines_agree(expected, line, rtol=RTOL):
    """Tells whether two lines have the same words and close numbers.

    Whole numbers must be equal. Others may differ by `rtol` and by one unit of the
    last printed digit, since printing rounds.
    """
    if _NUMBER.sub("#", expected) != _NUMBER.sub("#", line):
        return False
    pairs = zip(_NUMBER.findall(expected), _NUMBER.findall(line))  # noqa: B905
    return all(_texts_close(one, other, rtol) for one, other in pairs)


def _texts_close(one, other, rtol):
    if one == other:
        return True
    if "." not in one and "e" not in one.lower() and "." not in other:
        return False
    unit = max(_last_digit(one), _last_digit(other))
    return _close(float(one), float(other), rtol, unit * 1.001)


def _last_digit(text):
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals)


def _close(one, other, rtol, atol=0.0):
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    if math.isinf(one) or math.isinf(other):
        return one == other
    return abs(one - other) <= atol + rtol * max(abs(one), abs(other))


def _checkpoints_differ(golden, actual, rtol):
    found = []
    for directory in sorted(set(golden) | set(actual)):
        one, other = golden.get(directory), actual.get(directory)
        where = f"checkpoint in {directory}"
        if one is None or other is None:
            found.append(f"{where} {'new' if one is None else 'lost'}")
            continue
        for key in ("newest", "all"):
            if one[key] != other[key]:
                found.append(f"{where}: {key} is {other[key]}, was {one[key]}")
        for name in sorted(set(one["variables"]) | set(other["variables"])):
            found += _variables_differ(
                f"{where}: variable {name}",
                one["variables"].get(name),
                other["variables"].get(name),
                rtol,
            )
    return found


def _variables_differ(where, golden, actual, rtol):
    if golden is None or actual is None:
        return [f"{where} {'new' if golden is None else 'lost'}"]
    for key in ("shape", "dtype"):
        if golden[key] != actual[key]:
            return [f"{where}: {key} {actual[key]}, was {golden[key]}"]
    if "sum" not in golden:
        equal = golden["values"] == actual["values"]
        return [] if equal else [f"{where}: {actual['values']}, was {golden['values']}"]
    # A value near zero is held to the tensor's own scale: its mean magnitude.
    size = 1
    for dimension in golden["shape"]:
        size *= dimension
    scale = golden["abs_sum"] / max(size, 1)
    found = []
    for key, slack in (("sum", golden["abs_sum"]), ("abs_sum", 0.0)):
        if not _close(golden[key], actual[key], rtol, rtol * slack):
            found.append(f"{where}: {key} {actual[key]!r}, was {golden[key]!r}")
    for index, (one, other) in enumerate(zip(golden["values"], actual["values"])):  # noqa: B905
        if not _close(one, other, rtol, rtol * scale):
            found.append(f"{where}: value {index} is {other!r}, was {one!r}")
    return found


def _events_differ(golden, actual, rtol):
    found = []
    for directory in sorted(set(golden) | set(actual)):
        ones, others = golden.get(directory, []), actual.get(directory, [])
        lost = collections.Counter(_event_name(one) for one in ones)
        lost.subtract(_event_name(other) for other in others)
        for name, count in sorted(lost.items()):
            if count:
                found.append(
                    f"event {name} in {directory}: {abs(count)} {'lost' if count > 0 else 'new'}"
                )
        if any(lost.values()):
            continue
        for one, other in zip(ones, others):  # noqa: B905
            if not _values_agree(one[3], other[3], rtol):
                found.append(f"event {other} in {directory}, was {one[3]}")
    return found


def _event_name(entry):
    return f"step {entry[0]} {entry[1]} {entry[2]}"


def _values_agree(one, other, rtol):
    if one is None or other is None:
        return one is other
    expected = one if isinstance(one, list) else [one]
    values = other if isinstance(other, list) else [other]
    if len(expected) != len(values):
        return False
    for left, right in zip(expected, values):  # noqa: B905
        if isinstance(left, str) or isinstance(right, str):
            if not lines_agree(str(left), str(right), rtol):
                return False
        elif not _close(left, right, rtol):
            return False
    return True
