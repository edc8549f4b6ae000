"""The analysis as users see it."""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import stopwise as sw
from stopwise.questions.analyze import analyze
from tests.questions.drawn import FOUR

rank = partial(analyze, method="nscore")
tasks = partial(analyze, tasks="each", method="nscore")
JSON_POLICY = "name n mean interval letters trials_used trials_saved trials_unpaired interval_level"
JSON_PAIR = (
    "policy0 policy1 decision implied n p_value e_value log_e difference estimate interval "
    "interval_level chance futile"
)
JSON_WHOLE = (
    "schema version policies pairs order_text sentence method alpha adjust ties design baseline "
    "bounds bounds_inferred n_max task trials_used trials_saved trials_unpaired doubts warnings "
    "facts edition alternative"
)


@pytest.mark.parametrize("adjust", ["bonferroni", "holm"])
def test_an_analysis_from_scores_by_policy(adjust: str) -> None:
    analysis = rank(FOUR, adjust=adjust)

    assert [policy.name for policy in analysis.policies][::3] == ["high", "low"]
    assert analysis.letters["high"] == "a"
    assert analysis.letters["low"] == "c"
    assert analysis.letters["middle"] == analysis.letters["other"] == "b"
    first, second = (policy.name for policy in analysis.policies[1:3])
    assert analysis.order_text == (
        f"high > {first}, {second}; {first} > low; {second} > low; "
        f"{first} undecided against {second}"
    )
    assert all(pair.difference >= 0 for pair in analysis.sorted_pairs)
    assert analysis.trials_used + analysis.trials_saved == 480
    for policy in analysis.policies:
        assert policy.interval.low <= policy.mean <= policy.interval.high
        assert policy.mean == pytest.approx(FOUR[policy.name].mean())
    by_name = {policy.name: policy for policy in analysis.policies}
    assert by_name["middle"].trials_used == 120
    assert by_name["low"].trials_used < 120
    for pair in analysis.pairs:
        assert pair.decided == (pair.p_value <= 0.05)
        assert pair.path.n[-1] == pair.n
        own = [policy.trials_used for policy in (by_name[pair.policy0], by_name[pair.policy1])]
        assert pair.n <= min(own)


def test_the_json_has_the_documented_schema() -> None:
    for settings in ({}, {"baseline": "middle"}, {"n_max": 7}):
        content = json.loads(rank(FOUR, **settings).to_json())

        assert list(content) == JSON_WHOLE.split()
        for policy in content["policies"]:
            assert list(policy) == JSON_POLICY.split()
        for pair in content["pairs"]:
            assert list(pair) == JSON_PAIR.split()
            assert pair["decision"] in ("policy0", "policy1", "undecided")


def test_against_a_baseline_only() -> None:
    analysis = rank(FOUR, baseline="middle")

    assert [(pair.policy0, pair.policy1) for pair in analysis.pairs] == [
        ("middle", "low"),
        ("middle", "other"),
        ("middle", "high"),
    ]
    assert analysis.order_text in (
        "high > middle; middle > low; middle undecided against other",
        "high > middle; middle > low; other undecided against middle",
    )
    assert set(analysis.letters.values()) == {""}
    full = {pair.policy1: pair.n for pair in rank(FOUR).pairs if pair.policy0 == "middle"}
    assert next(pair.n for pair in analysis.pairs if pair.policy1 == "high") <= full["high"]


def test_the_papers_convention_is_named() -> None:
    analysis = rank(FOUR, ties="paper")

    assert any("exact ties are assumed not to occur" in warning for warning in analysis.warnings)
    assert "assuming no exact ties" in analysis.sentence
    assert not any("exact ties" in w for w in rank(FOUR, ties="paper", method="wsr").warnings)


