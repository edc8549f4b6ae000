"""Races for the best policy: the same verdict whatever runs ahead, and from the trials later."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw

RATES = {"a": 0.3, "b": 0.5, "c": 0.4, "d": 0.85, "e": 0.45, "f": 0.4}


class Player:
    """Succeeds at its rate, in each episode by its seed."""

    def __init__(self, rate: float) -> None:
        self.rate = rate


def episode(policy: Player, seed: int) -> float:
    return float(np.random.default_rng(seed).random() < policy.rate)


def raced(**settings: Any) -> sw.RaceResult:
    players = {name: Player(rate) for name, rate in RATES.items()}
    return sw.race(players, episode, goal="best", n_max=120, **settings)


@pytest.mark.parametrize("design", ["independent", "paired"])
@pytest.mark.parametrize("indifference", [0.0, 0.1])
def test_running_ahead_changes_no_verdict(design: str, indifference: float) -> None:
    serial, ahead = (
        raced(design=design, indifference=indifference, window=window).analysis for window in (1, 6)
    )

    assert serial.best == ahead.best == "d"
    assert serial.eliminated == ahead.eliminated
    assert serial.trials_used == ahead.trials_used


def test_a_race_goes_on_from_its_journal(tmp_path: Path) -> None:
    whole = raced(design="independent", journal=tmp_path / "race.jsonl")
    lines = (tmp_path / "race.jsonl").read_text().splitlines()
    (tmp_path / "cut.jsonl").write_text("\n".join(lines[: len(lines) // 2]) + "\n")

    again = raced(design="independent", journal=tmp_path / "cut.jsonl")

    assert again.analysis.eliminated == whole.analysis.eliminated
    assert len(again.episodes) == len(whole.episodes)


@pytest.mark.parametrize("design", ["independent", "paired"])
def test_the_trials_give_the_same_verdict_afterwards(design: str) -> None:
    race = raced(design=design, window=3)

    analysis = sw.analyze(race.trials, goal="best", n_max=120, design=design, allocation="leader")

    assert analysis.best == race.analysis.best
    assert analysis.eliminated == race.analysis.eliminated
    assert analysis.trials_used == race.analysis.trials_used
