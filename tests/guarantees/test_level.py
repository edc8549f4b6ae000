"""The promise of a test of two policies, at nulls that attain it: its level is what is said.

An alpha that is larger by a tenth shows in each of these tests, wherever it comes from: each shows
it by declaring one. That every bet is fair, at any null, is shown in ``test_fair_bets.py``.
"""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from tests.guarantees.ruin import (
    FREE,
    GAIN,
    Law,
    assert_attained,
    assert_holds,
    constant,
    either,
    paired,
)

ALPHA = 0.2
ROWS = 400
TIE = paired()
ONE_SIDED: dict[str, Any] = {"alternative": "greater", "ties": "paper"}
# Rows until a test that has looked at the other direction bets on this one.
TURN = 9


def decided(rows: list[tuple[float, float]], **settings: Any) -> tuple[int, int]:
    """Return the decision on these pairs, and after how many: by the simulator."""
    scores0, scores1 = np.array(rows).T[:, None]
    found = sw.simulate(
        scores0=scores0,
        scores1=scores1,
        workers=1,
        **{**ONE_SIDED, **settings},
    )
    return int(found.decision[0]), int(found.n[0])


def live(rows: list[tuple[float, float]], **settings: Any) -> tuple[int, int]:
    """Return the decision on these pairs, and after how many: of a live test."""
    verdict = sw.SequentialTest(**{**ONE_SIDED, **settings}).run(*np.array(rows).T)
    ends = {"policy1": 1, "policy0": 0, "equivalent": 2, "undecided": -1}
    return ends[verdict.decision.value], verdict.n


def settings_of(method: str, law: Law = TIE) -> dict[str, Any]:
    own: dict[str, Any] = {"bin_values": law.bins} if method == "nscore" else {}
    if "," in method:
        own["n_max"] = ROWS
    if "binding" in method:
        own["futility"] = "binding"
    return {"method": method.split(",", maxsplit=1)[0], "design": "paired", "bounds": (0, 1), **own}


@pytest.mark.parametrize("run", [decided, live])
@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize(
    "method", ["nscore", "nscore-plus", "nscore-plus, n_max", "nscore-plus, binding futility"]
)
def test_one_direction_has_alpha(method: str, alternative: str, run: Any) -> None:
    law = TIE if alternative == "greater" else TIE.swapped()

    def risk(alpha: float) -> float:
        found, n = run(
            [law.gain] * ROWS, alpha=alpha, alternative=alternative, **settings_of(method)
        )
        assert found == (alternative == "greater")
        return float(law.chance**n)

    assert_attained(risk, ALPHA)


@pytest.mark.parametrize("run", [decided, live])
@pytest.mark.parametrize("ties", ["strict", "paper"])
def test_both_directions_together_have_what_the_convention_says(ties: str, run: Any) -> None:
    """First one policy gains until it loses all, then the other: alpha together, or alpha each."""

    def risks(alpha: float) -> list[float]:
        settings: dict[str, Any] = {
            "alpha": alpha,
            "alternative": "two-sided",
            "ties": ties,
            **settings_of("nscore"),
        }
        found, n = run([TIE.gain] * ROWS, **settings)
        assert found == 1
        one = TIE.chance**n
        other = TIE.swapped()
        free = [(GAIN - FREE, GAIN)]
        rows = [*free * 2, TIE.loss, *[(GAIN, GAIN - FREE)] * TURN]
        found, n = run([*rows, *[other.gain] * ROWS], **settings)
        assert found == 0
        return [one, TIE.chance ** (n - len(rows))]

    if ties == "strict":
        assert_attained(lambda alpha: either(*risks(alpha)), ALPHA)
    shares = 2 if ties == "strict" else 1
    assert_attained(lambda alpha: shares * risks(alpha)[0], ALPHA)
    assert_attained(lambda alpha: shares * risks(alpha)[1], ALPHA)


@pytest.mark.parametrize("run", [decided, live])
@pytest.mark.parametrize("margin", [0.02, -0.05])
def test_a_margin_is_what_it_says(margin: float, run: Any) -> None:
    """Scores from -2 to 6, of which less is better: the margin is in their unit."""
    law = paired(margin)

    def scaled(pair: tuple[float, float]) -> tuple[float, float]:
        return 6 - 8 * pair[0], 6 - 8 * pair[1]

    def risk(alpha: float, share: float = 1.0) -> float:
        settings = settings_of("nscore", law) | {"bounds": (-2, 6), "margin": 8 * margin * share}
        settings["bin_values"] = sorted(6 - 8 * value for value in law.bins)
        found, n = run([scaled(law.gain)] * ROWS, alpha=alpha, lower_is_better=True, **settings)
        assert found == 1
        return float(law.chance**n)

    assert_attained(risk, ALPHA)
    share = 0.9 if margin > 0 else 1.1
    assert risk(ALPHA, share) > ALPHA, "a margin off by a tenth would not show"


