"""The replay of all pairs against one live test per pair, and its bookkeeping."""

import numpy as np
import pytest

import stopwise as sw
from stopwise.core import registry
from stopwise.core.arrays import Floats
from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.pair_test import PairTest
from stopwise.core.rules import Rules
from stopwise.questions.family import ADJUSTMENTS, Family, Holm, create
from stopwise.questions.pairs import PairStates, replay

MEANS = np.array([0.2, 0.5, 0.5, 0.9])


def draw(studies: int, rows: int = 200, seed: int = 0) -> Floats:
    rng = np.random.default_rng(seed)
    return (rng.random((studies, rows, MEANS.size)) < MEANS) * 1.0


def run(
    scores: Floats,
    adjust: str = "bonferroni",
    *,
    method: str = "nscore",
    ties: str = "strict",
    baseline: int | None = None,
    trace: bool = False,
    p_values: bool = True,
) -> tuple[Family, PairStates]:
    own = "strict" if registry.find(method).splits_itself else ties
    family = Family(k=scores.shape[2], baseline=baseline, ties=own)
    comparison = PairTest(Rules(method=method, ties=ties), family.size)
    procedure = create(adjust, family=family, alpha=0.05)
    return family, replay(comparison, procedure, scores, with_p_values=p_values, with_trace=trace)


@pytest.mark.parametrize("method", ["nscore", "wsr", "savi"])
@pytest.mark.parametrize("ties", ["strict", "paper"])
def test_with_bonferroni_each_pair_is_one_live_test(method: str, ties: str) -> None:
    scores = draw(1)

    family, outcome = run(scores, method=method, ties=ties)

    for pair, (first, second) in enumerate(family.pairs):
        test = sw.SequentialTest(method, alpha=0.05 / 6, alternative="two-sided", ties=ties)
        verdict = test.run(scores[0, :, first], scores[0, :, second])
        assert outcome.n[0, pair] == verdict.n
        assert outcome.claims[0, pair].tolist() == [
            verdict.decision == "policy1",
            verdict.decision == "policy0",
        ]
        # Here p-values are held against alpha, there against alpha/6.
        assert outcome.p_value[0, pair].min() == pytest.approx(min(6 * verdict.p_value, 1))


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
def test_a_study_does_not_depend_on_the_others(adjust: str) -> None:
    scores = draw(20)

    _, together = run(scores, adjust)

    for study in (0, 7, 19):
        _, alone = run(scores[[study]], adjust)
        assert (alone.claims[0] == together.claims[study]).all()
        assert (alone.rows[0] == together.rows[study]).all()
        assert alone.p_value[0] == pytest.approx(together.p_value[study], rel=1e-9)


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
@pytest.mark.parametrize("baseline", [None, 1])
def test_a_p_value_is_at_most_alpha_exactly_when_its_direction_is_claimed(
    adjust: str, baseline: int | None
) -> None:
    _, outcome = run(draw(50), adjust, baseline=baseline)

    assert ((outcome.p_value <= 0.05) == outcome.claims).all()
    assert outcome.claims.any()


def test_missing_partners_make_a_pair_wait() -> None:
    """The same scores with empty rows in between give the same answers, later."""
    scores = draw(1, rows=120)
    spread = np.full((1, 240, MEANS.size), np.nan)
    spread[:, ::2] = scores
    spread[:, 1::2, 0] = 1.0  # a policy alone has no partner, whatever it scores

    _, plain = run(scores, "holm")
    _, waiting = run(spread, "holm")

    assert (plain.claims == waiting.claims).all()
    assert (plain.n == waiting.n).all()
    assert plain.log_e == pytest.approx(waiting.log_e)
    decided = plain.claims.any(axis=-1)
    assert (waiting.rows[decided] == 2 * plain.rows[decided] - 1).all()


def test_what_follows_from_others_is_claimed_with_the_weaker_p_value() -> None:
    """0 > 1 and 1 > 2 are evident in rows where the third is missing; 0 and 2 never meet."""
    scores = np.full((1, 80, 3), np.nan)
    scores[0, ::2, 0], scores[0, ::2, 1] = 0.9, 0.5
    scores[0, 1::2, 1], scores[0, 1::2, 2] = 0.5, 0.2

    family, outcome = run(scores, "holm")

    pair = family.pairs.tolist().index([0, 2])
    assert outcome.claims[0, pair].tolist() == [False, True]
    assert outcome.implied[0].tolist() == [False, True, False]
    assert outcome.n[0, pair] == 0
    assert outcome.p_value[0, pair, 1] == outcome.p_value[0, :, 1][[0, 2]].max()


def test_the_path_starts_at_nothing_and_ends_at_the_decision() -> None:
    family, outcome = run(draw(1), "holm", trace=True)

    assert outcome.trace is not None
    for pair in range(family.size):
        path = outcome.trace.path(pair, same=False)
        assert path.n[0] == 0
        assert path.n[-1] == outcome.n[0, pair]
        assert (np.diff(path.n) == 1).all()
        assert (np.diff(path.p_value) <= 0).all()
        assert path.p_value[-1] == pytest.approx(outcome.p_value[0, pair].min())


def test_rows_taken_together_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a long study rows between two bets go at once, unless something may come of them."""
    rng = np.random.default_rng(5)
    scores = rng.binomial(6, [0.5, 0.5, 0.51], (1, 2600, 3)) / 6
    family = Family(k=3)
    comparison = PairTest(Rules(), family.size)
    together = replay(comparison, Holm(family=family, alpha=0.05), scores, with_trace=True)
    monkeypatch.setattr(NScorePlus, "held", lambda *_: 1)

    single = replay(comparison, Holm(family=family, alpha=0.05), scores, with_trace=True)

    for name in ("claims", "n", "rows", "log_e", "p_value"):
        assert np.array_equal(getattr(together, name), getattr(single, name)), name
    assert together.trace is not None
    assert single.trace is not None
    for pair in range(3):
        for one, other in zip(
            vars(together.trace.path(pair, same=False)).values(),
            vars(single.trace.path(pair, same=False)).values(),
            strict=True,
        ):
            assert np.array_equal(one, other)
