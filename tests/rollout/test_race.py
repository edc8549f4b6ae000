"""Races in one process on real environments, their journal, and what goes wrong on the way."""

import json
import math
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.rollout.schedule import EpisodeFailed
from tests.rollout.players import NoisyBalance, draw, make_fair, measured

RATES = {"low": 0.3, "high": 0.8}


class Seedless:
    """As EnvPool's environments are: each is made with its seed."""

    def reset(self) -> Any:
        return 0.0, {}

    def step(self, action: Any) -> Any:
        return 0.0, 0.0, True, False, {}


def balance_race(design: str, **settings: Any) -> sw.RaceResult:
    policies = {
        "poor": NoisyBalance(1.0),
        "fair": make_fair,
        "good": "tests.rollout.players:make_good",
    }
    return sw.race(
        policies,
        "tests.rollout.players:short_cart_pole",
        bounds=(0, 120),
        n_max=60,
        design=design,
        seed=1,
        **settings,
    )


@pytest.mark.parametrize("design", ["independent", "paired"])
def test_classic_control_ranks_policies_of_known_order(design: str) -> None:
    result = balance_race(design)
    counted = result.trials.counts()

    assert result.decided
    assert result.analysis.order_text == "good > fair; fair > poor"
    assert result.overshoot == ()
    assert result.abandoned == 0
    assert result.used == len(result.trials) == sum(counted.values())
    # The first that is told apart from both others is tried no more.
    assert min(counted.values()) < max(counted.values()) < 60
    assert all(episode.length == episode.score for episode in result.episodes)
    seeds = {episode.seed for episode in result.episodes}
    assert len(seeds) == (result.rows if design == "paired" else result.used)
    again = sw.analyze(result.trials, n_max=60, design=design)
    assert [(p.decision, p.n, p.p_value) for p in again.pairs] == [
        (p.decision, p.n, p.p_value) for p in result.analysis.pairs
    ]


@pytest.mark.parametrize("score", ["success", lambda measures: measures["success"]])
def test_scores_by_name_and_by_function(score: Any) -> None:
    def with_default(policy: float, seed: int, scale: float = 1.0) -> float:
        return scale * draw(policy, seed)

    chosen, own = sw.race(RATES, measured, score=score, n_max=30), sw.race(RATES, with_default)

    assert {e.score for e in chosen.episodes} == {0.0, 1.0}
    assert [e.score for e in own.episodes][:20] == [e.score for e in chosen.episodes][:20]
    assert {e.length for e in chosen.episodes} == {3}


@pytest.mark.parametrize("executor", ["serial", "processes"])
@pytest.mark.parametrize("on_error", ["raise", "score:0"])
def test_a_measure_that_is_not_there_is_no_failed_episode(executor: str, on_error: str) -> None:
    """Counted as one, it would be a whole table of zeros."""
    message = "the episode has no 'return', only 'length', 'success': choose with score='success'$"
    with pytest.raises(sw.StopwiseError, match=message) as caught:
        sw.race(RATES, measured, n_max=3, on_error=on_error, executor=executor)
    assert not isinstance(caught.value, EpisodeFailed)


def failing(policy: Any, seed: int) -> float:
    if seed % 4 == 0:
        return math.nan
    if seed % 4 == 1:
        raise ValueError("the gripper\nfell off")
    return draw(policy, seed)


def test_a_failed_episode_stops_the_race_with_everything_kept(tmp_path: Path) -> None:
    path = tmp_path / "race.jsonl"
    with pytest.raises(EpisodeFailed, match=r"failed: ") as caught:
        sw.race(RATES, failing, n_max=50, journal=path)

    kept = [json.loads(line) for line in path.read_text().splitlines()][1:]
    assert [line["error"] for line in kept] == [e.error for e in caught.value.episodes]
    assert {line["error"] for line in kept} - {None} <= {
        "ValueError: the gripper fell off",
        "the score must be a finite number, but is nan",
    }

    mended = sw.race(RATES, failing, n_max=50, journal=path, on_error="score:0")

    assert "on_error changed along the way (raise, then score:0)" in " ".join(
        mended.analysis.warnings
    )


