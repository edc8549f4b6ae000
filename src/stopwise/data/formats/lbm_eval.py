"""TRI's lbm_eval results-*.json: one entry per scenario."""

from pathlib import Path

from stopwise.data.formats.json_file import field, load_json
from stopwise.data.formats.text_file import head
from stopwise.data.raw import RawTable, frame_of_records
from stopwise.messages import Message

__all__ = ["name", "read", "recognise"]

name = "lbm-eval"


def recognise(path: Path) -> bool:
    """Whether the JSON has evaluations of skills."""
    beginning = head(path)
    return beginning.lstrip().startswith("{") and all(
        f'"{key}"' in beginning for key in ("evaluations", "skill_type")
    )


def read(path: Path) -> RawTable:
    """Return is_success (the score) of each scenario; equal scenarios make blocks.

    The file is written while the evaluation runs: what is pending is no trial yet.
    """
    records: list[dict[str, object]] = []
    places: list[str] = []
    pending = 0
    for index, evaluation in enumerate(field(path, "", load_json(path), "evaluations", list)):
        place = f"evaluations[{index}]"
        for key in ("skill_type", "scenario_index", "is_success"):
            field(path, place, evaluation, key, object)
        if evaluation.get("is_pending"):
            pending += 1
            continue
        records.append(evaluation)
        places.append(place)
    return RawTable(
        source=str(path),
        frame=frame_of_records(records),
        place=places.__getitem__,
        roles={
            "task": "skill_type",
            "score": "is_success",
            "success": "is_success",
            "block": "scenario_index",
        },
        bounds={"is_success": (0.0, 1.0)},
        notes=_pending(path, pending),
    )


def _pending(path: Path, pending: int) -> tuple[Message, ...]:
    text = f"{path}: {pending} evaluations are still pending"
    return (Message(text, code="evaluations-pending"),) if pending else ()
