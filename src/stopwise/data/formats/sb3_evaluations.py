"""evaluations.npz of stable-baselines3's EvalCallback."""

from typing import Any

import polars as pl

from stopwise.data.formats.numpy_arrays import load_arrays
from stopwise.data.formats.text_file import Head
from stopwise.data.raw import UNIT, RawTable
from stopwise.errors import InvalidInput, require
from stopwise.messages import Message

name = "sb3-evaluations"
# Names in the file and in the table.
MEASURES = {"results": "return", "ep_lengths": "length", "successes": "success"}


def recognise(head: Head) -> bool:
    """Whether the archive holds the arrays of the callback."""
    return head.members >= {"timesteps.npy", "results.npy"}


def read(head: Head) -> RawTable:
    """Return success (the default score, if there), return and length of the last evaluation.

    Earlier evaluations are of other checkpoints, that is of other policies.
    """
    path, arrays = head.path, load_arrays(head)
    for array in ("timesteps", "results"):
        require(array in arrays, f"{path}: the array {array!r} is missing")
    results = arrays["results"].shape
    require(
        len(results) == 2 and 0 not in results,
        f"{path}, array 'results': must have shape (evaluations, episodes), but got {results}",
    )
    evaluations, episodes = results
    columns: dict[str, Any] = {}
    for theirs, ours in MEASURES.items():
        if theirs in arrays:
            values = arrays[theirs]
            if values.shape != (evaluations, episodes) or values.dtype.kind not in "biuf":
                raise InvalidInput(
                    f"{path}, array {theirs!r}: must be numbers of shape "
                    f"{(evaluations, episodes)}, but got {values.dtype} of shape {values.shape}"
                )
            columns[ours] = values[-1]
    if arrays["timesteps"].shape != (evaluations,):
        raise InvalidInput(
            f"{path}, array 'timesteps': must have shape ({evaluations},), "
            f"but got {arrays['timesteps'].shape}"
        )
    steps = arrays["timesteps"][-1]
    last = f"{path}: only the last of {evaluations} evaluations is used, at {steps} timesteps"
    score = "success" if "success" in columns else "return"
    roles = {"score": score} | ({"success": "success"} if score == "success" else {})
    return RawTable(
        source=str(path),
        frame=pl.DataFrame(columns),
        place=lambda row: f"results[{evaluations - 1}, {row}]",
        roles=roles,
        bounds={"success": UNIT},
        notes=(Message(last, code="last-evaluation"),),
    )
