"""Processes that run trials, to be killed at any moment."""

import multiprocessing
import os
from pathlib import Path

# Processes are forked from one that has everything loaded, so that they start at once.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["stopwise.study.study", "stopwise.questions.analysis", "psycopg"])


def score_of(trial: int) -> bool:
    """Fixed score of this trial, the same for both trials of a row."""
    return (trial + 1) // 2 % 3 != 0


def run_trials(place: str, station: str, log: str, trials: int) -> None:
    """Run trials; a line is in the log for each one whose storing was acknowledged."""
    import stopwise as sw

    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with sw.Study.open(place) as study:
        for _ in range(trials):
            trial = study.next_trial(station)
            if trial is None:
                return
            key = f"{station}, trial {trial.trial}"
            study.record(trial.trial, score_of(trial.trial), station=station, key=key)
            os.write(file, f"{trial.trial}\n".encode())


def acknowledged(log: Path) -> list[int]:
    """Return the trials whose storing was acknowledged."""
    return [int(line) for line in log.read_text().split()] if log.exists() else []
