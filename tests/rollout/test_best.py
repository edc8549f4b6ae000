"""Races and watches for the best policy, wherever they run and whoever comes late."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.seeds import episode_seed
from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.schedule import FailureRule, Schedule
from stopwise.rollout.sight import TaskSight
from stopwise.rollout.watch import PastChanged, Watch
from tests.rollout.players import draw, verdict

RATES = {"a": 0.3, "b": 0.5, "c": 0.4, "d": 0.9}
# With an indifference some are set aside, and come back when another leads.
CASES = [
    {"design": "paired"},
    {"design": "independent"},
    {"design": "paired", "indifference": 0.1},
    {"design": "independent", "indifference": 0.1},
]


def race(env: Any = draw, **settings: Any) -> sw.RaceResult:
    return sw.race(RATES, env, n_max=150, seed=5, goal="best", **settings)


def test_a_race_names_the_best_and_says_who_was_dropped_when() -> None:
    looks: list[Any] = []
    result = race(on_progress=looks.append)
    content = result.to_dict()

    assert (result.best, result.candidates, result.decided) == ("d", ("d",), True)
    assert result.eliminated.keys() == {"a", "b", "c"}
    assert result.sentence == (
        f"d is the best of 4 (alpha 0.05), after {result.used} episodes instead of 600"
    )
    left = [len(look.candidates) for look in looks]
    assert left == sorted(left, reverse=True)
    assert (left[0], left[-1]) == (4, 1)
    assert all(
        (look.p_values[name] <= 0.05) == (name not in look.candidates)
        for look in looks
        for name in RATES
    )
    assert (content["best"], content["candidates"]) == ("d", ["d"])
    assert content["eliminated"]["a"] == {"row": result.eliminated["a"].row, "leader": "d"}
    assert content["race"]["sentence"] == result.sentence
    assert result.rows == max(out.row for out in result.eliminated.values())
    few = sw.race(dict.fromkeys("abc", 0.5), draw, n_max=3, goal="best")
    assert few.sentence == "Each of the 3 policies may be the best (alpha 0.05), after 9 episodes"


@pytest.mark.parametrize("settings", CASES)
def test_the_trials_and_the_journal_afterwards_give_the_same(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    file, journal = tmp_path / "trials.csv", tmp_path / "race.jsonl"
    found = race(journal=journal, **settings)
    found.trials.frame.write_csv(file)
    rules: dict[str, Any] = {"n_max": 150, "goal": "best", "allocation": "leader", **settings}

    for path in (file, journal):
        read = sw.read_trials(path, bounds=(0, 1))
        assert verdict(sw.analyze(read, **rules)) == verdict(found)


def run(rates: dict[str, float], most: int, settings: dict[str, Any], left: int = 10**9) -> Any:
    """Drive a schedule with up to ``most`` tickets out, and let it be killed with some ``left``."""
    rng = np.random.default_rng(most)
    episodes: list[Episode] = []
    for end in (left, 10**9):
        rule = sw.StopRule(list(rates), n_max=100, goal="best", **settings)
        paired = rule.design == "paired"
        seed_of = partial(episode_seed, 7, paired=paired)
        plan = Schedule(rule, seed_of, failures=FailureRule("raise"))
        plan.restore(episodes)
        out: list[Ticket] = []
        while not plan.over and plan.count < end:
            out += plan.take(most - len(out), most)
            ticket = out.pop(int(rng.integers(len(out))))
            score = draw(rates[ticket.policy], ticket.seed)
            plan.receive(Episode(**ticket._asdict(), score=score, length=None, seconds=0.0))
        episodes = list(plan.episodes)
    assert all(episode.row >= 0 for episode in episodes)
    return rule.rows, verdict(rule.analysis()), sorted(episode.place for episode in plan.used)


@pytest.mark.parametrize("settings", CASES)
def test_tickets_in_any_number_and_order_give_the_same(settings: dict[str, Any]) -> None:
    """Also those put away while the leader was tried alone, and rows that a killed race had seen.

    Without either the schedule runs dry, or hands out places before the first.
    """
    rates = {"a": 0.88, "b": 0.95, "c": 0.97, "d": 0.7, "e": 0.4}
    one = run(rates, 1, settings)
    for most, left in ((3, 10**9), (30, 10**9), (30, 60), (17, 130)):
        assert run(rates, most, settings, left) == one


def test_a_row_that_was_looked_at_takes_no_second_result() -> None:
    rule = sw.StopRule(["a", "b", "c"], goal="best", design="paired", n_max=20)
    for policy in rule.needed:
        rule.add(policy, 0.5)
    with pytest.raises(sw.InvalidInput, match="row 0 has already been looked at"):
        rule.add("a", 1.0, row=0)


# Trials of a file by policy: the last two come later.
RNG = np.random.default_rng(3)
TRIALS = {
    name: (RNG.random(90) < rate).astype(float).tolist()
    for name, rate in {"a": 0.5, "b": 0.6, "c": 0.4, "d": 0.98}.items()
}


def grown(path: Path, numbers: dict[str, int], *, paired: bool = False) -> Path:
    """Write so many trials of each policy."""
    lines = ["policy,score" + (",seed" if paired else "")]
    for name, number in numbers.items():
        lines += [
            f"{name},{score}" + (f",{seed}" if paired else "")
            for seed, score in enumerate(TRIALS[name][:number])
        ]
    path.write_text("\n".join([*lines, ""]))
    return path


def watch(path: Path, state: Path | None = None, **settings: Any) -> Watch:
    settings = {"n_max": 90, "goal": "best", **settings}
    design = settings.pop("design", "independent")
    return Watch(path, reading={}, design=design, settings=settings, state=state)


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("again", [False, True], ids=["same watch", "next watch"])
def test_a_policy_that_comes_later_joins(tmp_path: Path, again: bool, paired: bool) -> None:
    """After the rows that were complete when it came, and the same from the file afterwards."""
    path, state = tmp_path / "results.csv", tmp_path / "state.json"
    settings: dict[str, Any] = {
        "later": ("c", "d"),
        "design": "paired" if paired else "independent",
    }
    watching = watch(path, state, **settings)
    steps = [
        {"a": 9, "b": 9},
        {"a": 12, "b": 12, "c": 20},
        {"a": 40, "b": 40, "c": 40, "d": 10},
        {"a": 90, "b": 90, "c": 90, "d": 90},
    ]
    sights: list[TaskSight] = []
    for numbers in steps:
        grown(path, numbers, paired=paired)
        if again:
            watching = watch(path, state, **settings)
        sights += watching.look()
    joined = json.loads(state.read_text())["tasks"]["task"]["joined"]
    last = sights[-1]

    assert sights[0].awaited == ("c", "d")
    assert sights[0].remaining is None  # who knows what they bring
    assert not any(sight.stop for sight in sights[:-1])
    assert joined == {"c": 12, "d": sights[2].rows if paired else joined["d"]}
    assert last.best == "d"
    changed = grown(path, {**steps[-1], "b": 5}, paired=paired)
    with pytest.raises(PastChanged):
        watch(changed, state, **settings).look()


def test_a_watch_waits_for_the_declared_and_refuses_the_rest(tmp_path: Path) -> None:
    path = grown(tmp_path / "results.csv", {"a": 90, "d": 90})
    waiting = watch(path, later=("b",))
    (sight,) = waiting.look()
    assert (sight.stop, sight.decided, sight.needed) == (False, False, ())
    assert (sight.candidates, sight.awaited, sight.remaining) == (("d", "b"), ("b",), None)
    assert sight.analysis is not None
    assert "no policy is named before all have joined: b" in sight.analysis.warnings

    with path.open("a") as file:
        file.write("b,7\n")
    for _ in range(2):
        with pytest.raises(sw.InvalidInput, match="7 stands among 0 and 1"):
            waiting.look()

    strict = watch(grown(path, {"a": 3, "d": 3}))
    strict.look()
    grown(path, {"a": 3, "d": 3, "c": 3})
    with pytest.raises(PastChanged, match=r"there is c as well; .* declared with later=: start"):
        strict.look()
    named = watch(grown(path, {"a": 90, "d": 90}))
    named.look()
    grown(path, {"a": 90, "c": 90})
    with pytest.raises(PastChanged, match="but now there is no d"):
        named.look()


def test_nobody_joins_a_rule_without_rows_left() -> None:
    rule = sw.StopRule(["a", "b", "c"], goal="best", later=["c"], n_max=2)
    for _ in range(2):
        for policy in rule.needed:
            rule.add(policy, 0.5)
    with pytest.raises(
        sw.InvalidInput, match=r"^all n_max = 2 rows are used, so 'c' can no longer be"
    ):
        rule.join("c")
