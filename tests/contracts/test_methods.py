"""What every method promises, checked on each of them."""

import re
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.registry import find

ANY_SCORE = ("nscore-plus", "nscore", "wsr")
ALTERNATIVES = ["greater", "less", "two-sided"]
N = 24
# Every method, and the settings that take other paths through it.
CASES: dict[str, dict[str, Any]] = {
    "nscore-plus": {},
    "nscore-plus, paired, margin": {"design": "paired", "margin": 0.05},
    "nscore-plus, no n_max": {"n_max": None, "margin": 0.05},
    "nscore": {},
    "nscore, own bins, margin": {"bin_values": [0.0, 0.1, 0.6, 1.0], "margin": 0.05},
    "nscore, paired": {"design": "paired", "bins": 7},
    "wsr": {},
    "wsr, margin": {"margin": 0.05},
    "savi": {},
    "savi, 5 levels, margin": {"levels": 5, "margin": 0.1},
    "savi, own levels": {"level_values": [0.2, 0.0, 0.7]},
    "step": {},
    "step, binding": {"futility": "binding"},
}


def method_of(case: str) -> str:
    return case.split(",", maxsplit=1)[0]


def settings_of(case: str, **more: Any) -> dict[str, Any]:
    return {"method": method_of(case), "n_max": N, **CASES[case], **more}


def scores_for(case: str, runs: int = 1, seed: int = 0) -> tuple[Floats, Floats]:
    """Scores that the method accepts, policy 1 somewhat better."""
    rng = np.random.default_rng(seed)
    if method_of(case) in ANY_SCORE:
        return rng.beta(1.2, 2, (runs, N)), rng.beta(2, 1.2, (runs, N))
    if case == "savi, own levels":
        levels = np.array(CASES[case]["level_values"])
    else:
        levels = np.linspace(0, 1, CASES[case].get("levels", 2))
    k = levels.size
    rank = np.argsort(levels).argsort()
    lower, higher = (k - rank) ** 2.0, (rank + 1) ** 2.0
    return (
        rng.choice(levels, (runs, N), p=lower / lower.sum()),
        rng.choice(levels, (runs, N), p=higher / higher.sum()),
    )


def extremes(case: str) -> tuple[float, float]:
    values = CASES[case].get("level_values", [0.0, 1.0])
    return min(values), max(values)


def facts(verdict: sw.Verdict) -> tuple[object, ...]:
    return (
        verdict.decision.value,
        verdict.n_decided,
        verdict.mean0,
        verdict.mean1,
        verdict.log_e,
        verdict.p_value,
    )


def mirrored(verdict: sw.Verdict) -> tuple[object, ...]:
    decision, n_decided, mean0, mean1, *evidence = facts(verdict)
    winner = {"policy0": "policy1", "policy1": "policy0"}.get(str(decision), decision)
    return winner, n_decided, mean1, mean0, *evidence


def test_every_method_is_under_contract() -> None:
    assert {method_of(case) for case in CASES} == set(sw.methods())


@pytest.mark.parametrize("name", sw.methods())
def test_every_method_says_its_edition_source_and_use(name: str) -> None:
    method = find(name)

    assert method.edition == sw.methods()[name].edition
    assert re.search(r"[A-Z]\. [A-Z]\w+.*, \".+\"", str(method.citation))
    assert method.citation.bibtex == sw.methods()[name].bibtex
    assert method.advice
    assert "\n" not in method.advice


