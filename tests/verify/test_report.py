"""The verdict, and its three forms."""

import html.parser
import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest
from run_edits import GOLDEN, edit_checkpoints, edit_tag

from compat.verify import compare
from compat.verify.report import KINDS, Difference, Report, SeriesRow

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)


@pytest.fixture
def different(copy_run):
    """A report with differences, a finding and curves."""
    run = copy_run("session_2_21")

    def grow(step, value):
        value.simple_value *= 1 + 0.002 * max(0, step - 11)

    def round_off(values):
        for name in ("hidden/kernel", "softmax/kernel"):
            values[name] = values[name].astype(np.float16).astype(np.float32)

    edit_tag(run, "loss_1", grow)
    edit_checkpoints(run, round_off)
    return compare(os.path.join(GOLDEN, "session_1_15"), run)


def report_with(*kinds, pairs=1):
    report = Report("a", "b", 1e-5, 1e-6, [Difference("events", k, "n", "m") for k in kinds])
    report.count("events", "pairs", pairs)
    return report


@pytest.mark.parametrize(
    "report, verdict, code",
    [
        (report_with(), "equal", 0),
        (report_with("value"), "different", 1),
        (report_with("unreadable"), "incomplete", 1),
        (report_with("unreadable", "gap"), "different", 1),
        (report_with("missing", pairs=0), "incomparable", 2),
    ],
)
def test_verdicts(report, verdict, code):
    assert (report.verdict, report.exit_code, report.equal) == (verdict, code, code == 0)


def test_differences_are_in_the_order_of_training(different):
    steps = [item.step for item in different.differences]
    assert steps == sorted(steps) and different.first.step == 0
    assert different.summary.startswith("3 differences, the first: variable hidden/kernel")
    assert {item.kind for item in different.differences} <= set(KINDS)
    assert "2 variables hold rounded values" in different.findings[0]


def test_json_is_strict_and_complete(different):
    different.differences[0].old = float("nan")
    data = json.loads(different.to_json(), parse_constant=pytest.fail)
    assert data["schema"] == 1 and data["verdict"] == "different" and data["exit_code"] == 1
    assert data["differences"][0]["old"] == "nan"
    kernel = next(row for row in data["variables"] if row["name"] == "hidden/kernel")
    assert kernel["departs"] and kernel["first_step"] == 0 and kernel["shape"] == [64, 16]
    loss = next(row for row in data["series"] if row["name"] == "loss_1")
    assert loss["first_step"] == 12 and loss["common"] == 20 and "old" not in loss
    assert data["compared"]["checkpoints"]["values"] == 10899
    assert data["tolerance"] == {"rtol": 1e-5, "atol": 1e-6}


def test_text_says_how_much_it_leaves_out(different):
    text = different.to_text(limit=2)
    assert "and 1 difference more" in text or "and 1 more difference" in text
    assert text.startswith("+- DIFFERENT") and "\x1b" not in text
    assert "\x1b[" in different.to_text(color=True)


def test_brackets_in_names_are_no_markup():
    report = report_with()
    report.differences.append(Difference("events", "value", "[red]x", "tag [red]x [/red] differs"))
    assert "tag [red]x [/red] differs" in report.to_text()


class Page(html.parser.HTMLParser):
    """Checks nesting and collects what the page holds."""

    VOID = {"meta", "br", "link", "img", "line", "rect", "path", "circle"}

    def __init__(self, text):
        super().__init__()
        self.open, self.count, self.data, self.attributes = [], {}, [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.attributes += attrs

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.data.append(data)


def test_page_is_well_formed_and_needs_nothing_from_elsewhere(different):
    text = different.to_html()
    page = Page(text)
    assert page.count["svg"] == 4 and page.count["script"] == page.count["style"] == 1
    for name, value in page.attributes:
        assert name not in ("src", "href"), value
    assert not re.search(r"https?://|@import|url\(", text)
    shown = "".join(page.data)
    assert "Different" in shown and "hidden/kernel" in shown and "departs at step 12" in shown


def test_page_shows_both_curves_and_their_difference(different):
    text = different.to_html()
    first = text[text.index("<svg") : text.index("</svg>")]
    for name in ("old", "new", "apart", "limit"):
        path = re.search(rf'<path class="{name}" d="([^"]+)"', first).group(1)
        assert path.count("L") == 19, name  # 20 steps.
    assert first.count('<circle class="outside"') == 9
    points = json.loads(html.unescape(re.search(r"data-points='([^']+)'", first).group(1)))
    assert len(points) == 20 and points[-1][1] == 20
    # Losses come first, those of event files before logged ones.
    assert text.index("<b>loss_1</b>") < text.index("<b>loss</b>") < text.index("<b>accuracy")


def test_names_cannot_break_the_page():
    report = report_with()
    name = "<script>alert('\"&')</script>"
    steps = np.arange(3)
    row = SeriesRow("events", name, name, "", 3, 0.0, 0.0, False, None, 0.0,
                    (steps, np.ones(3)), (steps, np.ones(3)))  # fmt: skip
    report.series.append(row)
    report.notes.append(name)
    assert Page(report.to_html()).count["script"] == 1


@pytest.mark.parametrize(
    "old, new",
    [
        ([1.0], [1.0]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([np.nan, 1.0], [np.nan, 2.0]),
        ([np.inf], [1.0]),
        (np.linspace(0, 1, 5000), np.linspace(0, 1, 5000) + 1e-9),
        ([1e30, -1e30], [1e30, 5.0]),
    ],
)
def test_curves_of_any_values_can_be_drawn(old, new):
    report = report_with()
    curves = [(np.arange(len(v)), np.asarray(v, float)) for v in (old, new)]
    report.series.append(
        SeriesRow("events", "loss", "loss", "", len(old), 0.0, 0.0, True, 0, 0.0, *curves)
    )
    text = report.to_html()
    Page(text)
    assert "nan " not in text.lower().replace("nan,", "") and len(text) < 600_000


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_page_in_a_browser(different, tmp_path):
    page = tmp_path / "report.html"
    page.write_text(different.to_html(), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    picture = tmp_path / "page.png"
    dom = subprocess.run(
        [CHROMIUM, *options, "--dump-dom", f"--screenshot={picture}", page.as_uri()],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert dom.stdout.count("<svg") == 4 and "departs at step 12" in dom.stdout
    assert "Uncaught" not in dom.stderr