def test_an_episode_that_was_mended_stays_mended(tmp_path: Path) -> None:
    path = tmp_path / "race.jsonl"
    broken = True

    def episode(policy: Any, seed: int) -> float:
        if broken:
            raise RuntimeError("no power")
        return draw(policy, seed)

    race = partial(sw.race, RATES, episode, n_max=100, journal=path)
    with pytest.raises(EpisodeFailed, match="no power"):
        race()
    broken = False
    mended = race()
    again = race(on_error="score:0")

    assert mended.decided
    assert sum(again.failures.values()) == 0
    assert again.analysis.pairs[0].p_value == mended.analysis.pairs[0].p_value


@pytest.mark.parametrize(
    ("on_error", "warning"),
    [
        ("score:0", "failed episodes count as score 0 (low "),
        ("void", "failed episodes were left out (low "),
    ],
)
def test_failures_are_counted_and_their_effect_is_stated(on_error: str, warning: str) -> None:
    result = sw.race(RATES, failing, n_max=60, on_error=on_error)
    failed = [e for e in result.episodes if e.error is not None]

    assert sum(result.failures.values()) == len(failed) > 5
    assert warning in " ".join(result.analysis.warnings)
    missing = len(failed) if on_error == "void" else 0
    assert len(result.trials) == result.used - missing


def test_progress_is_told_and_remaining_is_a_number_of_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("stopwise.rollout.drive.SECONDS_BETWEEN_REPORTS", 0.0)
    told: list[Any] = []
    result = sw.race(RATES, draw, n_max=100, on_progress=told.append)

    assert [progress.episodes for progress in told] == list(range(1, result.used + 1))
    assert told[-1].rows == result.rows
    assert told[-1].remaining == 0
    assert all(0 <= progress.remaining <= 100 for progress in told)


def test_an_episode_that_takes_too_long_has_failed() -> None:
    with pytest.raises(EpisodeFailed, match="every episode of 'a' so far failed, 2 of 2") as caught:
        sw.race(
            {"a": NoisyBalance(0.0), "b": NoisyBalance(0.0)},
            "CartPole-v1", bounds=(0, 500), n_max=2, timeout=1e-5, on_error="score:0",
        )  # fmt: skip

    assert caught.value.result.failures == {"a": 2, "b": 2}
    assert all("time-out" in str(episode.error) for episode in caught.value.episodes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"env": "NoSuch-v0"}, "not an environment that gymnasium can make"),
        ({"env": 3}, "env must be a gymnasium id"),
        ({"env": lambda policy: policy}, r"or a function episode\(policy, seed\)"),
        ({"env": Seedless}, r"reset of Seedless takes no seed.* wrap it in a class whose reset"),
        ({"env": "no.such.module:make"}, "module cannot be imported"),
        ({"env": "math:nothing"}, "math has no 'nothing'"),
        ({"policies": {"a": draw}}, "at least 2 policies"),
        ({"executor": "slurm"}, "executor must be one of serial, processes, ray"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"timeout": 0}, "timeout must be a positive number"),
        ({"on_error": "score:2"}, "within the bounds"),
        ({"env": "CartPole-v1", "bounds": (0, 500)}, "must be callable or have predict or act"),
    ],
)
def test_what_makes_no_race_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sw.StopwiseError, match=message):
        sw.race(**{"policies": RATES, "env": draw, "n_max": 3, **settings})


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    """Workers import the script, and would each start a race of their own."""
    script = tmp_path / "script.py"
    script.write_text(
        "import stopwise as sw\n"
        "def episode(policy, seed):\n    return policy\n"
        "sw.race({'a': 0.0, 'b': 1.0}, episode, executor='processes')\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=600, check=False
    )

    assert done.returncode != 0
    assert 'keep the call there under `if __name__ == "__main__":`' in done.stderr


def test_a_race_is_paired_unless_its_method_cannot_be() -> None:
    assert sw.race(RATES, draw, n_max=20).analysis.design == "paired"
    assert sw.race(RATES, draw, n_max=20, method="step").analysis.design == "independent"
    assert sw.race(RATES, draw, n_max=20, design="independent").analysis.design == "independent"
