"""Policies and environments as the stacks of robot learning have them."""

from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import stopwise as sw
from stopwise.rollout.schedule import FAILURES, EpisodeFailed, ScoreOutside
from tests.rollout.players import NoisyBalance, draw
from tests.rollout.stacks import LikeLeRobot, LikeManiSkill, Reach, Wrapped, through, towards


def make_noisy(noise: float = 0.9) -> NoisyBalance:
    return NoisyBalance(noise)


@pytest.mark.parametrize(
    "factory", [make_noisy, partial(make_noisy, noise=0.9), partial(NoisyBalance, 0.9)]
)
def test_a_factory_may_have_arguments_with_defaults(factory: Any) -> None:
    """Taken for the policy itself it would fail in each step, and the verdict be turned round."""
    result = sw.race(
        {"worse": lambda _: 0, "better": factory},
        "CartPole-v1", bounds=(0, 100), n_max=60, score=lambda found: min(found["return"], 100),
        on_error="score:0",
    )  # fmt: skip

    assert sum(result.failures.values()) == 0
    assert result.analysis.order_text == "better > worse"


@pytest.mark.parametrize("on_error", ["score:0", "void"])
def test_a_policy_that_never_works_stops_the_race_whatever_was_chosen(
    tmp_path: Path, on_error: str
) -> None:
    broken = True

    def episode(policy: float, seed: int) -> float:
        if broken and policy > 0.5:
            raise TypeError("not\na policy")
        return draw(policy, seed)

    race = partial(
        sw.race, {"low": 0.3, "high": 0.8}, episode, n_max=100, alpha=1e-4,
        journal=tmp_path / "race.jsonl", on_error=on_error,
    )  # fmt: skip
    with pytest.raises(EpisodeFailed) as caught:
        race()
    assert str(caught.value) == (
        f"every episode of 'high' so far failed, {FAILURES} of {FAILURES}, the last with: "
        "TypeError: not a policy; this says more about the set-up than about the policy"
    )
    assert len(caught.value.episodes) == 2 * FAILURES
    broken = False
    mended = race()

    assert mended.analysis.order_text == "high > low"
    assert sum(mended.failures.values()) == 0


def test_an_episode_out_of_bounds_loses_nothing(tmp_path: Path) -> None:
    most = 1.5

    def episode(policy: float, seed: int) -> float:
        score = draw(policy, seed)
        return min(score * (1.5 if seed % 7 == 0 else 1.0), most)

    race = partial(
        sw.race, {"low": 0.3, "high": 0.8}, episode, n_max=60, journal=tmp_path / "race.jsonl"
    )
    with pytest.raises(ScoreOutside, match=r"within the bounds \[0, 1\].* bounds") as caught:
        race()
    found = caught.value
    most = 1.0
    mended = race()

    assert isinstance(found, sw.InvalidInput)
    assert found.result.rows == found.result.used // 2 > 0
    assert "the race stopped: scores must lie" in " ".join(found.result.analysis.warnings)
    kept = [e for e in found.episodes if e.score is not None and e.score <= 1]
    assert list(mended.episodes[: len(kept)]) == kept
    assert mended.analysis.order_text == "high > low"


@pytest.mark.parametrize(
    "policy",
    [lambda values: torch.as_tensor(values)[2].requires_grad_() > 0, torch.nn.Identity()],
    ids=["0-d", "module"],
)
def test_actions_may_be_tensors(policy: Any) -> None:
    if isinstance(policy, torch.nn.Module):
        result = sw.race({"a": towards(1.0), "b": towards(0.5)}, Reach, bounds=(0, 12), n_max=5)
    else:

        def act(values: Any) -> Any:
            return policy(values).long()

        result = sw.race({"a": act, "b": act}, "CartPole-v1", bounds=(0, 500), n_max=5)

    assert result.rows == 5