@pytest.mark.parametrize("case", CASES)
class TestMethodContract:
    """One class for all methods; a new method only joins the list above."""

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_swapping_the_policies_mirrors_the_answer(self, case: str, alternative: str) -> None:
        opposite = {"greater": "less", "less": "greater", "two-sided": "two-sided"}[alternative]
        scores0, scores1 = scores_for(case)
        test = sw.SequentialTest(**settings_of(case, alternative=alternative))
        swapped = sw.SequentialTest(**settings_of(case, alternative=opposite))

        for score0, score1 in zip(scores0[0], scores1[0], strict=True):
            verdict = test.update(score0, score1)
            other = swapped.update(score1, score0)

            assert facts(other) == mirrored(verdict)
            assert other.interval == pytest.approx([-end for end in verdict.interval[::-1]])

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("ties", ["paper", "strict"])
    def test_stream_and_simulator_are_identical(
        self, case: str, alternative: str, ties: str
    ) -> None:
        """Bit for bit, whatever the number of runs beside it."""
        scores0, scores1 = scores_for(case, runs=8, seed=1)
        settings = settings_of(case, alternative=alternative, ties=ties)

        sim = sw.simulate(scores0=scores0, scores1=scores1, **settings)

        for run in range(8):
            verdict = sw.SequentialTest(**settings).run(scores0[run], scores1[run])
            expected = {"policy1": 1, "policy0": 0, "undecided": -1}[verdict.decision]
            assert sim.decision[run] == expected
            assert sim.n[run] == verdict.n
            assert sim.log_e[run] == verdict.log_e
            assert sim.p_value[run] == verdict.p_value

    def test_rejected_input_changes_nothing(self, case: str) -> None:
        scores0, scores1 = scores_for(case)
        test = sw.SequentialTest(**settings_of(case))
        test.update(scores0[0, 0], scores1[0, 0])
        before = test.to_json()

        low, high = extremes(case)

        wrong: list[Any] = [float("nan"), float("inf"), -0.1, 1.2, "0.5", None, [0.5], 1 + 1j]
        for bad in wrong:
            with pytest.raises(sw.InvalidInput):
                test.update(bad, low)
            with pytest.raises(sw.InvalidInput):
                test.update(high, bad)
            with pytest.raises(sw.InvalidInput):
                test.run([low, high, bad], [high, low, high])

        assert test.to_json() == before

    def test_results_never_change_afterwards(self, case: str) -> None:
        scores0, scores1 = scores_for(case)
        test = sw.SequentialTest(**settings_of(case))
        verdicts, pictures = [], []

        for score0, score1 in zip(scores0[0], scores1[0], strict=True):
            verdicts.append(test.update(score0, score1))
            pictures.append(repr(verdicts[-1]))

        assert [repr(verdict) for verdict in verdicts] == pictures
        first: Any = verdicts[0]
        with pytest.raises(AttributeError):
            first.n = 5

    @pytest.mark.parametrize("alternative", ["greater", "two-sided"])
    def test_json_round_trip_at_every_step_continues_identically(
        self, case: str, alternative: str
    ) -> None:
        scores0, scores1 = scores_for(case)
        straight = sw.SequentialTest(**settings_of(case, alternative=alternative))
        resumed = sw.SequentialTest(**settings_of(case, alternative=alternative))

        for score0, score1 in zip(scores0[0], scores1[0], strict=True):
            verdict = straight.update(score0, score1)
            resumed = sw.SequentialTest.from_json(resumed.to_json())

            assert resumed.update(score0, score1) == verdict

        assert resumed.to_json() == straight.to_json()

    def test_decision_is_final_and_the_interval_goes_on(self, case: str) -> None:
        test = sw.SequentialTest(**settings_of(case, n_max=60))
        low, high = extremes(case)
        for _ in range(30):
            test.update(low, high)
        for _ in range(30):
            verdict = test.update(high, low)

        assert verdict.decision == "policy1"
        assert verdict.n == 60
        with pytest.raises(sw.InvalidInput, match="n_max = 60"):
            test.update(low, high)

    def test_bounds_only_rescale(self, case: str) -> None:
        """Scores in [-8, 24] (an exact rescaling) give the same evidence, means in units."""
        scores0, scores1 = scores_for(case)
        if method_of(case) in ANY_SCORE:
            scores0, scores1 = np.round(scores0 * 32) / 32, np.round(scores1 * 32) / 32
        settings = settings_of(case)
        unit = sw.SequentialTest(**settings).run(scores0[0], scores1[0])
        for key in {"margin"} & settings.keys():
            settings[key] = settings[key] * 32
        for key in {"bin_values", "level_values"} & settings.keys():
            settings[key] = [32 * value - 8 for value in settings[key]]

        wide = sw.SequentialTest(**settings, bounds=(-8, 24))
        verdict = wide.run(scores0[0] * 32 - 8, scores1[0] * 32 - 8)

        assert (verdict.decision, verdict.n) == (unit.decision, unit.n)
        assert verdict.log_e == pytest.approx(unit.log_e, rel=1e-9)
        assert verdict.p_value == pytest.approx(unit.p_value, rel=1e-9)
        assert verdict.interval == pytest.approx([32 * end for end in unit.interval])
        assert verdict.mean1 == pytest.approx(32 * unit.mean1 - 8)

    def test_refuses_designs_outside_its_proof(self, case: str) -> None:
        settings = settings_of(case, design="paired")
        if "paired" in sw.methods()[method_of(case)].designs:
            assert sw.SequentialTest(**settings).verdict.design == "paired"
        else:
            with pytest.raises(sw.InvalidInput, match="proven only for the independent design"):
                sw.SequentialTest(**settings)