@pytest.mark.parametrize("ties", ["strict", "paper"])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_a_decision_falls_when_e_value_and_p_value_say_so(alternative: str, ties: str) -> None:
    """While evidence grows, the p-value is one over the e-value; both are of all directions."""
    settings = settings_of("nscore") | {"alternative": alternative, "ties": ties, "alpha": ALPHA}
    test = sw.SequentialTest(**{**ONE_SIDED, **settings})
    rows = [TIE.gain] * ROWS
    for _ in range(ROWS):
        verdict = test.update(*TIE.gain)
        assert verdict.e_value is not None
        assert verdict.decided == (verdict.p_value <= ALPHA) == (verdict.e_value >= 1 / ALPHA)
        assert verdict.p_value == pytest.approx(min(1.0, 1 / verdict.e_value))
        if verdict.decided:
            break

    found = sw.simulate(
        scores0=np.array([rows])[..., 0],
        scores1=np.array([rows])[..., 1],
        **{**ONE_SIDED, **settings},
    )
    assert float(found.log_e[0]) == pytest.approx(verdict.log_e)
    assert float(found.p_value[0]) == pytest.approx(verdict.p_value)


def test_evidence_that_is_lost_again_keeps_its_p_value_and_its_decision() -> None:
    settings = settings_of("nscore") | {"ties": "paper", "alpha": ALPHA}
    test = sw.SequentialTest(**settings)
    for _ in range(60):
        before = test.update(*TIE.gain)
    after = test.update(*TIE.loss)
    assert after.p_value == before.p_value < 0.6
    assert not after.decided

    test = sw.SequentialTest(**settings)
    first = test.run(*np.array([TIE.gain] * ROWS).T)
    for pair in [TIE.loss, *[TIE.swapped().gain] * TURN, *[(1.0, 0.0)] * 20]:
        last = test.update(*pair)
    assert (last.decision, last.n_decided) == (first.decision, first.n_decided)


@pytest.mark.parametrize("n_max", [None, ROWS])
def test_a_proxy_that_knows_nothing_changes_no_level(n_max: int | None) -> None:
    def risk(alpha: float, mean: float = 0.0) -> float:
        settings: dict[str, Any] = {
            "alpha": alpha,
            "proxy_mean": mean,
            "design": "paired",
            "n_max": n_max,
        }
        test = sw.SequentialTest(**{**ONE_SIDED, **settings})
        n = next(n for n in range(1, ROWS) if test.update(*TIE.gain, proxy=(0.5, 0.5)).decided)
        return float(TIE.chance**n)

    assert_attained(risk, ALPHA)


def test_an_extension_has_no_alpha_of_its_own() -> None:
    """Policy 1 loses all just before n_max; the study is extended, and it gains again."""
    rows = [*[TIE.gain] * 19, TIE.loss]
    settings = settings_of("nscore-plus") | {"alpha": ALPHA, "n_max": len(rows)}
    first = TIE.chance ** live([TIE.gain] * ROWS, **settings | {"n_max": ROWS})[1]

    def second(test: sw.SequentialTest) -> float:
        before = test.verdict.n
        verdict = test.run(*np.array([TIE.gain] * ROWS).T)
        return float(TIE.chance ** (verdict.n - before)) if verdict.decided else 0.0

    extended = sw.SequentialTest(**{**ONE_SIDED, **settings})
    extended.run(*np.array(rows).T)
    extended.extend(len(rows) + ROWS)
    anew = sw.SequentialTest(**{**ONE_SIDED, **settings, "n_max": ROWS})

    assert first + (1 - first) * second(extended) <= ALPHA
    assert first + (1 - first) * second(anew) > ALPHA, "a study begun anew would not show"


@pytest.mark.parametrize("live_test", [False, True])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_number_is_what_it_says(alternative: str, live_test: bool) -> None:
    """A policy whose mean is the number gains a little nearly always; ruin is the other end."""
    law = constant()
    number, score = law.gain
    if alternative == "less":
        number, score = 1 - number, 1 - score

    def risk(alpha: float, beside: float = number) -> float:
        settings: dict[str, Any] = {"alpha": alpha, "reference": beside, "bin_values": law.bins}
        scores = np.full(ROWS, score)
        if live_test:
            test = sw.SequentialTest("nscore", alternative=alternative, **settings)
            n = next(n for n in range(1, ROWS) if test.update(score).decided)
        else:
            found = sw.simulate("nscore", scores[None], alternative=alternative, **settings)
            n = int(found.n[0])
        return float(law.chance**n)

    assert_attained(risk, ALPHA)
    better = 1 if alternative == "greater" else -1
    assert risk(ALPHA, number - 0.003 * better) > ALPHA, "a number off by .003 would not show"


