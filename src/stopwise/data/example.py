"""The bundled example: generated scores, so that everything can be tried without a robot."""

import csv
from importlib.resources import as_file, files
from pathlib import Path


def two_policies() -> tuple[list[float], list[float]]:
    """Return 50 generated partial-credit scores each of a baseline and a new policy.

    Scores are milestones reached out of 6 (7 levels). They were drawn once, independently, from
    fixed probabilities with inflated zeros and ones, the new policy's mean being higher by .28.
    """
    text = files("stopwise.data").joinpath("examples/two_policies.csv").read_text()
    scores: dict[str, list[float]] = {"baseline": [], "new": []}
    for row in csv.DictReader(text.splitlines()):
        scores[row["policy"]].append(float(row["score"]))
    return scores["baseline"], scores["new"]


def four_policies() -> Path:
    """Return the file of a generated study: 60 partial-credit trials each of four policies."""
    with as_file(files("stopwise.data").joinpath("examples/four_policies.csv")) as path:
        return path
