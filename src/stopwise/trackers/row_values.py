"""Values that trackers get after each row of a question."""

import math

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.confidence import ConfidenceSequence, ConfidenceState
from stopwise.files import plain_names
from stopwise.questions.intervals import through
from stopwise.questions.question import Question

# So many relations are listed in a verdict.
MOST_TOLD = 12


class RowValues:
    """Evidence, means, intervals and verdict of a question, row by row.

    The intervals are those of the policies in an analysis: they hold together, at all times. They
    are carried on from row to row, so that a row costs the same however many came before.
    """

    def __init__(self, question: Question, task: str | None = None) -> None:
        self.question = question
        self._before = "" if task is None else f"{plain_names([task])[0]}/"
        self._policies: tuple[str, ...] = ()
        self._intervals: dict[str, tuple[ConfidenceSequence, ConfidenceState]] = {}

    def now(self) -> tuple[dict[str, float], str]:
        question, standings = self.question, self.question.standings()
        names = dict(zip(question.policies, plain_names(question.policies), strict=True))
        numbers = {"decided": float(question.decided), **self._means(names)}
        if not standings:
            numbers["candidates"] = len(question.candidates)
            numbers |= {f"p/{names[name]}": p for name, p in question.p_values.items()}
        for pair in standings:
            key = f"{names[pair.policy1]}_vs_{names[pair.policy0]}"
            numbers[f"p/{key}"] = pair.p_value
            if pair.log_e is not None:
                numbers[f"log_e/{key}"] = pair.log_e
        finite = {f"{self._before}{key}": n for key, n in numbers.items() if math.isfinite(n)}
        return finite, f"{self._before and self._before[:-1] + ': '}{shown(question)}"

    def _means(self, names: dict[str, str]) -> dict[str, float]:
        rules, scale = self.question.rules, self.question.rules.reading.tested_scale
        scores = rules.reading.values(self.question.table().layers(rules.reading))
        unit = scale.unit(scores)
        if self._policies != rules.policies:  # one that joins takes its part of alpha
            self._policies, self._intervals = rules.policies, {}
        numbers: dict[str, float] = {}
        for index, name in enumerate(rules.policies):
            known = ~np.isnan(scores[:, index])
            if name in rules.reading.constants or not known.any():
                continue
            low, high = self._interval(name, unit[known, index])
            low, high = scale.interval(max(low, 0.0), min(high, 1.0))
            numbers[f"mean/{names[name]}"] = float(scores[known, index].mean())
            numbers[f"low/{names[name]}"], numbers[f"high/{names[name]}"] = low, high
            numbers[f"trials/{names[name]}"] = float(known.sum())
        return numbers

    def _interval(self, name: str, scores: Floats) -> tuple[float, float]:
        if name not in self._intervals:
            level = self.question.rules.alpha / len(self._policies) / 2
            sequence = ConfidenceSequence(levels=(level, level))
            self._intervals[name] = sequence, sequence.start((1,))
        sequence, state = self._intervals[name]
        state = through(sequence, state, scores[int(state.pairs[0]) :])
        self._intervals[name] = sequence, state
        low, high = sequence.bounds(state)
        return float(low[0]), float(high[0])


def shown(question: Question) -> str:
    standings = question.standings()
    if not standings:
        left = ", ".join(question.candidates)
        return f"best: {left}" if question.decided else f"may be the best: {left}"
    decided = [pair.relation for pair in standings if pair.decided]
    parts = decided[:MOST_TOLD]
    if len(decided) > MOST_TOLD:
        parts.append(f"and {len(decided) - MOST_TOLD} more")
    if not question.decided:
        parts.append(f"{len(standings) - len(decided)} of {len(standings)} undecided")
    return "; ".join(parts)
