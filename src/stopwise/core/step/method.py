"""`step`: the synthesised test as a method of the package."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.method import Citation, Evidence, Method
from stopwise.core.step.one_rate import OneRateTest, one_rate_test
from stopwise.errors import require

if TYPE_CHECKING:
    from stopwise.core.step.design import StepDesign

_REJECTED, _CLOSED, _FUTILE = np.int8(1), np.int8(2), np.int8(4)


class StepState(NamedTuple):
    """State of every run: counts, and what has happened."""

    n: NDArray[np.int32]
    successes0: NDArray[np.int32]
    successes1: NDArray[np.int32]
    status: NDArray[np.int8]


@dataclass(frozen=True, kw_only=True)
class Step(Method[StepState]):
    """Near-optimal test of two success rates with a declared horizon."""

    name: ClassVar[str] = "step"
    summary: ClassVar[str] = "STEP: near-optimal binary test for a declared n_max, from a table"
    citation: ClassVar[Citation] = Citation(
        "D. Snyder et al.",
        "Is your imitation learning policy better than mine? Policy comparison with near-optimal "
        "stopping",
        "arXiv:2503.10966",
        2025,
    )
    advice: ClassVar[str] = (
        "for success or failure with a fixed n_max, if success rates stay the same throughout"
    )
    scores: ClassVar[str] = "binary"
    needs_n_max: ClassVar[bool] = True
    takes_margin: ClassVar[bool] = False
    constant_rates: ClassVar[bool] = True

    @cached_property
    def stopping(self) -> "StepDesign":
        """The synthesised design, made on first use."""
        from stopwise.core.step.design import step_design

        return step_design(self.alpha, self._last)

    @cached_property
    def one_rate(self) -> tuple[OneRateTest, ...]:
        """The tests against the reference, one per direction; empty without one."""
        return tuple(one_rate_test(self.alpha, self._last, rate) for rate in self.number)

    @cached_property
    def _limits(self) -> Ints:
        """Successes that reject, and that are worth going on with: (2, directions, trials)."""
        tests = self.one_rate
        return np.array([[t.reject_from for t in tests], [t.continue_from for t in tests]])

    @property
    def _last(self) -> int:
        require(self.n_max is not None, "step answers only for a declared n_max, but it is None")
        return self.n_max or 0

    def facts(self) -> tuple[str, ...]:
        if self.one_rate:
            errors = " and ".join(f"{test.error:.5f}" for test in self.one_rate)
            hint = ""
            if any(test.error == 0 for test in self.one_rate):
                hint = " One direction cannot be declared by n_max at all: that is too few trials."
            over = max(test.cost / test.least_cost for test in self.one_rate) - 1
            return (
                f"step (optimal table of one success rate, n_max = {self.n_max}): at the reference "
                f"itself each direction errs with probability {errors}, computed exactly (allowed: "
                f"{self.alpha:.5f}); no test of this level has an average cost, of trials and of "
                f"ending undecided, that is lower by more than {100 * over:.2g} %.{hint}",
            )
        certificate, worst = self.stopping.certificate, self.stopping.worst
        return (
            f"step (optimal table, n_max = {self.n_max}): the error of one direction is "
            f"proven to be at most {worst.error:.5f} (allowed: {self.alpha:.5f}), worst near "
            f"success rate {worst.rate:.3g}; on average over its alternatives it needs "
            f"{certificate.expected_n:.4g} pairs; no test of this level and power needs fewer than "
            f"{certificate.lower_bound:.4g}.",
        )

    def start(self, shape: tuple[int, ...]) -> StepState:
        # Nothing is drawn before the table exists: never an answer without it.
        _ = self.one_rate or self.stopping
        zero = np.zeros(shape, dtype=np.int32)
        return StepState(zero, zero, zero, np.zeros(shape, dtype=np.int8))

    def step(self, state: StepState, r0: Floats, r1: Floats) -> StepState:
        n = state.n + np.int32(1)
        successes0 = state.successes0 + (r0 > 0.5).astype(np.int32)
        successes1 = state.successes1 + (r1 > 0.5).astype(np.int32)
        running = (state.status & (_REJECTED | _CLOSED)) == 0
        # A closed run is looked up at the origin, which is always in the table and never stops.
        time, x, y = (np.where(running, a, 0).astype(np.int64) for a in (n, successes0, successes1))
        if self.one_rate:
            reject_from, continue_from = self._limits[:, np.arange(len(self.number)), time]
            rejected, hopeless = y >= reject_from, y < continue_from
            mirrored = np.zeros_like(rejected)
        else:
            rule = self.stopping.rule
            rejected, mirrored = rule.rejects(time, x, y), rule.rejects(time, y, x)
            hopeless = rule.is_futile(time, x, y)
        rejected = running & rejected
        futile = running & ~rejected & ~mirrored & hopeless
        futile &= self.futility is not None
        closed = running & ~rejected & (mirrored | (n >= self._last))
        status = state.status | rejected * _REJECTED | closed * _CLOSED | futile * _FUTILE
        return StepState(n, successes0, successes1, status.astype(np.int8))

    def evidence(self, state: StepState) -> Evidence:
        """All-or-nothing evidence: e-value ``1/alpha`` after a rejection, 0 before it."""
        rejected = (state.status & _REJECTED) != 0
        log_e = np.where(rejected, -math.log(self.alpha), -np.inf)
        return Evidence(log_e, np.where(rejected, self.alpha, 1.0), rejected)

    def futile(self, state: StepState) -> Bools:
        result: Bools = (state.status & _FUTILE) != 0
        return result
