"""The promise of four ends: any false claim, of a difference or of sameness, with at most alpha.

The hardest cases are the edges: equal policies, where either "better" is false, and a difference of
exactly the margin, where "practically the same" and one of the two "better" are.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.core.simulate import Simulation
from stopwise.questions.pairs import PairTests, replay
from tests.guarantees.pinned import assert_at_most

pytestmark = pytest.mark.slow(
    "hundreds of studies of each kind: adds nulls that do not attain the level"
)

RUNS, N = 800, 120
Draw = Callable[[np.random.Generator, float, tuple[int, int]], tuple[Floats, Floats]]


def coins(rng: np.random.Generator, gap: float, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Success or failure, near the upper end."""
    return (rng.random(shape) < 0.88) * 1.0, (rng.random(shape) < 0.88 + gap) * 1.0


def same_scene(
    rng: np.random.Generator, gap: float, shape: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Both policies meet one scene, which decides nearly everything."""
    scene = rng.random(shape)
    other = np.where(rng.random(shape) < 0.2, rng.random(shape), scene)
    return (scene < 0.5) * 1.0, (other < 0.5 + gap) * 1.0


def partial_credit(
    rng: np.random.Generator, gap: float, shape: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Seven levels."""
    return rng.binomial(6, 0.5, shape) / 6, rng.binomial(6, 0.5 + gap, shape) / 6


# By name: the scores, the margin of equivalence and the design.
FAMILIES: dict[str, tuple[Draw, float, str]] = {
    "coins": (coins, 0.1, "independent"),
    "the same scene": (same_scene, 0.15, "paired"),
    "partial credit": (partial_credit, 0.1, "independent"),
    "partial credit, paired": (partial_credit, 0.1, "paired"),
}
# The claims that are false at each edge: 1 and 0, that policy better; 2, practically the same.
EDGES = {0: (0, 1), 1: (0, 2), -1: (1, 2)}


def ends(name: str, edge: int, runs: int = RUNS, **settings: Any) -> Simulation:
    """Run studies whose difference is exactly 0, or plus or minus the margin."""
    draw, within, design = FAMILIES[name]
    scores = draw(np.random.default_rng(19), edge * within, (runs, N))
    usual = {"method": "nscore-plus", "n_max": N, "ties": "strict", "workers": 1}
    rules = {"alternative": "two-sided", "design": design, "equivalence": within}
    return sw.simulate(
        scores0=scores[0],
        scores1=scores[1],
        **{**usual, **rules, **settings},
    )


def false_claims(found: Simulation, edge: int) -> int:
    return int(np.isin(found.decision, EDGES[edge]).sum())


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("edge", EDGES)
def test_any_false_claim_at_an_edge_is_rare(name: str, edge: int) -> None:
    """Catches sameness that rests on one test, or on too wide a margin (shown below)."""
    found = ends(name, edge)

    assert_at_most(false_claims(found, edge), RUNS, 0.05)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_max": None},
        {"method": "wsr", "n_max": None},
        {"method": "nscore", "bins": 7},
        {"futility": "binding"},
    ],
    ids=str,
)
def test_it_holds_for_other_methods_and_plans(settings: dict[str, Any]) -> None:
    found = ends("partial credit", 1, **settings)

    assert_at_most(false_claims(found, 1), RUNS, 0.05)


MANY: dict[str, tuple[float, ...]] = {
    "each the margin from the next": (0.4, 0.5, 0.6, 0.7),
    "two ties, the margin apart": (0.45, 0.45, 0.55, 0.55),
    "all tied": (0.5, 0.5, 0.5, 0.5),
    "one far, three at an edge": (0.9, 0.3, 0.4, 0.4),
}
STUDIES, ROWS, LEVEL = 250, 120, 0.2


def studies_with_a_false_claim(means: tuple[float, ...], adjust: str, ties: str = "strict") -> int:
    """Number of studies with a false order or a false sameness within .1."""
    names = tuple("abcd")
    rules = Rules(policies=names, alpha=LEVEL, n_max=ROWS, adjust=adjust, ties=ties)
    ranking = PairTests(replace(rules, equivalence=0.1))
    rng = np.random.default_rng(4)
    scores = rng.binomial(6, means, (STUDIES, ROWS, len(means))) / 6
    outcome = replay(ranking.comparison, ranking.budget, scores, with_p_values=False)
    first, second = ranking.family.pairs.T
    gap = np.array(means)[second] - np.array(means)[first]
    order = outcome.claims & (np.stack([gap, -gap], axis=-1) < 1e-9)
    same = outcome.same & (np.abs(gap) > 0.1 - 1e-9)
    return int((order.any(axis=-1) | same).any(axis=1).sum())


@pytest.mark.parametrize("adjust", ["bonferroni", "holm"])
@pytest.mark.parametrize("name", MANY)
def test_any_false_claim_among_many_is_rare(name: str, adjust: str) -> None:
    """Catches sameness at a level that is not shared (shown below)."""
    assert_at_most(studies_with_a_false_claim(MANY[name], adjust), STUDIES, LEVEL)
