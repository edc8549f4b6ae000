"""All operations: the table from which the API and its clients are made."""

from typing import Any

from stopwise.study.check_lists import Check
from stopwise.study.episodes import Attend, BeginEpisode, EndEpisode, Resolve, Stop
from stopwise.study.lifecycle import (
    Amend,
    CloseDay,
    CreateToken,
    Lock,
    OwnerToken,
    RevokeToken,
    Unblind,
)
from stopwise.study.operation import Operation
from stopwise.study.recordings import Film
from stopwise.study.trial_import import ImportTrials
from stopwise.study.trial_operations import Correct, NextTrial, Release, Score, Start, Void

OPERATIONS: dict[str, tuple[type[Operation[Any]], ...]] = {
    "trials": (NextTrial, Start, Score, Release, Check, Correct, Void, ImportTrials),
    "runner": (Resolve, Attend, BeginEpisode, EndEpisode, Stop, Film),
    "plan": (Lock, Amend, Unblind),
    "journal": (CloseDay,),
    "tokens": (CreateToken, OwnerToken, RevokeToken),
}
