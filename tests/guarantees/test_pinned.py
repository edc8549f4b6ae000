"""Pins move only where that harms nobody: a large rise of errors is refused."""

import json
from pathlib import Path

import pytest

from tests.guarantees import pinned

OLD = {"a": [100], "b": [20, 30], "c": [0]}


def test_a_rise_beyond_chance_is_refused_and_the_rest_is_pinned() -> None:
    new = {"a": [125], "b": [20, 55], "c": [0], "d": [7]}

    pins, lines, accepted = pinned.pinned_anew(OLD, new)

    assert not accepted
    assert pins == {"a": [125], "b": [20, 30], "c": [0], "d": [7]}
    assert [line.split(":")[0] for line in lines] == ["a", "b", "d"]
    assert lines[0] == "a: [100] -> [125] (at most [136])"
    assert "REFUSED, more errors than chance explains (55 > 51)" in lines[1]


def test_falls_and_small_rises_may_be_pinned() -> None:
    for new in ([60], [0], [110]):
        assert pinned.pinned_anew(OLD, {"a": new})[2]
    assert not pinned.pinned_anew(OLD, {"c": [9]})[2]


def test_other_evidence_needs_another_edition() -> None:
    old = {"wsr": {"edition": 1, "binary": [1.0]}}
    more = {"edition": 1, "binary": [1.1]}

    assert pinned.pinned_anew(old, {"wsr": more})[0] == old
    assert pinned.pinned_anew(old, {"wsr": {**more, "edition": 2}})[2]


def test_a_count_that_is_not_the_recorded_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "pins.json"
    place.write_text(json.dumps(OLD))
    monkeypatch.delenv(pinned.COUNTING, raising=False)

    pinned.assert_recorded(place, "a", [100])
    with pytest.raises(AssertionError):
        pinned.assert_recorded(place, "a", [101])

    noted = tmp_path / "noted"
    monkeypatch.setenv(pinned.COUNTING, str(noted))
    pinned.assert_recorded(place, "a", [101])
    assert json.loads(noted.read_text()) == ["pins.json", "a", [101]]
