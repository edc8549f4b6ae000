"""TRI's lbm_eval results-*.json: one entry per scenario."""

from pathlib import Path

from stopwise.data.formats.json_file import field, has_keys, load_json
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.messages import Notes

name = "lbm-eval"


def recognise(path: Path) -> bool:
    """Whether the JSON has evaluations of skills."""
    return has_keys(path, "evaluations", "skill_type")


def read(path: Path) -> RawTable:
    """Return is_success (the score) of each scenario; equal scenarios make blocks.

    The file is written while the evaluation runs: what is pending is no trial yet.
    """
    found, notes = [], Notes()
    evaluations = field(path, "", load_json(path), "evaluations", list)
    for index, evaluation in enumerate(evaluations):
        place = f"evaluations[{index}]"
        for key in ("skill_type", "scenario_index", "is_success"):
            field(path, place, evaluation, key, object)
        if not evaluation.get("is_pending"):
            found.append((place, evaluation))
    pending = len(evaluations) - len(found)
    if pending:
        notes.add(f"{path}: {pending} evaluations are still pending", code="evaluations-pending")
    roles = {"task": "skill_type", "score": "is_success", "success": "is_success"}
    return table_of_records(
        path,
        found,
        roles={**roles, "block": "scenario_index"},
        bounds={"is_success": UNIT},
        notes=notes,
    )
