"""Pins move only where that harms nobody: a large rise of errors is refused."""

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


def test_other_evidence_needs_another_edition() -> None:
    old, more = ({"wsr": {"edition": 1, "binary": [level]}} for level in (1.0, 1.1))

    assert pinned.pinned_anew(old, more)[0] == old
    assert pinned.pinned_anew(old, {"wsr": {**more["wsr"], "edition": 2}})[2]
