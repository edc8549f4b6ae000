"""A proxy beside the trials of files: its column, simulated scenes, several policies, refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.core.simulate import run_studies
from stopwise.errors import InvalidInput

RATES = {"base": 0.5, "new": 0.7, "newer": 0.85}


def scenes(n: int, *, first: int = 0, k: int = 2, same: float = 0.85) -> pl.DataFrame:
    """Return n scenes of k policies, numbered from the first one."""
    rng = np.random.default_rng([first, n])
    names, rates = list(RATES)[:k], np.array(list(RATES.values())[:k])
    scores, others = rng.random((2, n, k)) < rates
    return pl.DataFrame(
        {
            "policy": np.tile(names, n),
            "scene": [f"scene {first + row}" for row in range(n) for _ in names],
            "score": scores.ravel() * 1.0,
            "sim": np.where(rng.random((n, k)) < same, scores, others).ravel() * 1.0,
        }
    )


def read(
    frame: pl.DataFrame, score: str = "score", order: str = "file", **columns: str
) -> sw.Trials:
    known = {"block": "scene", **columns}
    return sw.read_trials(frame, columns=known, score=score, bounds=(0, 1), order=order)


REAL = scenes(100)
KNOWN: dict[str, Any] = {"proxy_mean": {"base": 0.5, "new": 0.7}}


def wide(frame: pl.DataFrame, column: str) -> Any:
    return frame[column].to_numpy().reshape(-1, frame["policy"].n_unique())


def test_the_mean_of_a_pair_is_that_of_its_policies() -> None:
    means = {"a": 0.1, "b": 0.4, "c": 0.9}
    rules = Rules.of(policies=tuple(means), design="paired", proxy_mean=means)
    assert rules.proxy_mean == pytest.approx((0.3, 0.8, 0.5))


def test_simulated_scenes_of_every_kind_say_the_same(tmp_path: Path) -> None:
    """A file whose score has the proxy's name, or a usual one; an array; a mapping."""
    simulated = scenes(20000, first=1000)
    array = wide(simulated, "sim")
    own, usual = tmp_path / "own.csv", tmp_path / "usual.csv"
    simulated.drop("score").rename({"scene": "block"}).write_csv(own)
    renamed = simulated.drop("score").rename({"sim": "score", "scene": "block"})
    renamed.write_csv(usual)
    kinds = [own, usual, array, {"new": array[:, 1], "base": array[:, 0]}]
    found = [
        sw.analyze(REAL.rename({"scene": "block"}), proxy="sim", proxy_scores=kind, n_max=100)
        for kind in kinds
    ]

    assert len({analysis.to_json() for analysis in found}) == 1
    assert [len(own) for own in found[0].rules.proxy_batches or ()] == [100]
    assert found[0].rules.proxy_mean == pytest.approx(0.2, abs=0.02)
    assert any("assumed to be drawn like those" in text for text in found[0].warnings)
    assert any("20000 simulated scenes" in note for note in found[0].warnings)
    assert "A proxy's score" in found[0].methods_paragraph
    assert found[0].pairs[0].interval_level == pytest.approx(0.95)


def test_three_policies_share_simulated_scenes() -> None:
    """Each pair goes as a test of its own would, with these policies' means in each batch."""
    real, many = scenes(60, k=3), wide(scenes(1000, first=1000, k=3), "sim")
    scores, guesses = wide(real, "score"), wide(real, "sim")
    found = sw.analyze(
        dict(zip("abc", scores.T, strict=True)),
        proxy=dict(zip("abc", guesses.T, strict=True)),
        proxy_scores=many,
        design="paired",
        n_max=60,
        adjust="bonferroni",
        bounds=(0, 1),
    )
    batches = found.rules.proxy_batches or ()
    for own, pair, ends in zip(batches, found.pairs, ((0, 1), (0, 2), (1, 2)), strict=True):
        rules = Rules(
            n_max=60, alpha=0.05 / 3, proxy_mean=0.0, proxy_batches=(own,), design="paired"
        )
        r0, r1, g0, g1 = (kind.T[[end]] for kind in (scores, guesses) for end in ends)
        verdict = run_studies(rules, r0, r1, proxy=(g0, g1), workers=1)
        assert pair.n == verdict.n[0]
        assert pair.p_value == pytest.approx(min(3 * verdict.p_value[0], 1.0))


def test_scenes_of_the_trials_do_not_count_as_simulated() -> None:
    simulated = read(scenes(3000, first=40).drop("score"), score="sim")
    found = sw.analyze(read(REAL, proxy="sim"), n_max=100, proxy_scores=simulated)

    assert any("2940 simulated scenes (60 scenes of" in note for note in found.warnings)
    with pytest.raises(InvalidInput, match="other than those of the trials"):
        sw.analyze(
            read(REAL, proxy="sim"), proxy_scores=read(REAL.drop("score"), score="sim"), n_max=100
        )


