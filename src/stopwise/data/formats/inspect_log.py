"""Logs of inspect_ai: .eval archives and .json."""

from importlib.util import find_spec
from typing import Any

from stopwise.data.formats.text_file import Head
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.errors import InvalidInput, StopwiseError
from stopwise.messages import Notes, counted

name = "inspect"
START = "_journal/start.json"
ABOUT = ("id", "epoch", "target")


def recognise(head: Head) -> bool:
    """Whether it is an archive of a log, or a log as JSON."""
    return START in head.members or head.has_keys("eval", "eval_id", "run_id", "status", "task")


def read(head: Head) -> RawTable:
    """Return the scores of each sample; samples are shared starts, epochs repeat them."""
    if find_spec("inspect_ai") is None:
        raise StopwiseError('logs of inspect_ai need it: pip install "stopwise[inspect]"')
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
    from inspect_ai.scorer import value_to_float

    path = head.path
    try:
        log = read_eval_log(str(path), header_only=True)
        summaries = read_eval_log_sample_summaries(str(path))
    except Exception as error:  # whatever an archive that was cut off raises
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidInput(f"{path}: not a whole log of inspect_ai ({reason[:80]})") from error
    number, notes = value_to_float(), Notes()
    facts = {"task": log.eval.task, "model": log.eval.model}
    records: list[tuple[str, dict[str, Any]]] = []
    for sample in summaries:
        values = {scorer: score.value for scorer, score in (sample.scores or {}).items()}
        simple = {k: v for k, v in values.items() if isinstance(v, str | int | float | bool)}
        measures = {scorer: float(number(value)) for scorer, value in simple.items()}
        known = {**facts, "id": sample.id, "epoch": sample.epoch, **measures}
        if values:
            records.append((f"sample {sample.id}, epoch {sample.epoch}", known))
    if failed := len(summaries) - len(records):
        text = f"{path}: {counted(failed, 'sample')} without a score (errors, or not run) left out"
        notes.add(text, code="interrupted-left-out")
    scorers = [key for _, record in records[:1] for key in record if key not in (*facts, *ABOUT)]
    roles = {"task": "task", "policy": "model", "block": "id", "trial": "epoch"}
    roles |= {"score": scorers[0]} if scorers else {}
    values_of = {scorer: [record.get(scorer, 0) for _, record in records] for scorer in scorers}
    unit = {
        scorer: UNIT for scorer, all_of in values_of.items() if 0 <= min(all_of) <= max(all_of) <= 1
    }
    return table_of_records(path, records, roles=roles, bounds=unit, notes=notes)
