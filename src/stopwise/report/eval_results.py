"""Entries for the evaluation results of a model on the Hugging Face Hub, as files."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stopwise.core.scores import score_text
from stopwise.errors import require
from stopwise.files import plain_names, replace_file
from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis
    from stopwise.questions.standing import PolicyResult

# Where the Hub looks for them in the repository of a model.
PLACE = Path(".eval_results") / "stopwise.yaml"


def write_eval_results(
    analyses: Sequence["Analysis"], folder: Path, dataset: str, source: str | None = None
) -> list[Path]:
    """Write ``POLICY/.eval_results/stopwise.yaml`` for each policy, with one entry per task.

    Each policy gets a folder in this one, whose content belongs into the repository of the model.
    The dataset is the benchmark on the Hub, as "owner/name"; the source is the address of where the
    evaluation can be looked up.
    """
    import yaml

    require(
        re.fullmatch(r"[\w.-]+/[\w.-]+", dataset) is not None,
        f"the benchmark must be given as owner/name on the Hub, but got {dataset!r}",
        parameter="dataset",
    )
    entries: dict[str, list[dict[str, Any]]] = {}
    for analysis in analyses:
        for policy in analysis.policies:
            if policy.n:  # a number to compare with is no model
                entry = _entry(analysis, policy, dataset, source)
                entries.setdefault(policy.name, []).append(entry)
    written = []
    for name, own in zip(plain_names(entries), entries.values(), strict=True):
        path = folder / name / PLACE
        path.parent.mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump(own, sort_keys=False, allow_unicode=True, width=100)
        replace_file(path, text.encode())
        written.append(path)
    return written


def _entry(
    analysis: "Analysis", policy: "PolicyResult", dataset: str, source: str | None
) -> dict[str, Any]:
    """Return one entry; the format has no place for an interval, so the notes have it."""
    low, high = map(score_text, policy.interval)
    several = " with those of all policies" if len(analysis.policies) > 1 else ""
    holds = f", which holds{several} with probability {1 - analysis.alpha:g} at all times"
    promised = "" if analysis.bounds_inferred or analysis.doubts else holds
    mean = f"Mean of {counted(policy.n, 'trial')}; interval [{low}, {high}]{promised}."
    task = "default" if analysis.task in (None, "task") else analysis.task
    return {
        "dataset": {"id": dataset, "task_id": task},
        "value": policy.mean,
        **({} if source is None else {"source": {"url": source, "name": "stopwise"}}),
        "notes": f"{mean} {analysis.sentence}",
    }