def test_scores_may_be_tensors() -> None:
    half: Any = torch.tensor(0.5, requires_grad=True)
    rule = sw.StopRule(["a", "b"], n_max=5)
    rule.add("a", half)
    rule.add("b", half.bfloat16())

    assert rule.rows == 1
    test = sw.SequentialTest(n_max=5)
    test.update(half, half.bfloat16())
    raced = sw.race({"a": 0.1, "b": 0.2}, lambda policy, _: half * policy, n_max=2)
    assert test.verdict.n == raced.rows - 1 == 1
    own = torch.linspace(0, 1, 9, requires_grad=True)
    table = {"a": own, "b": own.bfloat16()}
    assert len(sw.read_trials(table, bounds=(0, 1))) == 18


def scores(result: sw.RaceResult) -> dict[tuple[str, int], tuple[float | None, int | None]]:
    return {episode.place: (episode.score, episode.length) for episode in result.episodes}


POLICIES = {"through": through, "towards": towards(0.9)}


@pytest.mark.parametrize("success", ["last", "any"])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_resets_of_all_kinds_give_the_scores_of_a_single_environment(
    mode: AutoresetMode, success: str
) -> None:
    race = partial(sw.race, POLICIES, score="success", success=success, n_max=8, alpha=1e-6)
    single = race(Reach)
    many = race(partial(SyncVectorEnv, [Reach] * 4, autoreset_mode=mode))

    assert scores(many) == scores(single)
    assert len({length for _, length in scores(single).values()}) > 2
    passed = {score for (name, _), (score, _) in scores(single).items() if name == "through"}
    assert passed == {float(success == "any")}


@pytest.mark.parametrize("make", [LikeManiSkill, Wrapped])
def test_a_torch_vector_environment_in_the_style_of_maniskill(make: Any) -> None:
    """A faithful small one with its interface; it is not ManiSkill itself."""

    def passing(observations: Any) -> Any:
        return torch.full_like(observations, 0.8).requires_grad_()

    race = partial(
        sw.race, {"passing": passing, "towards": towards(0.9)}, make, score="success",
        n_max=8, alpha=1e-6, seed=3,
    )  # fmt: skip
    found = race(success="any")

    assert scores(found) == scores(race(success="any"))
    assert {score for score, _ in scores(found).values()} == {1.0}
    assert [length for _, length in scores(found).values()][:4] == [12, 11, 10, 9]
    last = scores(race())
    assert {score for (name, _), (score, _) in last.items() if name == "passing"} == {0.0}
    assert {score for (name, _), (score, _) in last.items() if name == "towards"} == {1.0}
    returns = race(score="return", bounds=(0, 12))
    assert all(score is not None and score > 0 for score, _ in scores(returns).values())


def test_environments_of_lerobot_are_told_when_an_episode_begins() -> None:
    """They would replay the end of the last one, and score 0."""
    race = partial(sw.race, {"a": towards(0.9), "b": towards(0.4)}, n_max=7, bounds=(0, 12))

    assert scores(race(LikeLeRobot)) == scores(race(partial(SyncVectorEnv, [Reach] * 3)))


def test_one_seed_for_all_places_is_enough() -> None:
    """As gymnasium's own vector environment of CartPole has it."""
    make = partial(gymnasium.make_vec, "CartPole-v1", num_envs=5)
    rules: dict[str, Any] = {"bounds": (0, 500), "n_max": 10}
    policies = {
        "a": lambda values: (values[:, 2] > 0).astype(int),
        "b": lambda values: (values[:, 2] < 0).astype(int),
    }
    one, same = (sw.race(policies, make, **rules) for _ in range(2))

    assert scores(one) == scores(same)
    assert len({score for score, _ in scores(one).values()}) > 5
    totals = dict.fromkeys(policies, 0.0)
    for episode, (score, _) in zip(one.episodes, scores(one).values(), strict=True):
        totals[episode.policy] += score or 0.0
    assert totals["a"] > 2 * totals["b"]


def test_an_info_that_does_not_know_of_success_is_one_without_it() -> None:
    class Unsure(Reach):
        def step(self, action: Any) -> Any:
            *found, _ = super().step(action)
            return *found, {"is_success": None}

    assert sw.race(POLICIES, Unsure, bounds=(0, 12), n_max=5).rows == 5
    with pytest.raises(sw.InvalidInput, match="the episode has no 'success'"):
        sw.race(POLICIES, Unsure, score="success", n_max=5)