@pytest.mark.parametrize(
    ("trials", "settings", "message"),
    [
        ({"a": [1]}, {}, "at least 2 policies, but got 1"),
        ({"a": [1], "b": []}, {}, "'b' has none"),
        ({"a": [1], "b": [2]}, {}, r"bounds \[0, 1\], but 'b' got 2"),
        ({"a": [0.5], "b": [1]}, {"method": "savi"}, "takes only the scores 0, 1, but 'a' got 0.5"),
        ({"a": [1], "b": [1]}, {"baseline": "c"}, "baseline must be one of a, b, but got 'c'"),
        ({"a": [1], "b": [1]}, {"alpha": 2.0}, "alpha must lie strictly between 0 and 1"),
        ({"a": [1], "b": [1]}, {"ties": "maybe"}, "ties must be one of"),
        ({"a": [1], "b": [1]}, {"adjust": "none"}, "adjust must be one of"),
        ({"a": [1], "b": [1]}, {"bounds": (1, 0)}, "bounds must be two finite numbers"),
        ({"a": [1], "b": [1]}, {"bounds": 1}, "bounds must be two finite numbers"),
        ({"a": ["x"], "b": [1]}, {}, "'a' must be numbers, but got the text 'x'$"),
        ({"a": ["1"], "b": [1]}, {}, r"convert it first, as in float\('1'\)$"),
        ([1, 2], {}, "mapping from policy to scores, but got list"),
    ],
)
def test_wrong_input_is_one_clear_line(trials: Any, settings: Any, message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        rank(trials, **settings)


def test_files_and_frames_are_read_on_the_way(tmp_path: Path) -> None:
    frame = pl.DataFrame({"policy": ["a", "b"] * 20, "score": [0.1, 0.9] * 20})
    frame.write_csv(tmp_path / "long.csv")
    sources = (frame, frame.to_pandas(), tmp_path / "long.csv", str(tmp_path / "long.csv"))

    for source in sources:
        assert sw.analyze(source).order_text == "b > a"

    with pytest.raises(sw.InvalidInput, match="no such file"):
        sw.analyze("nowhere.csv")
    with pytest.raises(sw.InvalidInput, match="trials must be a file, a frame"):
        sw.analyze(7)


def test_two_columns_of_scores_are_compared_in_one_call() -> None:
    rng = np.random.default_rng(0)
    low, high = rng.random(30) / 2, 0.5 + rng.random(30) / 2

    found = sw.compare(low.tolist(), pl.Series(high), names=("old", "new"), n_max=30)

    assert found.order_text == "new > old"
    assert found.to_dict() == sw.analyze({"old": low, "new": high}, n_max=30).to_dict()
    with pytest.raises(sw.InvalidInput, match="names must be two that differ"):
        sw.compare(low, high, names=("a", "a"))


def test_compare_takes_a_number_and_takes_the_first_for_the_baseline() -> None:
    good = [1, 1, 1, 0, 1, 1, 1, 1, 1, 1] * 6

    alone = sw.compare(good, reference=0.5, names=("mine", "other"))
    assert alone.order_text == "mine > 0.5"
    not_worse = sw.compare(good, [1] * 60, margin=-0.2, names=("old", "new"))
    assert not_worse.rules.baseline == "old"
    assert not_worse.order_text == "new not worse than old"
    with pytest.raises(sw.InvalidInput, match="two policies to compare, or one and the number"):
        sw.compare(good)


def test_a_doubt_stands_in_the_headline() -> None:
    """One that costs trials only does not."""
    rng = np.random.default_rng(4)
    base, early = (rng.random(120) < 0.4) * 1.0, np.arange(120) < 60
    falls = (rng.random(120) < np.where(early, 0.99, 0.1)) * 1.0
    shared = (rng.random(120) < 0.5) * 1.0

    found = sw.compare(base, falls, names=("base", "new"))
    assert found.headline == (
        "new is better than base. But this needs fresh draws in random order, which is in doubt."
    )
    assert found.headline in found.to_html()
    assert "do not look like fresh draws in random order" in found.sentence
    together = sw.compare(shared, shared)
    assert together.doubts
    assert together.headline == "first and second were not told apart."


def test_tables_leave_for_papers() -> None:
    found = sw.compare([0.1, 0.2] * 9, [0.9, 0.8] * 9, names=("old_1", "100% | new"))

    assert found.to_markdown().splitlines()[2].startswith(r"| 100% \| new | 18 | 0.85 |")
    assert found.to_latex().splitlines()[4].startswith(r"100\% \textbar{} new & 18 & 0.85 & [")
    assert r"old\_1" in found.to_latex()
    assert found.methods_paragraph in found.to_html().replace("&#39;", "'").replace("&#34;", '"')
    assert found.bibtex.startswith("@article{snyder2026,")


@pytest.mark.parametrize(
    ("call", "given", "right"),
    [
        (sw.analyze, ([1, 0], [0, 1]), r"takes 1 argument .*, but got 2: .*sw.compare\(a, b\)"),
        (sw.compare, (17, 20, 14, 20), r"got 4: two counts are sw.compare\('17/20', '14/20'\)"),
        (sw.compare, ("17", "14"), r"got '17': give .* as in sw.compare\('17/20', '14/20'\)"),
        (partial(sw.gate, margin=0.1), ("17/20", "14/20"), r"two counts are sw.compare\('17/20'"),
        (sw.Study, ("folder",), r"sw.Study.open\('folder'\)"),
        (sw.compare, ("17/20",), "17/20 is one policy: give the other too, .* reference=0.9"),
    ],
)
def test_a_wrong_call_is_answered_with_the_right_one(call: Any, given: Any, right: str) -> None:
    with pytest.raises(sw.InvalidInput, match=right):
        call(*given)


TRIALS = {"a": [0, 1] * 9, "b": [0, 1] * 9}


@pytest.mark.parametrize(
    ("call", "keyword", "text", "right"),
    [
        (partial(sw.analyze, TRIALS), "alpha", "0.05", "alpha=0.05"),
        (partial(sw.gate, [0, 1] * 9, [0, 1] * 9), "margin", "5%", "margin=0.05"),
        (partial(sw.compare, "17/20", "14/20"), "alpha", "0.05", "alpha=0.05"),
        (partial(sw.plan, 0.5, 0.7), "n_max", "200", "n_max=200"),
        (partial(sw.race, {"a": "m:a", "b": "m:b"}, "m:e"), "n_max", "10", "n_max=10"),
        (sw.SequentialTest, "margin", "5 %", "margin=0.05"),
        (partial(sw.forecast, TRIALS), "n_max", "many", "'many'"),
        (sw.SequentialTest, "bounds", "0,1", "such as (0, 1)"),
    ],
)
def test_a_text_in_place_of_a_number_is_answered_with_the_number(
    call: Any, keyword: str, text: str, right: str
) -> None:
    with pytest.raises(sw.InvalidInput, match=re.escape(right)):
        call(**{keyword: text})
