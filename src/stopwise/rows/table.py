"""The scores of one task, aligned: a row of trials, a column per policy, NaN where none is."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.pair_test import PairTest
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.score import Scores
from stopwise.errors import InvalidInput, require
from stopwise.messages import ONE_LOOK, Message, Setting, counted

if TYPE_CHECKING:
    from stopwise.rows.task_mean import TaskMean


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    policies: tuple[str, ...]  # one per column
    scores: Floats  # (rows, policies) in the order of the analysis, NaN without a trial; read-only
    design: str  # "paired" if a row is one block that the policies share, else "independent"
    task: str | None = None
    bounds: tuple[float, float] | None = None  # as declared; scores are checked when they are used
    notes: tuple[str, ...] = ()  # what was assumed, left out or drawn, one sentence each
    bounds_inferred: bool = False  # taken from the data, which voids the guarantee
    mean: "TaskMean | None" = None  # what makes the claim one about the mean over tasks
    # Training runs that the trials come from, several each: then claims are about these
    # checkpoints. 0 if there is nothing to be said of it.
    training_runs: int = 0
    preferences: bool = False  # whether scores say which of two trials was preferred
    other_scores: tuple[Floats, ...] = ()  # other scores of the same trials, each like ``scores``
    scenes: tuple[str, ...] = ()  # names of the rows' scenes, where there are any
    simulated: Floats | None = None  # the proxy's scores (scenes, policies), in a random order

    def __post_init__(self) -> None:
        # A view, so that the caller's own array can still be written.
        scores = self.scores.view()
        scores.setflags(write=False)
        object.__setattr__(self, "scores", scores)

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple((~np.isnan(self.scores)).sum(axis=0).tolist())

    @property
    def by_policy(self) -> dict[str, Floats]:
        """The scores of each policy in order, without gaps; read-only."""
        columns = {}
        for name, column in zip(self.policies, self.scores.T, strict=True):
            columns[name] = column[~np.isnan(column)]
            columns[name].setflags(write=False)
        return columns

    @property
    def checkpoint_claim(self) -> str:
        """What claims are about where several trials come from one training run; else nothing."""
        if not self.training_runs:
            return ""
        runs = f"these {self.training_runs} training runs"
        return f"about the checkpoints of {runs}, not about what other runs would give"

    @property
    def looks_clause(self) -> str:
        """Limit of the promise to one look, where further trials could change earlier rows."""
        once = any(getattr(note, "code", "").startswith(ONE_LOOK) for note in self.notes)
        return ", for one look at them" if once else ""

    def asked(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        if not self.preferences:
            return dict(settings)
        require(
            settings.get("by", "wins") == "wins" and not settings.get("lower_is_better"),
            "preferences say which of two trials is better, not by how much: they have no means to "
            "compare, and no scores that could be lower",
            parameter="by",
        )
        return {**settings, "by": "wins"}

    def declaring(self, bounds: tuple[float, float] | None) -> "Table":
        if bounds is None:
            return self
        return replace(self, bounds=Scale.declared(bounds).ends, bounds_inferred=False)

    def clipped(self, scale: Scale) -> "Table":
        """The table with scores that rounding carried over a bound moved back to it."""
        scores = scale.clip(self.scores)
        moved = int((np.isfinite(self.scores) & (scores != self.scores)).sum())
        if not moved:
            return self
        note = (
            f"{counted(moved, 'score lies', 'scores lie')} outside the bounds by the rounding of "
            "32-bit floats, and count as the bound"
        )
        return replace(self, scores=scores, notes=(*self.notes, note))

    def without(self, policies: Collection[str | None]) -> "Table":
        kept = [index for index, name in enumerate(self.policies) if name not in policies]
        names = tuple(self.policies[index] for index in kept)
        return replace(self.with_each(lambda scores: scores[:, kept]), policies=names)

    def layers(self, reading: Scores) -> Floats:
        return reading.layers(self.scores, self.other_scores, self.policies)

    def with_each(self, change: Callable[[Floats], Floats]) -> "Table":
        layers = tuple(map(change, self.other_scores))
        return replace(self, scores=change(self.scores), other_scores=layers)

    def with_constants(self, constants: Mapping[str, float]) -> "Table":
        """Return the table with last columns that always score these constants, if it has none."""
        new = {name: score for name, score in constants.items() if name not in self.policies}
        if not new:
            return self
        columns = np.tile([*new.values()], (len(self.scores), 1))
        wider = self.with_each(lambda scores: np.concatenate([scores, columns], axis=1))
        return replace(wider, policies=(*self.policies, *new))

    def arranged(self, policies: Sequence[str]) -> Floats:
        scores = np.full((len(self.scores), len(policies)), np.nan)
        for column, name in enumerate(policies):
            if name in self.policies:
                scores[:, column] = self.scores[:, self.policies.index(name)]
        return scores

    def having(self, columns: Mapping[str, Sequence[Any]]) -> "Table":
        """Return the table with these trials in place of a policy's, each with all its scores."""
        layers = [self.scores, *self.other_scores]
        added = {name: np.array(cells, dtype=float) for name, cells in columns.items()}
        for kind, layer in enumerate(layers):
            known = dict(zip(self.policies, layer.T, strict=True))
            known |= {name: cells.reshape(len(cells), -1)[:, kind] for name, cells in added.items()}
            layers[kind] = side_by_side([known[name] for name in self.policies])
        return replace(self, scores=layers[0], other_scores=tuple(layers[1:])) if columns else self

    def check(self, check: Callable[[Floats, str], None]) -> None:
        for name, known in self.by_policy.items():
            require(known.size > 0, f"each policy needs at least one trial, but {name!r} has none")
            try:
                check(known, repr(name))
            except InvalidInput as error:
                place = f"task {self.task}: " if self.task not in (None, "task") else ""
                complaint = f"{place}{error.message}"
                if self.bounds is None and (known.min() < 0.0 or known.max() > 1.0):
                    complaint = Message(
                        f"{complaint}; no bounds were declared: give ", Setting("bounds")
                    )
                raise InvalidInput(complaint) from error


def side_by_side(columns: Sequence[Floats]) -> Floats:
    """Return scores as the columns of one array, NaN below the shorter ones."""
    scores = np.full((max(map(len, columns), default=0), len(columns)), np.nan)
    for index, column in enumerate(columns):
        scores[: len(column), index] = column
    return scores


def unit_scores(table: Table, comparison: PairTest) -> Floats:
    """Return the scores normalised to [0, 1]; raise, naming the policy, if one is not allowed."""
    # Validity rests on this line: readers check earlier only to name file and line, and anyone can
    # make a table without them.
    table.without(comparison.reading.constants).check(comparison.check)
    return comparison.scale.unit(table.scores)


def unit_rows(table: Table, comparison: PairTest) -> Floats:
    unit_scores(table, comparison)
    reading = comparison.reading
    return reading.rows(comparison.scale.unit(table.layers(reading)))