@pytest.mark.parametrize("run", [decided, live])
def test_wins_are_counted_as_they_come(run: Any) -> None:
    """Meetings are won or lost by the toss of a coin: all of the first, by either policy."""
    tosses = 3
    level = 2 * 0.5**tosses / 1.005  # so many wins are a little likelier than the level

    def risk(alpha: float, rows: Any = ((0.1, 7.0),)) -> float:
        settings: dict[str, Any] = {
            "alternative": "two-sided",
            "by": "wins",
            "design": "paired",
            "alpha": alpha,
        }
        found, n = run([*rows * 40], method="wsr", **settings)
        assert found == 1
        return float(2 * 0.5**n)

    assert_attained(risk, level)


def test_a_tie_is_no_win() -> None:
    settings: dict[str, Any] = {"method": "wsr", "by": "wins", "alpha": 0.9}
    for alternative in ("greater", "less", "two-sided"):
        assert decided([(0.3, 0.3)] * 50, alternative=alternative, **settings)[0] == -1


# By name: how equal policies score, the design, and what else is declared.
TOSSES: dict[str, tuple[str, dict[str, Any]]] = {
    "independent": ("coin", {"n_max": 60}),
    "paired": ("gain", {"n_max": 60, "design": "paired"}),
    "edge of sameness": (
        "edge",
        {"n_max": 40, "design": "paired", "alternative": "two-sided", "equivalence": 0.4},
    ),
    "number, greater": ("number", {"n_max": 60}),
    "number, less": ("number", {"n_max": 60, "alternative": "less"}),
    "step": ("coins", {"method": "step", "n_max": 20}),
    "step, number": ("number", {"method": "step", "n_max": 60}),
}


def false_claims(name: str, runs: int, alpha: float) -> int:
    """Number of studies that claim anything of equal policies, or of one against its own mean."""
    kind, own = TOSSES[name]
    drawn = np.random.default_rng(3).random((2, runs, 60))
    settings: dict[str, Any] = {"method": "nscore-plus", "alpha": alpha, "workers": 1, **own}
    tosses = (drawn < 0.5) * 1.0
    scores = {"scores0": tosses[0], "scores1": tosses[1]}
    if kind == "number":
        scores = {"scores0": tosses[0]}
        settings["reference"] = 0.5
    elif kind == "coin":
        scores = {"scores0": np.full_like(tosses[0], 0.5), "scores1": tosses[0]}
    elif kind in ("edge", "gain"):  # a gain with this chance, or the loss of all
        gain, chance = (0.1, 0.6 / 1.1) if kind == "edge" else (0.5, 1 / 1.5)
        gained = drawn[0, :, : settings["n_max"]] < chance
        scores = {"scores0": 1.0 - gained, "scores1": gained * gain}
    found = sw.simulate(**scores, **{**ONE_SIDED, **settings})
    false = [1, 2] if kind == "edge" else [0, 1, 2]
    return int(np.isin(found.decision, false).sum())


@pytest.mark.parametrize("name", TOSSES)
def test_tosses_of_a_coin_use_up_the_level(name: str) -> None:
    """Of a large alpha few studies are enough to see whether it is larger still."""
    level = 0.16 if name == "edge of sameness" else 0.3
    assert_holds(lambda alpha, runs: false_claims(name, runs, alpha), level, 1.25)


@pytest.mark.slow("many studies: shows alpha times 1.1")
@pytest.mark.parametrize("name", [name for name in TOSSES if name != "edge of sameness"])
def test_tosses_of_a_coin_use_up_the_level_closely(name: str) -> None:
    assert_holds(lambda alpha, runs: false_claims(name, runs, alpha), 0.3, 1.1)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_the_table_of_step_has_its_level_in_all_studies_of_seven_pairs(alternative: str) -> None:
    """Each of 16,384 outcomes, with its chance under all equal rates: nothing is drawn."""
    pairs, rates = 7, np.linspace(0.01, 0.99, 99)[:, None]
    outcomes = (np.arange(4**pairs)[:, None] >> np.arange(2 * pairs)) & 1
    successes = np.arange(2 * pairs + 1)
    chances = rates**successes * (1 - rates) ** (2 * pairs - successes)

    def risk(alpha: float) -> float:
        scores0, scores1 = outcomes[:, :pairs], outcomes[:, pairs:]
        settings: dict[str, Any] = {"alternative": alternative, "n_max": pairs, "workers": 1}
        found = sw.simulate("step", scores0, scores1, alpha=alpha, **settings)
        wrong = outcomes.sum(axis=1)[found.decision >= 0]
        worst = chances @ np.bincount(wrong, minlength=2 * pairs + 1)
        return float(worst.max())

    assert_attained(risk, 0.3)
