"""One answer, whoever asks: a live test, a simulation, a file and a rule for one's own loop.

What is asked is drawn at random from all that can be declared; what the library refuses does not
go together, and anything else has to agree. Live tests and rules are saved and read on the way, and
rules hear of their results in any order.
"""

from itertools import chain
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats

N = 40
Settings = dict[str, Any]
SCENES = np.random.default_rng(0).random((400, 2))
# Of each group one is drawn; "bounds" and "lower_is_better" say how scores are written down.
ASKED: dict[str, list[Settings]] = {
    "method": [
        {},
        {"n_max": None},
        {"method": "nscore", "bins": 5},
        {"method": "wsr"},
        {"method": "savi"},
        {"method": "step"},
    ],
    "design": [{}, {"design": "paired"}],
    "score": [{}, {"bounds": (-8.0, 24.0)}, {"lower_is_better": True}, {"by": "wins"}],
    "claim": [{}, {"equivalence": 0.3}, {"margin": 0.05}, {"ties": "paper"}],
    "futility": [{}, {"futility": "binding"}],
    "beside": [
        {},
        {"reference": 0.5},
        {"list_size": N},
        {"proxy_mean": 0.1},
        {"proxy_scores": SCENES},
        {"audit": 0.5},
    ],
}
CODES = {"policy1": 1, "policy0": 0, "equivalent": 2, "undecided": -1}
IN_UNITS = ("equivalence", "margin", "proxy_mean")


def drawn(rng: np.random.Generator) -> tuple[Settings, list[Settings]]:
    """Draw settings that go together; also return what they were drawn from."""
    while True:
        parts = [own[rng.integers(len(own))] for own in ASKED.values()]
        settings: Settings = {"n_max": N}
        for part in parts:
            settings |= part
        low, high = settings.get("bounds", (0.0, 1.0))
        settings |= {key: (high - low) * settings[key] for key in IN_UNITS if key in settings}
        for key in {"reference", "proxy_scores"} & settings.keys():
            settings[key] = low + (high - low) * settings[key]
        # Of several policies the chance of a decision by "wsr" is that at the whole level, of two
        # alone at half of it; and sameness of a list is shown there at the level that both
        # directions share.
        if "futility" in settings and settings.get("method") == "wsr":
            continue
        if {"equivalence", "list_size"} <= settings.keys():
            continue
        try:
            sw.SequentialTest(**settings)
        except sw.InvalidInput:
            continue
        return settings, parts


