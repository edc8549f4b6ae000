"""Scores of which less is better, wins, and scores just outside the bounds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.rollout.watch import Watch

RNG = np.random.default_rng(5)
TIMES = {"slow": RNG.normal(22, 4, 60).clip(0, 60), "fast": RNG.normal(14, 4, 60).clip(0, 60)}
MIRRORED = {name: 60 - times for name, times in TIMES.items()}


def tenths() -> float:
    """Return ten times 0.1 in 32 bits, a little more than 1."""
    total = np.float32(0)
    for _ in range(10):
        total += np.float32(0.1)
    assert total > 1
    return float(total)


@pytest.mark.parametrize("goal", ["order", "best"])
def test_a_file_of_times_is_that_of_the_mirrored_scores(goal: str) -> None:
    found = sw.analyze(TIMES, bounds=(0, 60), lower_is_better=True, goal=goal)
    same = sw.analyze(MIRRORED, bounds=(0, 60), goal=goal)

    assert [own.name for own in found.policies] == ["fast", "slow"]
    assert (found.order_text, found.trials_used) == (same.order_text, same.trials_used)
    for own, other in zip(found.policies, same.policies, strict=True):
        assert own.mean == pytest.approx(60 - other.mean)
        assert own.interval == pytest.approx((60 - other.interval.high, 60 - other.interval.low))
    for pair, twin in zip(found.pairs, same.pairs, strict=True):
        assert pair.interval == pytest.approx(tuple(twin.interval))
        assert pair.p_value == pytest.approx(twin.p_value)


def test_a_score_that_rounding_carried_over_the_bound_counts_as_the_bound() -> None:
    scores = {"a": [tenths()] * 20, "b": [0.0, -1e-8] * 10}
    found = sw.analyze(scores, bounds=(0, 1))
    live = sw.SequentialTest(bounds=(0, 1))
    live.run(scores["b"], scores["a"])
    live.update(0.0, tenths())

    assert [own.mean for own in found.policies] == [1.0, 0.0]
    assert not found.doubts
    assert found.warnings[0].startswith("30 scores lie outside the bounds by the rounding of 32")
    assert live.verdict.mean1 == 1.0
    read = sw.read_trials({"policy": ["a", "b"], "score": [tenths(), 0.5]}, bounds=(0, 1))
    assert len(read) == 2


@pytest.mark.parametrize("score", [1.000002, -1e-6])
def test_a_score_further_outside_is_an_error_that_shows_it(score: float) -> None:
    text = rf"within the bounds \[0, 1\], but .*got {score:.9g}"
    with pytest.raises(sw.InvalidInput, match=text):
        sw.analyze({"a": [score, 0.5], "b": [0.5, 0.5]}, bounds=(0, 1))
    with pytest.raises(sw.InvalidInput, match=text):
        sw.SequentialTest().update(score, 0.5)
    with pytest.raises(sw.InvalidInput, match=rf"bounds \[0, 1\], but got {score:.9g}"):
        sw.read_trials({"policy": ["a", "b"], "score": [score, 0.5]}, bounds=(0, 1))


def test_wins_need_no_bounds_and_do_not_change_with_the_unit() -> None:
    scores = {name: times * 1e6 - 3e7 for name, times in TIMES.items()}
    found = sw.analyze(scores, by="wins", lower_is_better=True)
    same = sw.analyze(TIMES, by="wins", lower_is_better=True)
    test = sw.SequentialTest(by="wins", lower_is_better=True)
    verdict = test.run(scores["slow"], scores["fast"])

    assert found.sentence == same.sentence
    assert found.sentence.startswith(
        "fast > slow (> means wins more often if a random trial of each is compared, whatever the "
        "means): "
    )
    shares = [policy.mean for policy in found.policies]
    assert shares == pytest.approx([np.mean(TIMES["fast"] < TIMES["slow"]), 1 - shares[0]])
    assert "won" in found.text_tables()["Policies"][0]
    assert "bounds-undeclared" not in {getattr(note, "code", "") for note in found.warnings}
    assert str(verdict).startswith("Policy 1 wins more often than policy 0: decided after ")
    assert "which says nothing about means" in str(verdict)
    assert "by how often one wins against another" in found.to_html()
    simulated = sw.simulate("nscore-plus", scores["slow"][None], scores["fast"][None], by="wins")
    assert simulated.decision.tolist() == [0]


def test_ties_and_missing_trials_count_for_neither() -> None:
    table = {"a": {0: 3, 1: 1, 2: 5, 3: 2}, "b": {0: 3, 1: 2, 3: 2}, "c": {0: 9, 1: 2, 2: 7}}
    rows = [(str(n), name, own[n]) for n in range(4) for name, own in table.items() if n in own]
    columns = dict(zip(("block", "policy", "score"), zip(*rows, strict=True), strict=True))
    found = sw.analyze(sw.Trials.from_columns(columns), by="wins")
    won = {policy.name: policy.mean for policy in found.policies}

    assert won == pytest.approx({"a": 1 / 4 * (0.25 + 0 + 0 + 0.5), "b": 1.5 / 3, "c": 2.75 / 3})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"goal": "best"}, "by does not go with goal='best'"),
        (
            {"method": "step", "n_max": 20},
            "step is proven only for the independent design, not for",
        ),
        (
            {"method": "savi"},
            "savi is proven only for the independent design, not for design=.paired",
        ),
        ({"by": "rank"}, "by must be one of means, wins, but got 'rank'"),
        ({"lower_is_better": "yes"}, "lower_is_better must be True or False, but got 'yes'"),
    ],
)
def test_what_wins_cannot_answer_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        sw.StopRule(["a", "b", "c"], **({"by": "wins"} | settings))


SCENES = [scene for scene in range(6) for _ in range(10)]
# The new policy is the better one in the first two scenes of six only.
BY_SCENE = {"old": [float(scene > 1) for scene in SCENES], "new": [float(s < 2) for s in SCENES]}


def test_a_gate_goes_round_the_scenes() -> None:
    """Catches a release that the first scene of a file alone lets through."""
    columns = {
        "policy": ["old"] * 60 + ["new"] * 60,
        "scene": SCENES * 2,
        "score": [*BY_SCENE["old"], *BY_SCENE["new"]],
    }
    trials = sw.read_trials(columns, bounds=(0, 1))

    assert sw.gate("new", "old", 0.05, results=trials).answer != "pass"


def test_a_gate_doubts_pairs_that_look_sorted() -> None:
    found = sw.gate(BY_SCENE["new"], BY_SCENE["old"], 0.05)
    fresh = (np.random.default_rng(2).random((2, 60)) < [[0.9], [0.3]]) * 1.0

    assert found.answer == "pass"
    assert "for pairs in random order the chance" in found.sentence
    assert "changes along the rows" in found.sentence
    assert "changes" not in sw.gate(fresh[0], fresh[1], 0.05).sentence


def test_a_gate_and_a_watch_say_that_claims_are_about_checkpoints(tmp_path: Path) -> None:
    rows = [f"{name},{seed},{int(name == 'sac')}" for name in ("ppo", "sac") for seed in [1, 2] * 9]
    file = tmp_path / "runs.csv"
    file.write_text("\n".join(["policy,seed,success", *rows]))
    trials = sw.read_trials(file, bounds=(0, 1))
    about = "(about the checkpoints of these 4 training runs, not about what other runs would give)"

    assert about in sw.gate("sac", "ppo", 0.05, results=trials).sentence
    watch = Watch(file, reading={"bounds": (0, 1)}, design="auto", settings={})
    (sight,) = watch.look()
    assert sight.analysis is not None
    assert about in sight.analysis.sentence
