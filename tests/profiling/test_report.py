"""The report is one page that draws itself without a network."""

import json
import re
import shutil
import subprocess

import pytest
from profiled_cases import profiled_case
from spaces import SpaceBuilder

from compat.profiling import parse, report
from compat.profiling import report as report_module

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


def data_of(page):
    text = re.search(r'<script id="data"[^>]*>(.*?)</script>', page, re.S).group(1)
    return json.loads(text)


def in_browser(path, *options):
    """What headless Chromium prints; the network is cut off."""
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--incognito"]
    command += ["--proxy-server=127.0.0.1:9", "--virtual-time-budget=2000", *options]
    done = subprocess.run(
        [*command, f"file://{path}"], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    report.write([profiled_case("conv").trace], path, title="Two convolutions")
    return path


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_a_browser_draws_it(page_file):
    dom = in_browser(page_file, "--dump-dom")
    drawn = int(re.search(r'data-drawn="(\d+)"', dom).group(1))
    assert drawn == len(profiled_case("conv").trace.ops)
    table = dom[dom.index('<table id="ops"') : dom.index("</table>")]
    for op in ("Conv2D_1", "gradients/MatMul_grad/MatMul_1", "_FusedConv2D", "MaxPoolGrad"):
        assert f">{op}<" in table
    assert dom.count("<svg") == 1 and "cpu: at most" in dom


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_picture_is_not_empty(page_file, tmp_path):
    picture = tmp_path / "report.png"
    in_browser(page_file, f"--screenshot={picture}", "--window-size=1200,900")
    assert picture.read_bytes()[:4] == b"\x89PNG" and picture.stat().st_size > 20_000


def test_it_refers_to_nothing_outside(page_file):
    page = page_file.read_text()
    assert not re.search(r"https?://|src=|href=|@import|url\(", page)


def test_bars_do_not_overlap_on_their_lanes(case):
    rows = data_of(report.page([case.trace]))["rows"]
    assert sum(len(row["bars"]) for row in rows) == len(case.trace.ops)
    for row in rows:
        ends = {}
        for start, duration, lane, _, _ in row["bars"]:
            assert lane < row["lanes"]
            assert start >= ends.get(lane, 0) - 5e-4
            ends[lane] = start + duration


def test_names_can_not_break_out_of_the_page():
    builder = SpaceBuilder()
    line = builder.plane("/host:CPU").line("a")
    line.event("EagerExecute", 0, 1, eager_op="</script><script>alert(1)</script>", is_func=0)
    page = report.page([parse.from_xspace(builder.space)], title="<b>title</b>")
    assert "<script>alert" not in page and "<b>title" not in page
    assert "</script><script>alert(1)</script>" in data_of(page)["names"]


def test_the_longest_bars_are_kept(monkeypatch):
    monkeypatch.setattr(report_module, "MAX_BARS", 3)
    builder = SpaceBuilder()
    line = builder.plane("/host:CPU").line("a")
    for i in range(6):
        line.op(f"op_{i}", "Add", 10 * i, i + 1)
    page = report.page([parse.from_xspace(builder.space)])
    (row,) = data_of(page)["rows"]
    assert sorted(bar[1] for bar in row["bars"]) == [4, 5, 6]
    assert "3 shorter ones are left out" in page


def test_an_empty_trace_gives_a_page():
    page = report.page([parse.from_xspace(SpaceBuilder().space)])
    assert data_of(page) == {"rows": [], "names": []}
    assert "Nothing is known of memory" in page
