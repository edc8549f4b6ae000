"""evaluations.npz of stable-baselines3's EvalCallback."""

import polars as pl

from stopwise.data.formats.numpy_arrays import load_arrays
from stopwise.data.formats.text_file import Head
from stopwise.data.raw import UNIT, RawTable
from stopwise.errors import require
from stopwise.messages import Message

name = "sb3-evaluations"
# Names in the file and in the table.
MEASURES = {"results": "return", "ep_lengths": "length", "successes": "success"}


def recognise(head: Head) -> bool:
    """Whether the archive holds the arrays of the callback."""
    return head.members >= {"timesteps.npy", "results.npy"}


def read(head: Head) -> RawTable:
    """Return the last evaluation: earlier ones are of other checkpoints, hence other policies."""
    path, arrays = head.path, load_arrays(head)
    for array in ("timesteps", "results"):
        require(array in arrays, f"{path}: the array {array!r} is missing")
    shape = arrays["results"].shape
    text = f"{path}, array 'results': must have shape (evaluations, episodes), but got {shape}"
    require(len(shape) == 2 and 0 not in shape, text)
    for array in arrays.keys() & {*MEASURES, "timesteps"}:
        values, wanted = arrays[array], shape[:1] if array == "timesteps" else shape
        require(
            values.shape == wanted and values.dtype.kind in "biuf",
            f"{path}, array {array!r}: must be numbers of shape {wanted}, but got {values.dtype} "
            f"of shape {values.shape}",
        )
    columns = {MEASURES[array]: arrays[array][-1] for array in MEASURES if array in arrays}
    score = "success" if "success" in columns else "return"
    last = (
        f"only the last of {shape[0]} evaluations is used, at {arrays['timesteps'][-1]} timesteps"
    )
    return RawTable(
        source=str(path),
        frame=pl.DataFrame(columns),
        place=lambda row: f"results[{shape[0] - 1}, {row}]",
        roles={"score": score} | ({"success": score} if score == "success" else {}),
        bounds={"success": UNIT},
        notes=(Message(f"{path}: {last}", code="last-evaluation"),),
    )
