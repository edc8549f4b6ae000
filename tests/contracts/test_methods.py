"""What every method promises, checked on each of them."""

import json

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.method import Floats

ANY = ["nscore", "wsr", "welch"]
BINARY = ["savi", "barnard", "boschloo", "fisher"]
ALTERNATIVES = ["greater", "less", "two-sided"]
N = 24


def scores_for(name: str, runs: int = 1, seed: int = 0) -> tuple[Floats, Floats]:
    """Scores that the method accepts, policy 1 somewhat better."""
    rng = np.random.default_rng(seed)
    if sw.methods()[name].scores.startswith("any"):
        return rng.beta(1.2, 2, (runs, N)), rng.beta(2, 1.2, (runs, N))
    return (rng.random((runs, N)) < 0.3) * 1.0, (rng.random((runs, N)) < 0.75) * 1.0


def mirrored(verdict: sw.Verdict) -> tuple[object, ...]:
    winner = {"policy0": "policy1", "policy1": "policy0", "undecided": "undecided"}
    return (
        winner[verdict.decision],
        verdict.n_decided,
        verdict.mean1,
        verdict.mean0,
        verdict.log_e,
        verdict.p_value,
    )


def facts(verdict: sw.Verdict) -> tuple[object, ...]:
    return (
        verdict.decision.value,
        verdict.n_decided,
        verdict.mean0,
        verdict.mean1,
        verdict.log_e,
        verdict.p_value,
    )


def test_every_method_is_under_contract() -> None:
    assert set(ANY + BINARY) == set(sw.methods())