class Trials:
    """Scores of both policies, those of a proxy, and who asks for them in which words."""

    def __init__(self, settings: Settings, rng: np.random.Generator) -> None:
        self.settings, self.rng = settings, rng
        low, high = settings.get("bounds", (0.0, 1.0))
        rates = rng.choice([0.3, 0.5, 0.7, 0.9], 2)[:, None]
        drawn: Floats = (rng.random((2, N)) < rates) * 1.0
        if settings.get("method") not in ("savi", "step"):
            drawn = np.clip(rng.normal(rates, 0.2, (2, N)), 0, 1).round(1)
        guesses = np.where(rng.random((2, N)) < 0.8, drawn, rng.random((2, N)))
        self.scores: Floats = low + (high - low) * drawn
        self.guesses: Floats = low + (high - low) * guesses
        if "audit" in settings:
            self.scores[:, rng.random(N) > settings["audit"]] = np.nan
        self.proxied = bool({"proxy_mean", "proxy_scores", "audit"} & settings.keys())
        self.alone = "reference" in settings

    def row(self, number: int) -> tuple[list[float | None], Settings]:
        scores = [None if np.isnan(score) else float(score) for score in self.scores[:, number]]
        guesses = tuple(self.guesses[:, number].tolist())
        return scores[:1] if self.alone else scores, {"proxy": guesses} if self.proxied else {}

    def streamed(self, **more: Any) -> tuple[sw.Verdict, sw.Verdict]:
        """Return the verdict at the end of a live test, and after all trials.

        On the way it is saved and read again.
        """
        test = sw.SequentialTest(**self.settings, **more)
        pause, end = self.rng.integers(N), None
        for number in range(N):
            if number == pause:
                text, verdict = test.to_json(), test.verdict
                test = sw.SequentialTest.from_json(text)
                assert (test.to_json(), test.verdict) == (text, verdict)
            scores, proxy = self.row(number)
            verdict = test.update(*scores, **proxy)
            if verdict.futile and "futility" in self.settings:
                break
            if end is None and verdict.decided:
                end = verdict
        return end or verdict, verdict

    def simulated(self, **more: Any) -> sw.Simulation:
        names = ("scores0",) if self.alone else ("scores0", "scores1")
        scores = {name: own[None] for name, own in zip(names, self.scores, strict=False)}
        guesses = tuple(own[None] for own in self.guesses)
        proxy: Settings = {"proxy": guesses} if self.proxied else {}
        settings: Settings = {"method": "nscore-plus", **self.settings, **scores, **proxy, **more}
        return sw.simulate(**settings, workers=1)

    @property
    def of_policies(self) -> Settings:
        """The settings as several policies have them: means of the proxy by name."""
        settings = dict(self.settings)
        if "proxy_mean" in settings:
            low, _ = settings.get("bounds", (0.0, 1.0))
            settings["proxy_mean"] = {"a": low, "b": low + settings["proxy_mean"]}
        return settings

    def shown(self, interval: sw.Interval) -> list[float]:
        """Return the interval of a difference as a live test shows it: beside a number, a mean."""
        if not self.alone:
            return list(interval)
        number, sign = self.settings["reference"], -1 if "lower_is_better" in self.settings else 1
        ends = sorted(number + sign * end for end in interval)
        return [float(end) for end in np.clip(ends, *self.settings.get("bounds", (0.0, 1.0)))]

    def filed(self) -> sw.Analysis:
        names = "a" if self.alone else "ab"
        columns: Settings = dict(zip(names, self.scores, strict=False))
        settings = self.of_policies | {"bounds": self.settings.get("bounds", (0.0, 1.0))}
        if self.settings.get("by") == "wins":
            del settings["bounds"]
        if self.proxied:
            settings["proxy"] = dict(zip("ab", self.guesses, strict=True))
        return sw.analyze(columns, **settings)

    def ruled(self) -> sw.StopRule:
        """Return a rule whose results came in any order, which was saved on the way."""
        names = "a" if self.alone else "ab"
        rule = sw.StopRule(list(names), **self.of_policies)
        pause = self.rng.integers(N)
        for place in self.rng.permutation(N * len(names)):
            number, policy = divmod(int(place), len(names))
            if rule.stop:
                break
            scores, proxy = self.row(number)
            own = {"proxy": proxy["proxy"][policy]} if proxy else {}
            rule.add(names[policy], scores[policy], number, **own)
            if number == pause:
                rule = sw.StopRule.from_json(rule.to_json())
        return rule


ROUNDS = [drawn(np.random.default_rng(seed)) for seed in range(70)]


def test_all_that_can_be_declared_is_drawn() -> None:
    parts = list(chain.from_iterable(parts for _, parts in ROUNDS))

    assert all(any(part is one for part in parts) for own in ASKED.values() for one in own)


@pytest.mark.parametrize("seed", range(len(ROUNDS)))
def test_all_who_ask_about_two_policies_hear_the_same(seed: int) -> None:
    trials = Trials(ROUNDS[seed][0], np.random.default_rng(seed))

    verdict, last = trials.streamed()
    found, rule = trials.simulated(), trials.ruled()
    listed = "list_size" in trials.settings  # a file has all of its list, and is looked at once
    filed = rule.analysis() if listed else trials.filed()

    (pair,), (standing,) = filed.pairs, rule.standings()
    assert (found.n[0], found.decision[0]) == (verdict.n, CODES[verdict.decision])
    assert found.p_value[0] == pytest.approx(verdict.p_value, rel=1e-12)
    assert found.log_e[0] == pytest.approx(verdict.log_e, rel=1e-12, abs=1e-12)
    assert (verdict.p_value <= verdict.alpha) == verdict.decided
    for other in (pair, standing, rule.analysis().pairs[0]):
        assert (other.n, other.decision) == (verdict.n, verdict.decision)
        assert other.p_value == pytest.approx(verdict.p_value, rel=1e-9)
        if "equivalence" in trials.settings:
            assert other.p_equivalent == pytest.approx(verdict.p_equivalent, rel=1e-9)
    # In a file shows what comes after such an end, too.
    if not (listed or verdict.futile or verdict.decision == "equivalent"):
        assert trials.shown(pair.interval) == pytest.approx(tuple(last.interval), abs=1e-9)
    assert rule.decided == pair.decided == verdict.decided
    assert rule.futile == filed.futile
    assert filed.rules == rule.rules


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize(
    "seed",  # sameness has both directions
    [seed for seed in range(0, len(ROUNDS), 4) if "equivalence" not in ROUNDS[seed][0]],
)
def test_a_simulation_of_one_direction_is_as_many_live_tests(seed: int, alternative: str) -> None:
    trials = Trials(ROUNDS[seed][0], np.random.default_rng(seed))

    verdict, _ = trials.streamed(alternative=alternative)
    found = trials.simulated(alternative=alternative)

    assert (found.n[0], found.decision[0]) == (verdict.n, CODES[verdict.decision])
    assert found.log_e[0] == pytest.approx(verdict.log_e, rel=1e-12, abs=1e-12)