def test_a_trial_without_a_score_of_the_proxy_is_refused() -> None:
    """Left out, scenes would be chosen: here those that suit one policy."""
    scores = dict(zip(("base", "new"), wide(REAL, "score").T, strict=True))
    guesses = dict(zip(("base", "new"), wide(REAL, "sim").T.copy(), strict=True))
    guesses["new"][7] = np.nan
    with pytest.raises(InvalidInput, match="no score of new in row 8"):
        sw.analyze(scores, design="paired", proxy=guesses, n_max=100, **KNOWN)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "proxy_scores.*or proxy_mean"),
        ({"proxy_mean": 0.2}, "for each policy by name"),
        ({"proxy_mean": {"base": 0.5}}, "mean for each policy .base and new."),
        ({"audit": 0.5, "design": "independent"}, "audit does not go with design='independent'"),
        ({**KNOWN, "goal": "best"}, "goal='best'"),
        ({**KNOWN, "method": "wsr"}, "takes no proxy"),
        ({**KNOWN, "proxy_scores": np.zeros((9, 2))}, "give one of the two"),
        ({"proxy_scores": np.zeros((9, 3))}, "row \\(g0, g1\\)"),
        ({"proxy_scores": {"base": [0.5] * 9}}, "none of new"),
    ],
)
def test_what_does_not_go_together_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        sw.analyze(read(REAL, proxy="sim"), proxy="sim", n_max=100, **settings)


def test_a_proxy_that_lacks_a_score_or_leaves_the_bounds_is_refused() -> None:
    lacking = REAL.with_columns(pl.when(pl.col("scene") != "scene 7").then("sim").alias("sim"))
    with pytest.raises(InvalidInput, match=r"row 14.*the proxy has no score here"):
        read(lacking, proxy="sim")
    with pytest.raises(InvalidInput, match="the proxy"):
        sw.analyze(read(REAL.with_columns(pl.col("sim") * 2), proxy="sim"), n_max=100, **KNOWN)
    with pytest.raises(InvalidInput, match="have no scores of one"):
        sw.analyze(read(REAL), n_max=100, **KNOWN)
    with pytest.raises(InvalidInput, match="read without a proxy"):
        sw.analyze(read(REAL), proxy="sim", n_max=100, **KNOWN)


def test_copies_of_the_trials_are_found() -> None:
    """The score as its own proxy; the trials as simulated scenes."""
    with pytest.raises(InvalidInput, match="is the score itself"):
        read(REAL, proxy="score")
    renamed = REAL.with_columns(pl.col("scene").str.replace("scene", "other"))
    for source in (renamed.drop("score").reverse(), renamed.drop("sim")):
        with pytest.raises(InvalidInput, match="drawn separately from those of the trials"):
            sw.analyze(REAL, proxy="sim", proxy_scores=source, n_max=100)


def test_a_column_of_scenes_is_a_block() -> None:
    """And trials that were not audited are no empty cells."""
    asked = pl.int_range(pl.len()) // 2 % 3 == 0
    audited = REAL.with_columns(pl.when(asked).then("score").alias("score"))
    found = sw.analyze(audited, proxy="sim", audit=0.3, n_max=100)
    assert found.rules.design == "paired"
    assert not any("cells are empty" in note for note in found.warnings)


def test_each_of_several_tasks_needs_simulated_scenes_of_its_own() -> None:
    """Those of another task, or of none, have another mean."""
    real = pl.concat([REAL.with_columns(task=pl.lit(task)) for task in ("stack", "pour")])
    simulated = scenes(300, first=1000).drop("score")
    trials = sw.read_trials(real, columns={"proxy": "sim", "block": "scene"}, bounds=(0, 1))
    known: dict[str, Any] = {"proxy": "sim", "n_max": 100}
    named = [simulated.with_columns(task=pl.lit(task)) for task in ("stack", "pour")]
    for source in (simulated, named[0]):
        with pytest.raises(InvalidInput, match="no simulated scenes of the task"):
            sw.analyze(trials, proxy_scores=source, **known, tasks="each")
    with pytest.raises(InvalidInput, match="scenes that name theirs"):
        sw.analyze(trials, proxy_scores=wide(simulated, "sim"), **known, tasks="each")
    assert set(sw.analyze(trials, proxy_scores=pl.concat(named), **known, tasks="each")) == {
        "stack",
        "pour",
    }
