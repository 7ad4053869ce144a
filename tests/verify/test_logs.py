"""Numbers are found in the lines that TF1's hooks, Estimator and Keras write."""

import pytest

from compat.verify import compare
from compat.verify.logs import read_log

LINES = {
    "logging_hook": ("INFO:tensorflow:loss = 0.25, step = 10 (0.2 sec)", {"loss": [(10, 0.25)]}),
    "absl_prefix": (
        "I1201 05:29:33.035443 140 basic_session_run_hooks.py:260] loss = 1e-3, step = 7",
        {"loss": [(7, 1e-3)]},
    ),
    "several": (
        "a = 1.5, b/c = -2, step = 3 (0.1 sec)",
        {"a": [(3, 1.5)], "b/c": [(3, -2)]},
    ),
    "without_step": ("acc = 0.5\nacc = 0.75", {"acc": [(0, 0.5), (1, 0.75)]}),
    "estimator": (
        "INFO:tensorflow:Saving dict for global step 20: accuracy = 0.9, global_step = 20, "
        "loss = nan",
        {"accuracy": [(20, 0.9)], "loss": [(20, "nan")]},
    ),
    "final_loss": ("Loss for final step: 0.125.", {"Loss for final step": [(0, 0.125)]}),
    "speed": ("INFO:tensorflow:global_step/sec: 123.4", {}),
    "own_print": (
        "step 50, loss = 0.123 (1919.0 examples/sec)\nepoch 2: val acc = 0.5",
        {"loss": [(50, 0.123)], "val acc": [(2, 0.5)]},
    ),
    "keras_lines": (
        "Epoch 1/2\n25/25 - 1s - 20ms/step - accuracy: 0.5 - loss: 1.5\n"
        "Epoch 2/2\n25/25 - 0s - 3ms/step - accuracy: 0.75 - loss: 1.25 - val_loss: 2e-05",
        {"accuracy": [(1, 0.5), (2, 0.75)], "loss": [(1, 1.5), (2, 1.25)], "val_loss": [(2, 2e-5)]},
    ),
    "keras_bar": (
        "Epoch 1/1\n\r\x1b[1m 1/10\x1b[0m \x1b[32m━\x1b[0m \x1b[1m1s\x1b[0m 9ms/step - loss: 3.0"
        "\x08\x08\r\x1b[1m10/10\x1b[0m \x1b[32m━━\x1b[0m \x1b[1m0s\x1b[0m 2ms/step - loss: 1.0\n",
        {"loss": [(1, 1.0)]},
    ),
    "old_keras_bar": (
        "Epoch 3/9\n2/2 [==============================] - 1s 20ms/step - loss: 0.5 - acc: 0.25",
        {"loss": [(3, 0.5)], "acc": [(3, 0.25)]},
    ),
    "times_and_runtime": (
        "2026-12-01 05:29:33.035443: I core/cpu.cc:182] set FLAG=0\n"
        "I0000 00:00:1796103028.4 8345 cudart_stub.cc:31] x = 3\n"
        "took: 0.2 sec, started at 12:30:10, Please use `rate = 1`\n"
        "Using config: {'_save_summary_steps': 100, '_seed': None}",
        {},
    ),
}


@pytest.mark.parametrize("case", LINES)
def test_lines(case, tmp_path):
    text, expected = LINES[case]
    path = tmp_path / "run.log"
    path.write_text(text)
    found = {
        name: [
            (step, "nan" if value != value else value)
            for step, value in zip(series.steps.tolist(), series.values.tolist(), strict=True)
        ]
        for name, series in read_log(str(path)).items()
    }
    assert found == expected


def test_csv_logger(tmp_path):
    path = tmp_path / "history.csv"
    path.write_text("epoch,accuracy,loss\n0,0.5,1.5\n1,0.75,1.25\n")
    loss = read_log(str(path))["loss"]
    assert (loss.steps.tolist(), loss.values.tolist()) == ([0, 1], [1.5, 1.25])


def write_logs(tmp_path, old, new):
    paths = tmp_path / "old.log", tmp_path / "new.log"
    for path, text in zip(paths, (old, new), strict=True):
        path.write_text(text)
    return paths


@pytest.mark.parametrize(
    "old, new, equal",
    [
        ("0.1234", "0.1235", True),  # 0.12345 was rounded down and up.
        ("0.1234", "0.1237", False),
        ("0.1235", "0.12345678", True),
        ("0.1234", "0.12345678", False),
        ("0.12345678", "0.12350678", False),
        ("3", "4", False),
        ("nan", "nan", True),
        ("nan", "0.5", False),
    ],
)
def test_rounding_in_print_is_allowed_for(tmp_path, old, new, equal):
    logs = write_logs(tmp_path, f"loss = {old}, step = 4\n", f"loss = {new}, step = 4\n")
    report = compare(*logs)
    assert report.equal == equal, report.to_text()
    assert equal or report.first.step == 4


def test_names_are_mapped_and_suggested(tmp_path):
    old = "".join(f"loss = {1 / step:.6f}, step = {step * 10}\n" for step in range(1, 6))
    new = "".join(f"cost = {1 / step:.6f}, step = {step}\n" for step in range(1, 6))
    logs = write_logs(tmp_path, old, new)
    first = compare(*logs)
    assert first.suggested == {"logs": {"loss": {"name": "cost", "scale": 10, "offset": 0}}}
    assert compare(*logs, name_map=first.suggested).equal


def test_logs_need_no_tensorflow(tmp_path):
    import subprocess
    import sys

    logs = write_logs(tmp_path, "loss = 1.5, step = 1\n", "loss = 1.5, step = 1\n")
    script = (
        "import sys; from compat.verify import compare; assert compare(*sys.argv[1:]).equal; "
        "assert 'tensorflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script, *map(str, logs)], check=True)
