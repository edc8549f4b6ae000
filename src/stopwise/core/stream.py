"""One live comparison: scores come in pair by pair, the verdict is there after each."""

import dataclasses
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from stopwise.core.arrays import Floats
from stopwise.core.comparison import Comparison
from stopwise.core.confidence import ConfidenceState, Interval
from stopwise.core.result import Decision, Verdict
from stopwise.core.scores import numeric_array, require_whole
from stopwise.core.snapshot import dump, encode_state, load, restore_array, restore_state
from stopwise.errors import InvalidInput, InvalidState, require

__all__ = ["SequentialTest"]

KIND = "SequentialTest"
VERSION = 1
_DECISIONS = {1: Decision.POLICY1, 0: Decision.POLICY0}


class _Progress(NamedTuple):
    """All that changes with a pair, replaced as a whole so that an error changes nothing."""

    n: int
    total0: float
    total1: float
    state: tuple[Any, ...]
    log_e: Floats
    confidence: ConfidenceState
    p_value: Floats
    decision: Decision
    n_decided: int | None
    futile: bool


class SequentialTest:
    """A sequential test of two policies, fed one pair of scores at a time.

    You may look after every pair and stop whenever you like: with the anytime methods, the
    chance of ever declaring a policy better that is not stays below alpha, if the pairs are
    independent and identically distributed and the bounds were known beforehand. (Where the
    method bets, weaker: if each pair's means given the past satisfy the null hypothesis. Not so
    "step", whose rates must stay the same.)

    Parameters
    ----------
    method
        Name of the method, see ``stopwise.methods()``.
    alpha
        Probability, in (0, 1), of ever declaring a policy better that is not.
    n_max
        The declared greatest number of pairs, at least 1, or None.
    bounds
        Range [A, B] of the score, known before the data; a score outside is an error.
    alternative
        "greater" (is policy 1 better?), "less" (is policy 0 better?) or "two-sided".
    design
        "independent", or "paired" when the policies share each pair's environment.
    margin
        The null hypothesis is mean1 <= mean0 + margin, in units of the score: positive for
        superiority by a margin, negative for non-inferiority (one-sided only).
    ties
        Two-sided only: "paper" tests both directions at alpha each, as in the paper, so that
        at an exact tie some direction is declared with up to 2 alpha; "strict" splits alpha.
    **parameters
        The method's own parameters, e.g. ``bins=21`` or ``bin_values=[0, .5, 1]``.

    Examples
    --------
    >>> import stopwise as sw
    >>> test = sw.SequentialTest("nscore", alpha=0.05, n_max=50, bins=7)
    >>> verdict = test.update(0.2, 0.8)
    >>> verdict.decision, verdict.n
    (<Decision.UNDECIDED: 'undecided'>, 1)
    >>> verdict = test.run([0.2, 0.3, 0.1, 0.3] * 5, [0.9, 0.8, 1.0, 0.8] * 5)
    >>> verdict.decision, verdict.n
    (<Decision.POLICY1: 'policy1'>, 8)
    """

    def __init__(
        self,
        method: str = "nscore-plus",
        alpha: float = 0.05,
        n_max: int | None = None,
        *,
        bounds: tuple[float, float] = (0, 1),
        alternative: str = "greater",
        design: str = "independent",
        margin: float = 0.0,
        ties: str = "paper",
        **parameters: Any,
    ) -> None:
        self._comparison = Comparison(
            method=method,
            alpha=alpha,
            n_max=n_max,
            bounds=bounds,
            alternative=alternative,
            design=design,
            margin=margin,
            ties=ties,
            parameters=parameters,
        )
        self._limit = self._comparison.n_max
        self._progress = self._start()

    @property
    def settings(self) -> Comparison:
        """The validated settings of this comparison."""
        return self._comparison

    @property
    def verdict(self) -> Verdict:
        """The verdict on what has been seen so far."""
        comparison, progress = self._comparison, self._progress
        log_e = float(comparison.combined_log_e(progress.log_e))
        low, high = comparison.confidence.bounds(progress.confidence)
        span = comparison.scale.span
        n = progress.n
        return Verdict(
            decision=progress.decision,
            n=n,
            n_decided=progress.n_decided,
            futile=progress.futile and progress.n_decided is None,
            mean0=progress.total0 / n if n else np.nan,
            mean1=progress.total1 / n if n else np.nan,
            log_e=None if np.isnan(log_e) else log_e,
            p_value=float(comparison.combined_p_value(progress.p_value)),
            interval=Interval(float(low) * span, float(high) * span),
            method=comparison.method,
            alpha=comparison.alpha,
            alternative=comparison.alternative,
            ties=comparison.ties,
            design=comparison.design,
            margin=comparison.margin,
            n_max=comparison.n_max,
            anytime=comparison.test.anytime,
        )

    def update(self, r0: float, r1: float) -> Verdict:
        """Add one pair of scores and return the verdict.

        After a decision further pairs may come: the decision stays, the interval goes on.

        Parameters
        ----------
        r0, r1
            Scores of policy 0 and policy 1, within the bounds.
        """
        unit0 = self._comparison.unit_score(r0, "policy 0")
        unit1 = self._comparison.unit_score(r1, "policy 1")
        if self._progress.n == self._limit:
            raise InvalidInput(
                f"n_max = {self._limit} pairs are already in; `extend` the study to go on, with "
                "the evidence that is left"
            )
        if self._ended_by_futility():
            raise InvalidInput(
                f"the study ended at a binding futility stop after {self._progress.n} pairs; going "
                "on would void the level"
            )
        self._progress = self._advanced(float(r0), float(r1), unit0, unit1)
        return self.verdict

    def run(self, scores0: ArrayLike, scores1: ArrayLike) -> Verdict:
        """Add pairs until the decision falls or the scores or n_max are used up.

        Parameters
        ----------
        scores0, scores1
            Equally many scores of both policies; all are checked before the first is used.
        """
        array0, array1 = (
            numeric_array(scores, policy)
            for scores, policy in ((scores0, "policy 0"), (scores1, "policy 1"))
        )
        if array0.ndim != 1 or array0.shape != array1.shape:
            raise InvalidInput(
                "both policies need equally many scores in one row each, but got shapes "
                f"{array0.shape} and {array1.shape}"
            )
        comparison = self._comparison
        comparison.check(array0, "policy 0")
        comparison.check(array1, "policy 1")
        for r0, r1, unit0, unit1 in zip(
            array0.tolist(),
            array1.tolist(),
            comparison.scale.unit(array0).tolist(),
            comparison.scale.unit(array1).tolist(),
            strict=True,
        ):
            progress = self._progress
            if progress.n_decided is not None or progress.n == self._limit:
                break
            if self._ended_by_futility():
                break
            self._progress = self._advanced(r0, r1, unit0, unit1)
        return self.verdict

    def extend(self, n_max: int | None = None) -> None:
        """Let pairs come in beyond the declared n_max: up to another number, or without end.

        The error stays below alpha: every bet was, and is, made before its pair, and bets before
        the declared n_max stay as they were. A method that plans for n_max has spent most of its
        evidence there, so declare the larger number beforehand where you can.

        Parameters
        ----------
        n_max
            The greatest number of pairs from now on, or None for no limit.
        """
        comparison = self._comparison
        require(
            not comparison.test.needs_n_max,
            f"{comparison.method} answers only up to its declared n_max = {comparison.n_max}; it "
            "cannot be extended",
        )
        require(self._limit is not None, "this study has no n_max: there is nothing to extend")
        least = max(self._progress.n, self._limit or 0)
        self._limit = None if n_max is None else require_whole(n_max, "n_max", least)

    def to_json(self) -> str:
        """Return settings and state as JSON text, from which the test resumes exactly."""
        comparison, progress = self._comparison, self._progress
        content = {
            "settings": dataclasses.asdict(comparison),
            "limit": self._limit,
            "n": progress.n,
            "total0": progress.total0,
            "total1": progress.total1,
            "state": encode_state(progress.state),
            "confidence": encode_state(progress.confidence),
            "p_value": progress.p_value.tolist(),
            "decision": progress.decision.value,
            "n_decided": progress.n_decided,
        }
        return dump(KIND, VERSION, content)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the test that ``to_json`` saved; it continues identically.

        Raises
        ------
        InvalidState
            If the text is damaged, is something else, or comes from a newer version.
        """
        content = load(KIND, VERSION, text)
        try:
            settings = dict(content["settings"])
            test = cls(**settings.pop("parameters"), **settings)
            limit = content.get("limit", test._limit)
            test._limit = None if limit is None else require_whole(limit, "limit", 1)
            test._progress = test._restored(content)
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidState(f"this saved {KIND} does not fit together: {error}") from error
        return test

    def __repr__(self) -> str:
        comparison = self._comparison
        return (
            f"SequentialTest({comparison.method!r}, alpha={comparison.alpha:g}, "
            f"n_max={comparison.n_max}, alternative={comparison.alternative!r}, "
            f"n={self._progress.n}, decision={self._progress.decision.value!r})"
        )

    def _start(self) -> _Progress:
        comparison = self._comparison
        shape = (len(comparison.directions),)
        state = comparison.test.start(shape)
        return _Progress(
            0,
            0.0,
            0.0,
            state,
            comparison.test.evidence(state).log_e,
            comparison.confidence.start(()),
            np.ones(shape),
            Decision.UNDECIDED,
            None,
            False,
        )

    def _is_futile(self, state: tuple[Any, ...]) -> bool:
        test = self._comparison.test
        return test.advises_futility and bool(test.futile(state).all())

    def _ended_by_futility(self) -> bool:
        progress = self._progress
        binding = self._comparison.test.stops_at_futility
        return binding and progress.futile and progress.n_decided is None

    def _restored(self, content: dict[str, Any]) -> _Progress:
        comparison, start = self._comparison, self._progress
        state = restore_state(content["state"], start.state)
        confidence = restore_state(content["confidence"], start.confidence, free_last_axis=True)
        p_value = restore_array(content["p_value"], start.p_value)
        decision, n_decided = Decision(content["decision"]), content["n_decided"]
        n = require_whole(content["n"], "n", 0, self._limit)
        require(
            (n_decided is None) == (decision is Decision.UNDECIDED)
            and comparison.confidence.holds_together(confidence),
            "decision or interval is incomplete",
        )
        return _Progress(
            n,
            float(content["total0"]),
            float(content["total1"]),
            state,
            comparison.test.evidence(state).log_e,
            confidence,
            p_value,
            decision,
            None if n_decided is None else require_whole(n_decided, "n_decided", 1, n),
            self._is_futile(state),
        )

    def _advanced(self, r0: float, r1: float, unit0: float, unit1: float) -> _Progress:
        comparison, old = self._comparison, self._progress
        array0, array1 = np.asarray(unit0), np.asarray(unit1)
        state = comparison.test.step(old.state, *comparison.directed(array0, array1))
        evidence = comparison.test.evidence(state)
        decision, n_decided = old.decision, old.n_decided
        if n_decided is None:
            falls, winner = comparison.decide(evidence)
            if falls:
                decision, n_decided = _DECISIONS[int(winner)], old.n + 1
        return _Progress(
            old.n + 1,
            old.total0 + r0,
            old.total1 + r1,
            state,
            evidence.log_e,
            comparison.confidence.step(old.confidence, array0, array1),
            np.minimum(old.p_value, evidence.p_value),
            decision,
            n_decided,
            self._is_futile(state),
        )
