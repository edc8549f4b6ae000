"""Is any policy better than the baseline? Asked row by row, until the first that is.

The claims are those of the order with a baseline, and stopping at the first of them breaks none.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.errors import require
from stopwise.messages import named
from stopwise.questions.analysis import Analysis
from stopwise.questions.order import OrderQuestion
from stopwise.rows.table import Table


@dataclass(frozen=True, kw_only=True, repr=False)
class Improvement(Analysis):
    ASKS: ClassVar[str] = "Is any policy better than the baseline?"
    FOUND: ClassVar[str] = "one is better"


class ImproveQuestion(OrderQuestion):
    _kind = "Improve"
    answer = Improvement

    def __init__(self, rules: Rules, *joined: Any) -> None:
        text = " is what others are to be better than: the goal 'improve' needs one"
        require(rules.baseline is not None, named("baseline"), text)
        super().__init__(rules, *joined)

    @property
    def decided(self) -> bool:
        return super().decided or self.rules.baseline in self.eliminated

    def analyze(self, table: Table) -> Analysis:
        found = super().analyze(table)
        end = found.eliminated.get(str(self.rules.baseline))
        if end is not None:
            reading = self.rules.reading
            most = max(reading.starts(name, end.row)[-1] for name in reading.run)
            found = super().analyze(table.first(int(most)))
        return Improvement(**vars(found))

    def _show(self, scores: Floats) -> None:
        super()._show(scores)
        if self.decided:
            self._tried = ()
