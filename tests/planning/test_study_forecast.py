"""Forecasts of live studies: their own rules, and their rows as they were run."""

from pathlib import Path

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.planning.forecast import forecast_study

CUPS = {"name": "cups", "policies": ["old", "new"], "tasks": ["stack"], "n_max": 40}
# Some places are hard for both policies; the new one is a little better in each.
HARD = np.random.default_rng(0).permutation(np.linspace(0.0, 0.8, 16))
SCORES = {"old": HARD, "new": HARD + 0.12 + 0.05 * np.cos(np.arange(16))}
VOIDED = 1


def started(place: Path, plan: dict[str, object]) -> sw.Study:
    study = sw.Study.create(place, plan)
    study.lock(who="ada")
    return study


def study_with_a_gap(place: Path, design: str, *, rows: int = 16) -> tuple[sw.Study, Floats]:
    """Return a study in which the old policy's slot of the second row stays empty, and its rows."""
    task = {"name": "stack", "score": {"kind": "number", "low": 0, "high": 1}}
    study = started(place, CUPS | {"tasks": [task], "design": design, "blinding": "none"})
    table = np.full((rows, 2), np.nan)
    for turn in range(2 * rows):
        trial = study.next_trial("arm")
        assert trial is not None
        policy = study.resolve(trial.code).policy
        if turn // 2 == VOIDED and policy == "old":
            study.void(trial.trial, "the cup broke", redraw=False)
            continue
        score = float(SCORES[policy][turn // 2])
        study.record(trial.trial, score, station="arm")
        table[turn // 2, ["old", "new"].index(policy)] = score
    return study, table


def test_rows_of_a_block_study_stay_together_after_a_gap(tmp_path: Path) -> None:
    """Without their gap, the old policy's scores meet those of the next place."""
    study, table = study_with_a_gap(tmp_path / "cups", "blocks")
    true = sw.forecast({"old": table[:, 0], "new": table[:, 1]}, n_max=40, design="paired")
    known = {"old": table[~np.isnan(table[:, 0]), 0], "new": table[:, 1]}
    mispaired = sw.forecast(known, n_max=40, design="paired")

    ahead = forecast_study(study)["stack"]

    assert mispaired.chance < true.chance - 0.3
    assert ahead.chance == pytest.approx(true.chance, abs=0.05)
    assert sum(ahead.seen.values()) == 31
    # 16 of 40 rows are over, the one with the gap included.
    assert len(ahead.chance_by) <= 25


def test_live_study_is_forecast_under_its_own_rules(tmp_path: Path) -> None:
    study = started(tmp_path / "cups", CUPS)
    for turn in range(12):
        trial = study.next_trial("arm")
        assert trial is not None
        study.record(trial.trial, turn % 3 == 0, station="arm")
    ahead = forecast_study(study, futility_chance=0.1)["stack"]

    assert sum(ahead.seen.values()) == 12
    assert ahead.n_max == 40
    assert 0 < ahead.chance < 1
    assert "old" not in ahead.seen  # still blinded: labels only
    with pytest.raises(
        sw.InvalidInput, match="declared n_max = 40 for 'stack', so it cannot be 50"
    ):
        forecast_study(study, n_max=50)


def test_a_task_that_has_reached_its_end_does_not_keep_others_from_a_forecast(
    tmp_path: Path,
) -> None:
    plan = CUPS | {"tasks": ["stack", "sort"], "n_max": 4}
    with started(tmp_path / "cups", plan) as study:
        for task, turns in (("stack", 8), ("sort", 4)):
            for turn in range(turns):
                trial = study.next_trial("arm", task=task)
                assert trial is not None
                study.record(trial.trial, turn % 2 == 0, station="arm")
            if task == "stack":
                with pytest.raises(sw.InvalidInput, match="every task has reached its n_max"):
                    forecast_study(study)
        assert list(forecast_study(study)) == ["sort"]
