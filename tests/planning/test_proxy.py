"""Plans with a simulator or a judge: what is drawn, how studies end, and what is answered."""

import json
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.planning.beside import WithProxy
from stopwise.planning.guesses import Guess
from stopwise.planning.planned_study import PlanModel, PlannedStudy
from stopwise.planning.populations import Guessed
from stopwise.questions import pose
from tests.cli.typed import run

KINDS = {
    "success": (Guess.of_rate(0.5), Guess.of_rate(0.7)),
    "returns": (Guess.of_moments(0.5, 0.2), Guess.of_moments(0.6, 0.1)),
    "milestones": (
        Guess(np.array([0.0, 0.5, 1.0]), np.array([0.5, 0.3, 0.2])),
        Guess(np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.3, 0.5])),
    ),
}
# Few studies, large effects: the answers are those of any other plan.
QUICK: dict[str, Any] = {"precision": 0.05, "detectable": False}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shared", [0.0, 0.4])
def test_a_proxy_has_the_correlation_asked_for_and_leaves_scores_alone(
    kind: str, shared: float
) -> None:
    """Of scores and of differences, for any kind of score; within scenes that are shared, too."""
    policies = Guessed(KINDS[kind], shared)
    alone = policies.draw(np.random.default_rng(3), 200, 200).scores
    both = WithProxy(policies, 0.7).draw(np.random.default_rng(3), 200, 200).scores
    (scores, guesses), noise = both, 4 / 200

    assert (scores == alone).all()
    assert np.abs(guesses.mean(axis=(0, 1)) - scores.mean(axis=(0, 1))).max() < noise
    for policy in range(2):
        found = np.corrcoef(scores[..., policy].ravel(), guesses[..., policy].ravel())[0, 1]
        assert found == pytest.approx(0.7, abs=noise)
    gaps = np.diff(both, axis=-1).reshape(2, -1)
    assert np.corrcoef(*gaps)[0, 1] == pytest.approx(0.7, abs=noise)


def test_rows_are_audited_as_a_whole_by_chance() -> None:
    population = WithProxy(Guessed(KINDS["success"]), 0.5, 0.3)
    scores, guesses = population.draw(np.random.default_rng(0), 100, 300).scores
    asked = ~np.isnan(scores)

    assert (asked[..., 0] == asked[..., 1]).all()
    assert asked.mean() == pytest.approx(0.3, abs=0.02)
    assert not np.isnan(guesses).any()
    more = population.draw(np.random.default_rng(0), 100, 400).scores
    assert np.array_equal(more[:, :, :300], [scores, guesses], equal_nan=True)


@pytest.mark.parametrize("audit", [None, 0.5])
@pytest.mark.parametrize("policies", [2, 3])
def test_planned_studies_end_as_live_ones_do(audit: float | None, policies: int) -> None:
    """The same trials, shown row by row to the question that a study asks."""
    guesses = tuple(map(Guess.of_rate, (0.02, 0.98, 0.5)[:policies]))
    names = tuple("abc"[:policies])
    rules = Rules(policies=names, n_max=60, design="paired", alpha=0.2)
    population = WithProxy(Guessed(guesses), 0.8, audit)
    runs = 5
    planned = PlanModel(PlannedStudy(rules), population).simulate(np.random.SeedSequence(5), runs)
    drawn = population.draw(np.random.default_rng(np.random.SeedSequence(5)), runs, 60).scores
    right = trials = 0
    for study in range(runs):
        question = pose(population.declared(rules))
        while needed := question.needed:
            row = drawn[:, study, question.rows].T
            shown = {
                name: (None if np.isnan(own) else own, told)
                for name, (own, told) in zip(names, row, strict=True)
            }
            question.add({name: shown[name] for name in needed})
            trials += len(needed)
        claims = [pair.decided for pair in question.standings()]
        right += all(claims) and question.best == "b"

    assert planned.trials == trials
    assert planned.right.sum() == right
    assert right > 0


