"""The promise of a gate: each of its two claims, where it is false, is made with at most alpha.

The hardest case of both is a difference of exactly minus the margin, where both are false.
"""

from collections.abc import Callable

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.core.simulate import run_studies
from stopwise.questions.gate_source import claims
from tests.guarantees.pinned import assert_at_most

pytestmark = pytest.mark.slow(
    "thousands of studies of each kind: adds nulls that do not attain the level"
)

ALPHA, RUNS, N = 0.05, 2000, 200
Draw = Callable[[np.random.Generator], tuple[Floats, Floats]]


def coins(rate0: float, rate1: float) -> Draw:
    """Success or failure."""

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats]:
        shape = (RUNS, N)
        return (rng.random(shape) < rate0) * 1.0, (rng.random(shape) < rate1) * 1.0

    return draw


def same_scene(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Both policies meet one scene, which decides nearly everything: .7 and .6."""
    scene = rng.random((RUNS, N))
    return (scene < 0.7) * 1.0, (scene < 0.6) * 1.0


def partial_credit(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Seven levels, the new policy lower by .1 on average."""
    return rng.binomial(6, 0.6, (RUNS, N)) / 6, rng.binomial(6, 0.5, (RUNS, N)) / 6


def in_turn(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Easy and hard scenes in turn, with the same difference of -.1."""
    level = np.where(np.arange(N) % 2 == 0, 0.9, 0.3)
    return (rng.random((RUNS, N)) < level) * 1.0, (rng.random((RUNS, N)) < level - 0.1) * 1.0


# By name: the scores, whose difference is exactly minus the margin; the margin; the design.
EDGES: dict[str, tuple[Draw, float, str]] = {
    "coins .9 .85": (coins(0.9, 0.85), 0.05, "independent"),
    "coins .5 .3": (coins(0.5, 0.3), 0.2, "independent"),
    "coins 1 .8": (coins(1.0, 0.8), 0.2, "independent"),
    "coins .1 0": (coins(0.1, 0.0), 0.1, "independent"),
    "the same scene": (same_scene, 0.1, "paired"),
    "partial credit": (partial_credit, 0.1, "independent"),
    "in turn": (in_turn, 0.1, "independent"),
}


def rules_of(margin: float, design: str, method: str, n_max: int | None) -> Rules:
    """The rules of a gate, as it makes them."""
    return sw.gate([1.0], [1.0], margin, method=method, n_max=n_max, design=design).rules


def errors(first: Rules, second: Rules, draw: Draw) -> tuple[int, int]:
    """How often each of the two tests makes its claim."""
    scores = draw(np.random.default_rng(19))
    one = run_studies(first, *scores, workers=1)
    other = run_studies(second, *scores, workers=1)
    return int((one.decision == 1).sum()), int((other.decision == 0).sum())


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("n_max", [N, None])
def test_each_false_claim_at_the_edge_is_rare(name: str, n_max: int | None) -> None:
    """Catches a margin of the wrong sign or in the wrong test (shown below)."""
    draw, margin, design = EDGES[name]

    found = errors(*claims(rules_of(margin, design, "nscore-plus", n_max)), draw)

    for number in found:
        assert_at_most(number, RUNS, ALPHA)


@pytest.mark.parametrize("method", ["nscore", "wsr"])
def test_it_holds_for_other_methods(method: str) -> None:
    draw, margin, design = EDGES["partial credit"]

    for number in errors(*claims(rules_of(margin, design, method, None)), draw):
        assert_at_most(number, RUNS, ALPHA)


def test_the_gate_ends_as_its_two_tests_do_and_only_once() -> None:
    """The first claim ends both tests, at the pair at which the simulator makes it."""
    rules = rules_of(0.2, "independent", "nscore-plus", 100)
    rng = np.random.default_rng(4)
    ends = set()
    for rate in (0.2, 0.4, 0.5, 0.7):
        scores0, scores1 = (rng.random((6, 100)) < 0.6) * 1.0, (rng.random((6, 100)) < rate) * 1.0
        one, other = (run_studies(own, scores0, scores1, workers=1) for own in claims(rules))
        for run in range(6):
            found = sw.gate(scores1[run], scores0[run], 0.2, n_max=100)
            first = {0: "not worse", 1: "worse"}[int(other.n[run] < one.n[run])]
            decided = one.decision[run] == 1 or other.decision[run] == 0
            assert found.n == min(one.n[run], other.n[run])
            assert found.shown == (first if decided else "undecided")
            ends.add(found.shown)

    assert ends == {"not worse", "worse", "undecided"}
