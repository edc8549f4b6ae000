"""Early stopping for inspect_ai: several models on one dataset, until it is known who is better.

inspect_ai asks before each sample whether to skip it, and tells the scores of those completed; a
sample under way cannot be stopped. Rows are the samples in the order of the dataset.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from stopwise.core.keywords import described, flat
from stopwise.core.settings import StopSettings
from stopwise.errors import InvalidInput, MissingPackage, require, require_choice
from stopwise.rollout.stop_rule import StopRule

try:
    from inspect_ai.log import EvalLog, EvalSpec, read_eval_log
    from inspect_ai.scorer import SampleScore, Score, value_to_float
    from inspect_ai.util import EarlyStop
except ImportError as error:
    raise MissingPackage('this hook needs inspect_ai: pip install "stopwise[inspect]"') from error

SampleId = str | int


@described
class StopTogether:
    """One stopping rule that the evaluations of several models share.

    Give ``hook(model)`` to each task as its ``early_stopping``, or a finished log of a model with
    ``add_log``. Samples are rows, paired by their id, in the order of the dataset: shuffle it, for
    the claim is about samples like these in random order. With several epochs a sample's score is
    the mean over them. A sample that fails leaves its row incomplete: nothing is stopped early
    beyond it.

    Parameters
    ----------
    models
        Two or more names.
    scorer
        Whose score is compared; needed only if tasks have several scorers.
    **settings
        As for ``stopwise.analyze``.
    """

    @flat(StopSettings, design="paired")
    def __init__(
        self, models: Sequence[str], *, scorer: str | None = None, **settings: Unpack[StopSettings]
    ) -> None:
        settings.setdefault("design", "paired")
        self.rule = StopRule(models, **settings)
        self._scorer = scorer
        self._to_float = value_to_float()
        self._rows: dict[SampleId, int] = {}
        self._logs: dict[str, dict[SampleId, float]] = {}

    def hook(self, model: str) -> "ModelHook":
        """Return the early-stopping object of one model's task."""
        self._require_known(model)
        return ModelHook(self, model)

    def add_log(self, model: str, log: EvalLog | str) -> None:
        """Take in a finished evaluation, so that another is compared with it."""
        self._require_known(model)
        read = read_eval_log(log) if isinstance(log, str) else log
        scores: dict[SampleId, list[float]] = {}
        for sample in read.samples or []:
            if sample.scores:
                scores.setdefault(sample.id, []).append(self.number(sample.scores))
        require(bool(scores), f"the log of {model!r} holds no scored samples")
        self._logs[model] = {name: sum(epochs) / len(epochs) for name, epochs in scores.items()}
        self._show_log(model)

    def begin(self, ids: Sequence[SampleId]) -> None:
        """Fix the order of the rows, or check that it is the same."""
        rows = {name: row for row, name in enumerate(ids)}
        if self._rows and rows != self._rows:
            raise InvalidInput("all models must be evaluated on the same samples in the same order")
        if not self._rows:
            self._rows = rows
            for model in self._logs:
                self._show_log(model)

    def row(self, sample: SampleId) -> int:
        return self._rows[sample]

    def number(self, scores: Mapping[str, SampleScore | Score]) -> float:
        if self._scorer is None:
            known = ", ".join(scores)
            require(len(scores) == 1, f"scorer must be one of {known}, but none was chosen")
        chosen = next(iter(scores)) if self._scorer is None else self._scorer
        require_choice("scorer", chosen, scores)
        sample = scores[chosen]
        score = sample.score if isinstance(sample, SampleScore) else sample
        return float(self._to_float(score.value))

    def _show_log(self, model: str) -> None:
        for name, row in self._rows.items():
            if name in self._logs[model]:
                self.rule.add(model, self._logs[model][name], row)

    def _require_known(self, model: str) -> None:
        known = self.rule.policies
        require(model in known, f"models are {', '.join(known)}, but got {model!r}")


class ModelHook:
    """What inspect_ai asks and tells while one model is evaluated: its EarlyStopping protocol."""

    def __init__(self, shared: StopTogether, model: str) -> None:
        self._shared, self._model = shared, model
        self._epochs = 1
        self._scores: dict[SampleId, list[float]] = {}

    async def start_task(self, task: EvalSpec, samples: list[Any], epochs: int) -> str:  # noqa: ARG002
        self._epochs = epochs
        self._shared.begin([sample.id for sample in samples])
        return "stopwise"

    async def schedule_sample(self, id: SampleId, epoch: int) -> EarlyStop | None:  # noqa: A002
        rule = self._shared.rule
        beyond = rule.n_max is not None and self._shared.row(id) >= rule.n_max
        if self._model in rule.needed and not beyond:
            return None
        why = "n_max is reached" if beyond or not rule.decided else "the order is known"
        return EarlyStop(id=id, epoch=epoch, reason=f"stopwise: {why}")

    async def complete_sample(
        self,
        id: SampleId,  # noqa: A002
        epoch: int,  # noqa: ARG002
        scores: dict[str, SampleScore],
    ) -> None:
        """Take in the score; a sample counts when all of its epochs are there."""
        epochs = self._scores.setdefault(id, [])
        epochs.append(self._shared.number(scores))
        if len(epochs) == self._epochs:
            row = self._shared.row(id)
            self._shared.rule.add(self._model, sum(epochs) / len(epochs), row)

    async def complete_task(self) -> dict[str, Any]:
        rule = self._shared.rule
        facts = {"rows": rule.rows, "decided": rule.decided, "waiting": rule.waiting}
        return {**facts, "order": rule.analysis().order_text} if rule.rows else facts