@pytest.mark.parametrize("name", ANY + BINARY)
class TestMethodContract:
    """One class for all methods; a new method only joins the list above."""

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_swapping_the_policies_mirrors_the_answer(self, name: str, alternative: str) -> None:
        opposite = {"greater": "less", "less": "greater", "two-sided": "two-sided"}[alternative]
        scores0, scores1 = scores_for(name)
        test = sw.SequentialTest(name, n_max=N, alternative=alternative)
        swapped = sw.SequentialTest(name, n_max=N, alternative=opposite)

        for score0, score1 in zip(scores0[0], scores1[0], strict=True):
            verdict = test.update(score0, score1)
            other = swapped.update(score1, score0)

            assert facts(other) == mirrored(verdict)
            assert other.interval == pytest.approx([-end for end in verdict.interval[::-1]])

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("ties", ["paper", "strict"])
    def test_stream_and_simulator_are_identical(
        self, name: str, alternative: str, ties: str
    ) -> None:
        """Bit for bit, whatever the number of runs beside it."""
        scores0, scores1 = scores_for(name, runs=40, seed=1)
        common = {"n_max": N, "alternative": alternative, "ties": ties}

        sim = sw.simulate(name, scores0, scores1, **common)  # type: ignore[arg-type]

        for run in range(40):
            verdict = sw.SequentialTest(name, **common).run(scores0[run], scores1[run])  # type: ignore[arg-type]
            expected = {"policy1": 1, "policy0": 0, "undecided": -1}[verdict.decision]
            log_e = np.nan if verdict.log_e is None else verdict.log_e
            assert sim.decision[run] == expected
            assert sim.n[run] == verdict.n
            np.testing.assert_equal(sim.log_e[run], log_e)
            assert sim.p_value[run] == verdict.p_value

    def test_rejected_input_changes_nothing(self, name: str) -> None:
        scores0, scores1 = scores_for(name)
        test = sw.SequentialTest(name, n_max=N)
        test.update(scores0[0, 0], scores1[0, 0])
        before = test.to_json()

        for bad in (float("nan"), float("inf"), -0.1, 1.2, "0.5", None, [0.5], 1 + 1j):
            with pytest.raises(sw.InvalidInput):
                test.update(bad, 0.0)  # type: ignore[arg-type]
            with pytest.raises(sw.InvalidInput):
                test.update(1.0, bad)  # type: ignore[arg-type]
            with pytest.raises(sw.InvalidInput):
                test.run([0.0, 1.0, bad], [1.0, 0.0, 1.0])  # type: ignore[arg-type]

        assert test.to_json() == before

    def test_results_never_change_afterwards(self, name: str) -> None:
        scores0, scores1 = scores_for(name)
        test = sw.SequentialTest(name, n_max=N)
        verdicts, pictures = [], []

        for score0, score1 in zip(scores0[0], scores1[0], strict=True):
            verdicts.append(test.update(score0, score1))
            pictures.append(repr(verdicts[-1]))

        assert [repr(verdict) for verdict in verdicts] == pictures
        with pytest.raises(AttributeError):
            verdicts[0].n = 5  # type: ignore[misc]

    @pytest.mark.parametrize("alternative", ["greater", "two-sided"])
    def test_json_round_trip_at_every_step_continues_identically(
        self, name: str, alternative: str
    ) -> None:
        scores0, scores1 = scores_for(name)
        straight = sw.SequentialTest(name, n_max=N, alternative=alternative)
        resumed = sw.SequentialTest(name, n_max=N, alternative=alternative)

        for score0, score1 in zip(scores0[0], scores1[0], strict=True):
            verdict = straight.update(score0, score1)
            resumed = sw.SequentialTest.from_json(resumed.to_json())

            assert resumed.update(score0, score1) == verdict

        assert resumed.to_json() == straight.to_json()

    def test_decision_is_final_and_the_interval_goes_on(self, name: str) -> None:
        test = sw.SequentialTest(name, n_max=60)
        for _ in range(30):
            test.update(0.0, 1.0)
        for _ in range(30):
            verdict = test.update(1.0, 0.0)

        assert verdict.decision == ("policy1" if verdict.anytime else "undecided")
        assert verdict.n == 60
        with pytest.raises(sw.InvalidInput, match="n_max = 60"):
            test.update(0.0, 1.0)

    def test_order_within_the_past_is_all_a_state_depends_on(self, name: str) -> None:
        """A state is a function of its pairs: running two streams at once mixes nothing."""
        scores0, scores1 = scores_for(name, runs=2, seed=3)
        together = [sw.SequentialTest(name, n_max=N) for _ in range(2)]
        for column in range(N):
            for run in range(2):
                together[run].update(scores0[run, column], scores1[run, column])

        for run in range(2):
            alone = sw.SequentialTest(name, n_max=N)
            for column in range(N):
                alone.update(scores0[run, column], scores1[run, column])
            assert alone.to_json() == together[run].to_json()

    def test_bounds_only_rescale(self, name: str) -> None:
        """Scores in [-8, 24] (an exact rescaling) give the same evidence, means in units."""
        scores0, scores1 = (np.round(scores * 32) / 32 for scores in scores_for(name))
        unit = sw.SequentialTest(name, n_max=N).run(scores0[0], scores1[0])
        wide = sw.SequentialTest(name, n_max=N, bounds=(-8, 24))

        verdict = wide.run(scores0[0] * 32 - 8, scores1[0] * 32 - 8)

        assert (verdict.decision, verdict.n) == (unit.decision, unit.n)
        assert verdict.log_e == unit.log_e
        assert verdict.p_value == unit.p_value
        assert verdict.interval == pytest.approx([32 * end for end in unit.interval])
        assert verdict.mean1 == pytest.approx(32 * unit.mean1 - 8)

    def test_refuses_designs_outside_its_proof(self, name: str) -> None:
        if "paired" in sw.methods()[name].designs:
            assert sw.SequentialTest(name, n_max=N, design="paired").update(0, 1).n == 1
        else:
            with pytest.raises(sw.InvalidInput, match="proven only for the independent design"):
                sw.SequentialTest(name, n_max=N, design="paired")

    def test_damaged_json_is_refused(self, name: str) -> None:
        test = sw.SequentialTest(name, n_max=N)
        test.update(0.0, 1.0)
        text = test.to_json()
        document = json.loads(text)
        newer = json.dumps({**document, "version": 99})
        edited = text.replace('"n": 1,', '"n": 7,')

        for damaged in (
            text[: len(text) // 2],
            "",
            "[]",
            "{}",
            edited,
            text.replace("Test", "Text"),
        ):
            with pytest.raises(sw.InvalidState):
                sw.SequentialTest.from_json(damaged)
        with pytest.raises(sw.InvalidState, match="install a newer one"):
            sw.SequentialTest.from_json(newer)