def test_the_answers_stand_beside_those_without_a_simulator() -> None:
    plan = sw.plan(0.2, 0.8, proxy=0.8, **QUICK)
    assert plan.needed is not None
    assert plan.without_proxy is not None
    assert plan.without_proxy.needed is not None
    own, other = plan.needed.row, plan.without_proxy.needed.row

    assert (
        plan.without_proxy.rows
        == sw.plan(0.2, 0.8, design="paired", n_max=(50, 100, 200), **QUICK).rows
    )
    assert own.n_max < other.n_max
    assert own.mean_n < other.mean_n
    assert f"For a power of 0.8 declare n_max = {own.n_max}." in plan.sentence
    assert f"Without the simulator: n_max = {other.n_max}, " in plan.sentence
    (title,) = (name for name in plan.text_tables() if name.startswith("For a power of 0.8"))
    shown = [(row["simulator"], row["n_max"]) for row in plan.text_tables()[title]]
    assert shown == [("0.8", own.n_max), ("none", other.n_max)]
    content = json.loads(plan.to_json())
    assert content["proxy"] == 0.8
    assert content["audit"] is None
    assert content["without_proxy"]["needed"]["row"]["n_max"] == other.n_max
    assert "human_scores" not in content["rows"][0]
    assert any("correlation of 0.8" in note for note in plan.notes)


def test_with_audits_the_plan_counts_what_people_score() -> None:
    plan = sw.plan(0.3, 0.7, proxy=0.9, audit=0.4, n_max=60, **QUICK)
    (row,), other = plan.rows, plan.without_proxy
    assert other is not None
    assert row.human_scores is not None
    assert row.human_scores == pytest.approx(0.4 * row.mean_trials)
    assert row.human_scores < other.rows[0].mean_trials < row.mean_trials
    scores = f"People score {row.human_scores:.0f} of the {row.mean_trials:.0f} trials on average."
    assert f"{scores} Without the judge: a power of {other.rows[0].power:.2f}, " in plan.sentence
    assert "all scored by people" in plan.sentence
    people = [(line["people"], line["total"]) for line in plan.text_tables()["What to expect"]]
    assert people[0][0] == f"{row.human_scores:.0f}"
    assert people[1][0] == people[1][1]
    assert plan.to_dict()["audit"] == 0.4


def test_too_few_rows_for_audits_are_named() -> None:
    plan = sw.plan(0.0, 1.0, proxy=0.5, audit=0.1, n_max=15, **QUICK)
    assert any("too small for alpha 0.05 and audit 0.1" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"proxy": 1.5}, "proxy must be a correlation from 0 to 1, but got 1.5"),
        ({"proxy": "sim"}, "proxy must be a correlation from 0 to 1, but got 'sim'"),
        ({"audit": 0.3}, "audit needs proxy, the correlation of the judge with people"),
        ({"proxy": 0.5, "audit": 1.0}, "audit must be the chance, between 0 and 1"),
        ({"proxy": 0.5, "audit": 0.3, "design": "independent"}, "audits need design 'paired'"),
        ({"proxy": 0.5, "method": "wsr"}, "wsr takes no proxy"),
        ({"proxy": 0.5, "goal": "best"}, "a proxy goes with the goal 'order'"),
        ({"proxy": 0.5, "equivalence": 0.1}, "a proxy does not go with equivalence"),
    ],
)
def test_what_does_not_go_together_has_one_clear_line(settings: dict[str, Any], line: str) -> None:
    with pytest.raises(sw.InvalidInput, match=line):
        sw.plan(0.5, 0.7, **settings)


def test_a_pilot_tells_of_a_judge_but_not_of_a_simulator() -> None:
    pilot = {"base": [0, 1, 0, 0, 1, 0, 1, 0], "new": [1, 1, 0, 1, 1, 1, 1, 0]}
    with pytest.raises(sw.InvalidInput, match="proxy goes with guesses"):
        sw.plan(pilot=pilot, proxy=0.7)
    plan = sw.plan(pilot=pilot, proxy=0.7, audit=0.5, design="paired", n_max=20, **QUICK)
    assert plan.rows[0].human_scores == pytest.approx(0.5 * plan.rows[0].mean_trials)


def test_the_command_takes_both() -> None:
    given = ["plan", "0.2", "0.8", "--n-max", "40", "--precision", "0.1"]
    code, text = run(*given, "--proxy", "0.9", "--audit", "0.5", "--json")
    (content,) = [json.loads(text)]
    assert code == 0
    assert content["rows"][0]["human_scores"] == 0.5 * content["rows"][0]["mean_trials"]
    code, text = run(*given, "--proxy", "0.7")
    assert code == 0
    assert "Without the simulator: a power of" in text
    code, text = run(*given, "--audit", "0.3")
    assert code == 2
    assert "--audit needs --proxy, the correlation of the judge with people" in text
