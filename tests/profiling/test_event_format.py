"""Every event of every trace follows the Trace Event Format."""

import copy
import json

import event_format
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from profiled_cases import profiled_case
from spaces import spaces

from compat.profiling import chrome, parse
from compat.profiling.graph import GraphView, Node


class GuessedGraph(GraphView):
    """Every op feeds on the others, so that there are edges whatever ran."""

    def node(self, name):
        if not name.startswith("scope/op_"):
            return None
        number = int(name[-1])
        inputs = ((f"scope/op_{(number + 1) % 4}", 0), (f"scope/op_{(number + 2) % 4}", 1))
        return Node("MatMul", inputs)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spaces(), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_generated_spaces_give_valid_traces(space, known, dataflow, memory, framework):
    graph = GuessedGraph() if known else None
    trace = parse.from_xspace(space, graph, framework=framework)
    event_format.check(chrome.events(trace, show_dataflow=dataflow, show_memory=memory))


@pytest.mark.parametrize("memory", [False, True])
def test_golden_cases_give_valid_traces(case, memory):
    event_format.check(chrome.events(case.trace, show_memory=memory))


def test_the_file_holds_the_events(case, tmp_path):
    path = tmp_path / "deep" / "timeline.json"
    chrome.write(case.trace, path, show_memory=True)
    expected = list(chrome.events(case.trace, show_memory=True))
    assert json.loads(path.read_text())["traceEvents"] == expected
    assert [file.name for file in path.parent.iterdir()] == ["timeline.json"]


def test_several_hosts_in_one_file(tmp_path):
    first = profiled_case("matmul").trace
    second = copy.copy(profiled_case("queue").trace)
    second.host = "other"
    path = tmp_path / "timeline.json"
    chrome.write_all([first, second], path, show_memory=True)
    events = json.loads(path.read_text())["traceEvents"]
    event_format.check(events)
    rows = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert any(row.startswith("other /job:localhost") for row in rows)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda events: events.reverse(),
        lambda events: events[-1].pop("ts"),
        lambda events: next(e for e in events if e["ph"] == "X").update(dur=1e6),
        lambda events: events.remove(next(e for e in events if e["ph"] == "D")),
        lambda events: events.remove(next(e for e in events if e["ph"] == "M")),
        lambda events: next(e for e in events if e["ph"] == "X").update(dur=-1.0),
    ],
)
def test_the_check_finds_what_is_wrong(matmul, spoil):
    events = copy.deepcopy(list(chrome.events(matmul.trace, show_memory=True)))
    spoil(events)
    with pytest.raises((AssertionError, KeyError)):
        event_format.check(events)
