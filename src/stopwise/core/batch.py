"""Fixed-sample references: classical tests that answer once, at the declared n_max."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.barnard import barnard_p_value
from stopwise.core.method import Citation, Evidence, Method

# Without any spread the sign of the gap decides, so rounding must not pass for a gap.
ROUNDING = 1e-9


class BatchState(NamedTuple):
    """Number of pairs, running means and sums of squared deviations of both policies."""

    n: Ints
    mean0: Floats
    mean1: Floats
    squares0: Floats
    squares1: Floats


@dataclass(frozen=True, kw_only=True)
class Batch(Method[BatchState]):
    """A classical fixed-sample test: valid at n_max and only there.

    Before n_max its p-value is 1 and it decides nothing: looking earlier would inflate the
    error rate. It has no e-value.
    """

    anytime: ClassVar[bool] = False
    constant_rates: ClassVar[bool] = True
    needs_n_max: ClassVar[bool] = True

    def start(self, shape: tuple[int, ...]) -> BatchState:
        """Return the state before the first pair."""
        zeros = np.zeros(shape)
        return BatchState(np.zeros(shape, dtype=np.int64), zeros, zeros, zeros, zeros)

    def step(self, state: BatchState, r0: Floats, r1: Floats) -> BatchState:
        """Return the state after one more pair (Welford's update)."""
        n = state.n + 1
        mean0 = state.mean0 + (r0 - state.mean0) / n
        mean1 = state.mean1 + (r1 - state.mean1) / n
        return BatchState(
            n,
            mean0,
            mean1,
            state.squares0 + (r0 - state.mean0) * (r0 - mean0),
            state.squares1 + (r1 - state.mean1) * (r1 - mean1),
        )

    def evidence(self, state: BatchState) -> Evidence:
        """Return the p-value at n_max, and 1 before."""
        p_value = np.ones(state.n.shape)
        ready = state.n == self.n_max
        if ready.any():
            p_value[ready] = self.p_values(BatchState(*(array[ready] for array in state)))
        return Evidence(np.full(state.n.shape, np.nan), p_value, p_value <= self.alpha)

    @abstractmethod
    def p_values(self, state: BatchState) -> Floats:
        """Return the one-sided p-value of mean1 > mean0 + margin at n_max, for each run."""


@dataclass(frozen=True, kw_only=True)
class Welch(Batch):
    """Welch's t-test with unequal variances; approximate for bounded scores and small n."""

    name: ClassVar[str] = "welch"
    summary: ClassVar[str] = "Welch's t-test at n_max (approximate, fixed sample)"
    citation: ClassVar[Citation] = Citation(
        "B. L. Welch",
        "The generalization of 'Student's' problem when several different population variances "
        "are involved",
        "Biometrika 34",
        1947,
    )
    advice: ClassVar[str] = "a reference: the usual t-test, with a single look at n_max"
    exact: ClassVar[bool] = False

    def p_values(self, state: BatchState) -> Floats:
        """Return Welch's one-sided p-values; with no spread at all the means decide."""
        from scipy import stats

        n = state.n.astype(float)
        deviation0 = np.sqrt(state.squares0 / np.maximum(n - 1.0, 1.0))
        deviation1 = np.sqrt(state.squares1 / np.maximum(n - 1.0, 1.0))
        spread = (deviation0 > 0) | (deviation1 > 0)
        p_value = np.where(state.mean1 - state.mean0 - self.margin > ROUNDING, 0.0, 1.0)
        if self.n_max is not None and self.n_max < 2:
            return np.ones(n.shape)
        shifted = state.mean1 - self.margin
        p_value[spread] = stats.ttest_ind_from_stats(
            shifted[spread], deviation1[spread], n[spread],
            state.mean0[spread], deviation0[spread], n[spread],
            equal_var=False, alternative="greater",
        ).pvalue  # fmt: skip
        return p_value


@dataclass(frozen=True, kw_only=True)
class ContingencyTest(Batch):
    """A test of two success counts; each distinct table is computed once."""

    scores: ClassVar[str] = "binary"
    takes_margin: ClassVar[bool] = False
    takes_reference: ClassVar[bool] = False

    def p_values(self, state: BatchState) -> Floats:
        """Return the one-sided p-values of the 2 x 2 tables."""
        successes = np.rint(np.stack([state.mean0, state.mean1], axis=-1) * state.n[..., None])
        tables, inverse = np.unique(successes.astype(int), axis=0, return_inverse=True)
        n = int(state.n.flat[0])
        p_value = [self.p_value_of(x0, x1, n) for x0, x1 in tables.tolist()]
        return np.array(p_value, dtype=float)[inverse.ravel()]

    def p_value_of(self, x0: int, x1: int, n: int) -> float:
        """Return the one-sided p-value of x1 against x0 successes of n trials each, by scipy."""
        from scipy import stats

        test = getattr(stats, f"{self.name}_exact")
        return float(test([[x1, x0], [n - x1, n - x0]], alternative="greater").pvalue)


@dataclass(frozen=True, kw_only=True)
class Barnard(ContingencyTest):
    """Barnard's unconditional exact test of two success rates."""

    name: ClassVar[str] = "barnard"
    summary: ClassVar[str] = "Barnard's exact test at n_max (binary, fixed sample)"
    edition: ClassVar[int] = 2
    citation: ClassVar[Citation] = Citation(
        "G. A. Barnard", "Significance tests for 2 x 2 tables", "Biometrika 34", 1947
    )
    advice: ClassVar[str] = (
        "a reference: the fixed plan for binary scores that savings are counted against"
    )

    def p_value_of(self, x0: int, x1: int, n: int) -> float:
        """Return Barnard's p-value; scipy's has ties in its statistic broken by rounding."""
        return barnard_p_value(x0, n, x1, n)


@dataclass(frozen=True, kw_only=True)
class Boschloo(ContingencyTest):
    """Boschloo's exact test: uniformly more powerful than Fisher's."""

    name: ClassVar[str] = "boschloo"
    summary: ClassVar[str] = "Boschloo's exact test at n_max (binary, fixed sample)"
    citation: ClassVar[Citation] = Citation(
        "R. D. Boschloo",
        "Raised conditional level of significance for the 2 x 2-table when testing the equality "
        "of two probabilities",
        "Statistica Neerlandica 24",
        1970,
    )
    advice: ClassVar[str] = "a reference: where Fisher's test is usual, with more power"


@dataclass(frozen=True, kw_only=True)
class Fisher(ContingencyTest):
    """Fisher's exact test, conditional on the total number of successes."""

    name: ClassVar[str] = "fisher"
    summary: ClassVar[str] = "Fisher's exact test at n_max (binary, fixed sample)"
    citation: ClassVar[Citation] = Citation(
        "R. A. Fisher",
        "The logic of inductive inference",
        "Journal of the Royal Statistical Society 98",
        1935,
    )
    advice: ClassVar[str] = "a reference: the exact test that most people know, conservative"
