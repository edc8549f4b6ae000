"""When to stop: a rule for anyone's own loop, whatever the order in which results arrive."""

from collections.abc import Sequence
from typing import Any, Self

from stopwise.core.scores import is_number, require_whole
from stopwise.core.snapshot import Resumable
from stopwise.errors import InvalidInput, require
from stopwise.ranking.analysis import Standing
from stopwise.ranking.contest import Contest
from stopwise.report.analysis import Analysis, with_figures

__all__ = ["StopRule"]


class StopRule(Resumable):
    """Says when enough trials were run, and which policy still needs some.

    Every trial has a place: its policy and its row, which is fixed before it is run. Rows are
    looked at in their order, each when it is complete; a result that comes early waits. So the
    verdict does not depend on the order of arrival, and slow trials cannot bias it. The guarantee
    is that of ``stopwise.analyze`` on the rows looked at.

    Parameters
    ----------
    policies
        Two or more names.
    **settings
        ``method="nscore-plus"``, ``alpha=0.05``, ``n_max``, ``bounds=(0, 1)``,
        ``design="independent"`` (or "paired": a row is one environment), ``adjust="holm"``,
        ``baseline``, ``ties="strict"`` and the method's own parameters, as for
        ``stopwise.analyze``.

    Examples
    --------
    >>> import stopwise as sw
    >>> rule = sw.StopRule(["base", "new"], n_max=100)
    >>> outcome = {"base": 0.2, "new": 0.9}
    >>> while not rule.stop:
    ...     for policy in rule.needed:
    ...         rule.add(policy, outcome[policy])
    >>> rule.rows, rule.analysis().order_text
    (5, 'new > base')
    """

    _kind = "StopRule"

    def __init__(self, policies: Sequence[str], **settings: Any) -> None:
        self._contest = Contest(policies, **settings)
        # Results that are not looked at yet, by row; None where a policy has none to offer.
        self._waiting: dict[int, dict[str, float | None]] = {}
        self._next = dict.fromkeys(self._contest.policies, 0)
        self._needed = self._contest.needed

    @property
    def policies(self) -> tuple[str, ...]:
        """The names, in the order given."""
        return self._contest.policies

    @property
    def rows(self) -> int:
        """Rows looked at."""
        return self._contest.rows

    @property
    def n_max(self) -> int | None:
        """The declared greatest number of rows."""
        return self._contest.rules.comparison.n_max

    @property
    def alpha(self) -> float:
        """The probability of any false claim."""
        return self._contest.rules.alpha

    @property
    def design(self) -> str:
        """The design, "independent" or "paired"."""
        return self._contest.rules.design

    @property
    def bounds(self) -> tuple[float, float]:
        """The declared range of the score."""
        return self._contest.rules.comparison.bounds

    @property
    def needed(self) -> tuple[str, ...]:
        """Policies that need more trials; none when it is time to stop."""
        return self._needed

    @property
    def stop(self) -> bool:
        """Whether everything is decided, or n_max rows were looked at."""
        return not self._needed

    @property
    def decided(self) -> bool:
        """Whether every pair is decided."""
        return self._contest.decided

    @property
    def waiting(self) -> int:
        """Results that are not looked at, because their row is not complete or not needed."""
        return sum(map(len, self._waiting.values()))

    def add(self, policy: str, score: float | None, row: int | None = None) -> None:
        """Take one result in.

        Parameters
        ----------
        policy
            Whose it is.
        score
            A number within the bounds; None leaves the policy out of the row, which is valid only
            if that does not depend on the score.
        row
            The place it was given beforehand, from 0; by default the policy's next one.
        """
        require(
            policy in self._next,
            f"policies are {', '.join(self.policies)}, but got a result of {policy!r}",
        )
        row = self._next[policy] if row is None else require_whole(row, "row", 0)
        known = self._waiting.get(row, {})
        require(
            row >= self.rows or policy not in self._needed,
            f"row {row} was looked at already, but got another result of {policy!r} for it",
        )
        require(policy not in known, f"{policy!r} has a result in row {row} already")
        if score is not None:
            self.check(policy, score)
            score = float(score)
        self._waiting.setdefault(row, {})[policy] = score
        self._next[policy] = max(self._next[policy], row + 1)
        self._settle()

    def check(self, policy: str, score: float) -> None:
        """Raise unless this is a number within the bounds that the method accepts."""
        try:
            self._contest.rules.comparison.unit_score(score, repr(policy))
        except InvalidInput as error:
            low, high = self.bounds
            if not is_number(score) or low <= score <= high:
                raise
            raise InvalidInput(f"{error}; give the range with bounds=") from error

    def settings(self) -> dict[str, Any]:
        """Return all settings as plain values."""
        return self._contest.rules.settings()

    def standings(self) -> tuple[Standing, ...]:
        """Return how each pair stands now."""
        return self._contest.standings()

    def analysis(self, *, task: str | None = None, warnings: Sequence[str] = ()) -> Analysis:
        """Return the whole analysis of the rows looked at."""
        return with_figures(self._contest.analysis(task=task, warnings=warnings))

    def _content(self) -> dict[str, Any]:
        return {
            "contest": self._contest.to_json(),
            "waiting": [[row, results] for row, results in self._waiting.items()],
            "next": self._next,
        }

    @classmethod
    def _resumed(cls, content: dict[str, Any]) -> Self:
        rule = cls.__new__(cls)
        rule._contest = Contest.from_json(content["contest"])
        rule._waiting = {int(row): dict(results) for row, results in content["waiting"]}
        rule._next = {str(policy): int(row) for policy, row in content["next"].items()}
        rule._needed = rule._contest.needed
        return rule

    def _settle(self) -> None:
        """Look at rows in their order, as far as they are complete."""
        while self._needed:
            results = self._waiting.get(self.rows, {})
            if any(policy not in results for policy in self._needed):
                return
            row = self._waiting.pop(self.rows)
            # Of a policy that was decided in the meantime nothing more is used.
            scores = {policy: row[policy] for policy in self._needed}
            self._contest.add({name: score for name, score in scores.items() if score is not None})
            self._needed = self._contest.needed
