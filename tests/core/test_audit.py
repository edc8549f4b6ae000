"""A judge scores every trial, people some: streams, simulations, files, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import stopwise as sw
from stopwise.errors import InvalidInput
from tests.cli.typed import run

CHANCE = 0.4
SETTINGS: dict[str, Any] = {"design": "paired", "audit": CHANCE, "n_max": 300}


def trials(runs: int, n: int = 300, right: float = 0.9) -> tuple[Any, Any]:
    """Return people's scores, NaN where they were not asked, and those of a judge."""
    rng = np.random.default_rng(8)
    rates = np.array([0.5, 0.7])[:, None, None]
    scores = (rng.random((2, runs, n)) < rates) * 1.0
    others = rng.random((2, runs, n)) < rates
    judged = np.where(rng.random((2, runs, n)) < right, scores, others) * 1.0
    return np.where(rng.random((runs, n)) < CHANCE, scores, np.nan), judged


def stream(scores: Any, judged: Any, **settings: Any) -> sw.SequentialTest:
    test = sw.SequentialTest(**{**SETTINGS, **settings})
    for (r0, r1), guesses in zip(scores.T, judged.T, strict=True):
        given = (None, None) if np.isnan(r0) else (float(r0), float(r1))
        test.update(*given, proxy=tuple(guesses))
    return test


def test_a_judge_saves_trials() -> None:
    scores, judged = trials(200)
    found = sw.simulate("nscore-plus", *scores, proxy=tuple(judged), **SETTINGS)
    audits_only = np.nan_to_num(scores)  # as valid, and without the judge
    without = sw.simulate("nscore-plus", *audits_only, n_max=300, design="paired")

    assert found.n.mean() < 0.8 * without.n.mean()


def test_the_verdict_is_about_the_scores_of_people() -> None:
    scores, judged = trials(1)
    test = stream(scores[:, 0], judged[:, 0])
    verdict = test.verdict

    assert verdict.decision is sw.Decision.POLICY1
    known = scores[:, 0][:, ~np.isnan(scores[0, 0])]
    assert (verdict.mean0, verdict.mean1) == pytest.approx(tuple(known.mean(axis=1)))
    assert 0 < verdict.interval.low < 0.2 < verdict.interval.high <= 1
    again = sw.SequentialTest.from_json(test.to_json())
    assert again.verdict == verdict
    assert again.to_json() == test.to_json()


def table(names: tuple[str, ...] = ("base", "new")) -> pl.DataFrame:
    scores, judged = (part[:, 0].T for part in trials(1))
    scene = np.repeat([f"s{row}" for row in range(300)], 2)
    return pl.DataFrame(
        {
            "policy": np.tile(names, 300),
            "block": scene,
            "score": pl.Series(scores.ravel()).fill_nan(None),
            "judge": judged.ravel(),
        }
    )


def test_a_file_with_empty_scores(tmp_path: Path) -> None:
    scores, judged = (part[:, 0] for part in trials(1))
    verdict = stream(scores, judged, alternative="two-sided", ties="strict").verdict
    found = sw.analyze(table(), proxy="judge", audit=CHANCE, n_max=300)
    (pair,) = found.pairs
    assert (pair.better, pair.n) == ("new", verdict.n_decided)
    assert tuple(pair.interval) == pytest.approx(tuple(verdict.interval), abs=1e-9)
    assert [policy.n for policy in found.policies] == [300, 300]
    assert found.trials_used == 2 * pair.n
    assert any("scores of people" in note for note in found.warnings)
    assert "people scored those of rows selected at random" in found.methods_paragraph

    file = tmp_path / "trials.csv"
    table().write_csv(file)
    usual = ["analyze", str(file), "--bounds", "0,1", "--n-max", "300", "--proxy"]
    code, shown = run(*usual, f"judge={CHANCE}", "--json")
    assert code == 0
    assert '"audit": 0.4' in shown
    assert "the score is missing" in run(*usual, "judge")[1]


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(InvalidInput, match="leave proxy_scores out"):
        sw.analyze(table(), proxy="judge", audit=0.5, proxy_scores=np.zeros((9, 2)))
    first = np.flatnonzero(~np.isnan(trials(1)[0][0, 0]))[0]
    half = table().with_columns(
        pl.when(pl.int_range(pl.len()) != 2 * int(first)).then("score").alias("score")
    )
    with pytest.raises(InvalidInput, match=f"only of row {first + 1}"):
        sw.analyze(half, proxy="judge", audit=0.5)
    with pytest.raises(InvalidInput, match="trials that a judge has scored"):
        sw.read_trials(table(), missing="keep")


def test_a_rule_for_your_own_loop_takes_audits() -> None:
    scores, judged = (part[:, 0].T for part in trials(1))
    rule = sw.StopRule(["base", "new"], **SETTINGS)
    for number, (row, guesses) in enumerate(zip(scores, judged, strict=True)):
        for policy, score, guess in zip(("base", "new"), row, guesses, strict=True):
            if policy in rule.needed:
                rule.add(policy, None if np.isnan(score) else float(score), proxy=float(guess))
        if number % 40 == 7:
            rule = sw.StopRule.from_json(rule.to_json())
    found = sw.analyze(table(), proxy="judge", audit=CHANCE, n_max=300)

    assert rule.analysis().pairs[0].n == found.pairs[0].n
    rule = sw.StopRule(["base", "new"], **SETTINGS)
    rule.add("base", 1.0, proxy=1.0)
    with pytest.raises(InvalidInput, match="a row is audited or not"):
        rule.add("new", None, proxy=1.0)
