"""The level of claims of sameness and of gates, at nulls that attain it: see ``ruin.py``.

Both policies differ by exactly what is claimed not to be: the margin of the claim.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.simulate import run_studies
from stopwise.questions.gate import claims
from tests.guarantees.ruin import assert_attained, paired
from tests.guarantees.test_shared_level import trials_of

ALPHA = 0.5
ROWS = 120
Rows = list[tuple[float, float]]
# "same", "1" or "0" for the better one, or "open"; and after how many pairs.
Run = Callable[..., tuple[str, int]]


def simulated(rows: Rows, **settings: Any) -> tuple[str, int]:
    scores0, scores1 = np.array(rows).T[:, None]
    found = sw.simulate(scores0=scores0, scores1=scores1, workers=1, **settings)
    return {2: "same", 1: "1", 0: "0", -1: "open"}[int(found.decision[0])], int(found.n[0])


def live(rows: Rows, **settings: Any) -> tuple[str, int]:
    found = sw.SequentialTest(**settings).run(*np.array(rows).T)
    ends = {"equivalent": "same", "policy1": "1", "policy0": "0", "undecided": "open"}
    return ends[found.decision.value], found.n


def of_a_file(rows: Rows, **settings: Any) -> tuple[str, int]:
    scores0, scores1 = np.array(rows).T
    (pair,) = sw.analyze({"0": scores0, "1": scores1}, **settings).pairs
    assert pair.same == (pair.relation == "0 = 1") == (pair.finding == "practically the same")
    return ("same" if pair.same else pair.better or "open"), pair.n


def settings_of(method: str, bins: list[float]) -> dict[str, Any]:
    own: dict[str, Any] = {"bin_values": bins} if method == "nscore" else {}
    usual: dict[str, Any] = {"design": "paired", "bounds": (0, 1)}
    return {"method": method, **usual, **own}


@pytest.mark.parametrize("run", [simulated, live, of_a_file])
def test_sameness_at_the_margin_has_at_most_alpha(run: Run) -> None:
    """In a gain policy 1 is a little nearer than the margin; the bins see no difference at all."""
    margin = 0.05
    law = paired(-margin, 0.02)
    bins = [0.0, law.gain[0] + 0.01]

    def risk(alpha: float, within: float = margin) -> float:
        settings: dict[str, Any] = {
            **settings_of("nscore", bins),
            "alpha": alpha,
            "equivalence": within,
        }
        end, n = run([law.gain] * ROWS, **settings)
        assert end == "same"
        return float(law.chance**n)

    assert_attained(risk, ALPHA)
    assert risk(ALPHA, 1.1 * margin) > ALPHA, "a margin off by a tenth would not show"


@pytest.mark.parametrize("run", [simulated, live, of_a_file])
def test_sameness_by_wsr_has_at_most_alpha(run: Run) -> None:
    """In a gain both score the same. Each test of "not worse" has the whole alpha."""
    margin = 0.02
    law = paired(-margin, margin)

    def risk(alpha: float, within: float = margin) -> float:
        settings: dict[str, Any] = {**settings_of("wsr", []), "alpha": alpha, "equivalence": within}
        end, n = run([law.gain] * 3 * ROWS, **settings)
        assert end == "same"
        return float(law.chance**n)

    assert_attained(risk, 0.3)
    assert risk(0.3, 1.25 * margin) > 0.3, "a margin off by a quarter would not show"


@pytest.mark.parametrize("run", [simulated, live, of_a_file])
def test_a_difference_needs_that_the_better_is_not_worse(run: Run) -> None:
    """Policy 1 is worse by the margin: sameness is played for, then that policy 1 is better.

    Together they have alpha, because the second claim needs the evidence of the first, too. Without
    it, as in a test that asks for no sameness, they have more.
    """
    margin = 0.01
    same, climb, toss = (paired(-margin, gain) for gain in (margin, 2 * margin, 1 + margin))
    before = [*[same.gain] * 12, same.loss, *[climb.gain] * 4]
    rows = [*before, *[toss.gain] * 40]
    settings: dict[str, Any] = {**settings_of("nscore", [0.0, 0.01]), "alpha": ALPHA}

    end, n = run([same.gain] * ROWS, equivalence=margin, **settings)
    assert end == "same"
    first = same.chance**n

    def second(**asked: float) -> float:
        end, n = run(rows, **asked, **settings)
        assert end in ("1", "same")
        return float(climb.chance**4 * toss.chance ** (n - len(before)))

    assert first + (1 - first) * second(equivalence=margin) <= ALPHA
    assert first + (1 - first) * second() > ALPHA


def test_sameness_of_several_shares_alpha() -> None:
    """Two policies are worse than the baseline by the margin."""
    law = paired(-0.05, 0.02)
    bins = [0.0, law.gain[0] + 0.01]

    def risk(alpha: float, adjust: str) -> float:
        table = np.full((2 * ROWS + 1, 3), np.nan)
        table[:ROWS, :2] = law.gain
        table[ROWS:-1, [0, 2]] = law.gain
        table[-1] = 0.5
        settings: dict[str, Any] = {
            "bin_values": bins,
            "equivalence": 0.05,
            "alpha": alpha,
            "adjust": adjust,
        }
        usual: dict[str, Any] = {"method": "nscore", "design": "paired", "baseline": "0"}
        found = sw.analyze(trials_of(table), **usual, **settings)
        assert found.pairs[0].same
        if adjust == "bonferroni":
            assert found.pairs[1].n == found.pairs[0].n
        # With Holm the other pair may be a tie, with half of a share for each of its directions.
        ties = 0.0 if adjust == "bonferroni" else 2 * alpha / 4
        return float(law.chance ** found.pairs[0].n * (2 - (ties > 0)) + ties)

    assert_attained(lambda alpha: risk(alpha, "bonferroni"), ALPHA)
    assert_attained(lambda alpha: risk(alpha, "holm"), ALPHA, 1.25)


@pytest.mark.parametrize("answer", ["pass", "fail"])
@pytest.mark.parametrize("method", ["nscore", "nscore-plus"])
def test_each_claim_of_a_gate_has_at_most_alpha(method: str, answer: str) -> None:
    """The new policy is worse by exactly the margin, where both claims are false."""
    margin = 0.05
    law = paired(-margin, 0.02) if answer == "pass" else paired(margin, 0.02)
    old, new = law.gain if answer == "pass" else law.gain[::-1]
    own: dict[str, Any] = {"bin_values": law.bins} if method == "nscore" else {}

    def risk(alpha: float, margin: float = margin) -> float:
        settings: dict[str, Any] = {"design": "paired", "bounds": (0, 1), "method": method, **own}
        found = sw.gate([new] * ROWS, [old] * ROWS, margin, alpha=alpha, **settings)
        assert found.answer == answer
        return float(law.chance**found.n)

    assert_attained(risk, ALPHA, 1.15)
    off = 1.25 if answer == "pass" else 0.8
    assert risk(ALPHA, off * margin) > ALPHA, "a margin off by a quarter would not show"


def test_a_gate_ends_as_its_two_tests_do_and_only_once() -> None:
    """The first claim ends both tests, at the pair at which the simulator makes it."""
    rules = sw.gate([1.0], [1.0], 0.2, n_max=100, design="independent").rules
    rng = np.random.default_rng(4)
    ends = set()
    for rate in (0.2, 0.4, 0.5, 0.7):
        scores0, scores1 = (rng.random((6, 100)) < 0.6) * 1.0, (rng.random((6, 100)) < rate) * 1.0
        one, other = (run_studies(own, scores0, scores1, workers=1) for own in claims(rules))
        for run in range(6):
            found = sw.gate(scores1[run], scores0[run], 0.2, n_max=100)
            first = {0: "pass", 1: "fail"}[int(other.n[run] < one.n[run])]
            decided = one.decision[run] == 1 or other.decision[run] == 0
            assert found.n == min(one.n[run], other.n[run])
            assert found.answer == (first if decided else "undecided")
            ends.add(found.answer)

    assert ends == {"pass", "fail", "undecided"}
    turned = sw.gate([1] * 10 + [0] * 90, [0] * 10 + [1] * 90, 0.2, design="paired")
    assert turned.worse.n_decided is not None
    assert (turned.answer, turned.n) == ("pass", turned.not_worse.n_decided)