NAMES = ("a", "b", "c", "d")
OF_SEVERAL: dict[str, list[Settings]] = {
    "question": [
        {},
        {"baseline": "b"},
        {"baseline": "b", "margin": -0.1},
        {"equivalence": 0.2},
        {"goal": "best"},
        {"goal": "best", "indifference": 0.1},
        {"goal": "best", "allocation": "even"},
        {"by": "wins"},
    ],
    "method": [
        {},
        {"n_max": None},
        {"method": "nscore", "bins": 5},
        {"method": "wsr"},
        {"method": "step"},
    ],
    "adjust": [{}, {"adjust": "bonferroni"}],
    "design": [{}, {"design": "paired"}],
    "futility": [{}, {"futility": "binding"}],
    "score": [{}, {"lower_is_better": True}],
}


def asked_of_several(rng: np.random.Generator) -> tuple[Settings, list[Settings]]:
    while True:
        parts = [own[rng.integers(len(own))] for own in OF_SEVERAL.values()]
        settings: Settings = {"n_max": 60}
        for part in parts:
            settings |= part
        try:
            sw.StopRule(list(NAMES), **settings)
        except sw.InvalidInput:
            continue
        return settings, parts


SEVERAL = [asked_of_several(np.random.default_rng(seed)) for seed in range(40)]


def told(found: sw.Analysis) -> object:
    """Return all that does not depend on later trials, which only a file holds."""
    pairs = [(pair.relation, pair.n, pair.p_value, pair.chance) for pair in found.pairs]
    used = {policy.name: policy.trials_used for policy in found.policies}
    return pairs, set(found.candidates), found.eliminated, found.best, found.futile, used


def test_all_that_several_can_be_asked_is_drawn() -> None:
    parts = list(chain.from_iterable(parts for _, parts in SEVERAL))

    assert all(any(part is one for part in parts) for own in OF_SEVERAL.values() for one in own)


@pytest.mark.parametrize("seed", range(len(SEVERAL)))
def test_a_rule_says_of_several_policies_what_their_file_says(seed: int) -> None:
    """In whatever order results arrive, and however often the rule is saved."""
    settings, rng = SEVERAL[seed][0], np.random.default_rng(seed)
    often = settings.get("goal") == "best" and "allocation" not in settings
    trials = 200 if often else 60
    scores = (rng.random((trials, 4)) < rng.choice([0.3, 0.5, 0.6, 0.9], 4)) * 1.0
    rule = sw.StopRule(list(NAMES), **settings)
    late = np.arange(trials)[:, None] + 20 * rng.random((trials, 4))
    for count, place in enumerate(np.argsort(late, axis=None)):
        number, policy = divmod(int(place), 4)
        if not rule.stop:
            rule.add(NAMES[policy], scores[number, policy], number)
        if count in (0, 33):
            text = rule.to_json()
            rule = sw.StopRule.from_json(text)
            assert rule.to_json() == text

    more: Settings = {"allocation": "leader"} if often else {}
    found = sw.analyze(dict(zip(NAMES, scores.T, strict=True)), **settings, **more)

    assert told(rule.analysis()) == told(found)
    assert rule.futile == found.futile
    assert rule.gave_up == ("stopped for futility" in rule.analysis().sentence)
    assert [pair.n for pair in rule.standings()] == [pair.n for pair in found.pairs]
