"""The names map, and how names and places are paired."""

import numpy as np
import pytest

from compat.verify.fingerprints import Fingerprint, same_values
from compat.verify.names import NameMap, Target, pair, pair_places
from compat.verify.wording import steps


def test_flat_map_serves_all_parts():
    names = NameMap.load({"a": "b", "ignore": ["x*"]})
    for section in ("variables", "tags", "logs", "ops"):
        assert names.section(section) == {"a": Target("b")}
    assert names.section("directories") == {}
    assert names.ignores("xyz") and not names.ignores("a")


def test_map_is_read_from_a_file_and_written_again(tmp_path):
    path = tmp_path / "names.json"
    path.write_text('{"tags": {"a": {"name": "b", "offset": 1}}, "ignore": ["c"]}')
    names = NameMap.load(path)
    assert names.with_pairs({"tags": {"d": "e"}}) == {
        "tags": {"a": {"name": "b", "scale": 1, "offset": 1}, "d": "e"},
        "ignore": ["c"],
    }


@pytest.mark.parametrize(
    "source, words",
    [
        ([1], "object of names"),
        ({"variables": ["a"]}, "section 'variables'"),
        ({"variables": {"a": "b"}, "tagz": {}}, "unknown section"),
        ({"variables": {"a": 3}}, "counterpart of 'a'"),
        ({"tags": {"a": {"name": "b", "step": 3}}}, "name, scale and offset"),
        ({"tags": {"a": {"name": "b", "scale": 0.5}}}, "whole numbers"),
        ({"ignore": "a"}, "list of patterns"),
    ],
)
def test_wrong_maps_are_explained(source, words):
    with pytest.raises(ValueError, match=words):
        NameMap.load(source)


def test_file_that_is_no_json(tmp_path):
    (tmp_path / "names.json").write_text("a: b")
    with pytest.raises(ValueError, match="no JSON"):
        NameMap.load(tmp_path / "names.json")


def test_the_map_goes_before_equal_names():
    found = pair(["a", "b"], ["a", "b"], {"a": Target("b")})
    assert found.pairs == [("a", "b", "map")] and found.missing == ["b"] and found.extra == ["a"]


def test_mapped_name_that_is_not_there_is_missing():
    found = pair(["a"], ["a"], {"a": Target("z")})
    assert (found.pairs, found.missing, found.extra) == ([], ["a"], ["a"])


def test_recorded_names_that_are_not_unique_pair_nothing():
    found = pair(["v"], ["x", "y"], {}, {}, {"x": "v", "y": "v"})
    assert found.pairs == []


def test_the_last_place_on_either_side_goes_together():
    found, note = pair_places(["", "eval"], ["eval", "train"], {})
    assert ("", "train", "only") in found.pairs and "train" in note
    found, note = pair_places(["", "a"], ["b", "c"], {})
    assert not found.pairs and note is None


def test_equal_values_are_told_apart_by_similar_names():
    zeros = Fingerprint.of(np.zeros(4, "f4"))
    old = {"hidden/bias": zeros, "softmax/bias": zeros}
    new = {"model/softmax/b": zeros, "model/hidden/b": zeros}
    assert same_values(old, new, 1e-5, 1e-6) == [
        ("hidden/bias", "model/hidden/b"),
        ("softmax/bias", "model/softmax/b"),
    ]


def test_fingerprints_see_a_change_between_the_samples():
    old = np.random.default_rng(0).standard_normal(10_000)
    new = old.copy()
    new[77] += 3
    assert not Fingerprint.of(old).matches(Fingerprint.of(new), 1e-5, 1e-6)
    assert Fingerprint.of(old).matches(Fingerprint.of(old + 1e-8), 1e-5, 1e-6)


@pytest.mark.parametrize(
    "numbers, text",
    [
        ([7], "7"),
        ([1, 2], "1 and 2"),
        (range(10, 110, 10), "10, 20, … 100 (10 steps)"),
        ([1, 2, 3, 4, 5, 6, 9], "1, 2, 3, 4, 5, 6, … 9 (7 steps)"),
    ],
)
def test_steps_in_words(numbers, text):
    assert steps(numbers) == text
