"""The journal of a race: what it is in the first line, then one episode per line."""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from stopwise.core.rules import OF_GOALS, Rules
from stopwise.core.scores import is_number
from stopwise.core.seeds import episode_seed
from stopwise.data.formats.text_file import Head
from stopwise.data.raw import RawTable, table_of_records
from stopwise.errors import InvalidInput, require
from stopwise.messages import LED_RACE, Notes, Setting, counted

name = "race"
EPISODE = ("policy", "row", "score")
DAMAGED = "the journal is damaged here"


def recognise(head: Head) -> bool:
    """Whether the first line says that it is the journal of a race."""
    return head.first_line.startswith('{"kind": "stopwise race"')


def read(head: Head) -> RawTable:
    """Return the episodes by their rows; failed ones count as the race last said."""
    path, notes = head.path, Notes()
    whole, _, torn = head.text().rpartition("\n")
    if torn:
        notes.add(f"{path}: the last line was cut off, and is left out", code="journal-cut")
    lines = [_object(path, *line) for line in enumerate(whole.splitlines(), start=1)]
    require(bool(lines) and isinstance(lines[0].get("race"), dict), f"{path}: no race is described")
    race = lines[0]["race"]
    try:
        check = JournalCheck(race, lines[0].get("on_error"))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{path}, line 1: {DAMAGED}") from error
    places: dict[tuple[int, str], tuple[str, dict[str, Any]]] = {}
    scene = ("seed",) if "scenes" in race else ()  # it tells the order of the race from the list's
    for number, line in enumerate(lines[1:], start=2):
        wrong = check(line)
        require(wrong is None, f"{path}, line {number}: {wrong}")
        if "score" in line:
            known = {key: line[key] for key in (*EPISODE, "task", *scene) if key in line}
            places[line["row"], line["policy"]] = f"line {number}", known
    kept = sorted(places.items(), key=lambda item: item[0][0])
    for _, (_, episode) in kept:
        if episode["score"] is None:
            episode["score"] = check.failure_score
    scored = [record for _, record in kept if record[1]["score"] is not None]
    if failed := len(kept) - len(scored):
        text = f"{path}: {counted(failed, 'failed episode')} left out"
        notes.add(text, code="failed-left-out")
    _note_rules(race, notes)
    roles = {"policy": "policy", "score": "score", "trial": "row"}
    if any("task" in episode for _, episode in scored):
        roles["task"] = "task"
        notes.add(
            "this race drew the task of each row at random: to repeat its verdict, ask for the "
            "mean with ",
            Setting("task_order", "random", words="tasks='mean' and task_order='random'"),
            code="race-tasks",
        )
    if race.get("design") == "paired":
        roles["block"] = "seed" if scene else "row"
    bounds = race.get("bounds")
    ranges = {"score": (float(bounds[0]), float(bounds[1]))} if isinstance(bounds, list) else {}
    return table_of_records(path, scored, roles=roles, bounds=ranges, notes=notes)


class JournalCheck:
    """Finds what is wrong with the lines of a journal, given the race in its first line.

    Raises TypeError or ValueError if that line itself is damaged.

    Attributes
    ----------
    joined
        Policies that joined, and after how many rows.
    failure_score
        What a failed episode counts as, by the last choice; None for nothing.
    """

    def __init__(self, race: Mapping[str, Any], on_error: object) -> None:
        self.joined: dict[str, int] = {}
        self.failure_score = _failure_score(on_error)
        self._race = race
        self._numbers: dict[str, int] = {name: n for n, name in enumerate(race.get("policies", ()))}
        self._paired = race.get("design") == "paired"
        if race.get("seed") is not None:
            episode_seed(race["seed"], 0, 0, paired=self._paired)
        # Where the leader is tried more often, its trials are more than the rows.
        n_max = race.get("n_max") if race.get("goal", Rules.goal) == Rules.goal else None
        self._n_max = math.inf if n_max is None else n_max
        bounds = race.get("bounds")
        self._low: float
        self._high: float
        self._low, self._high = (-math.inf, math.inf) if bounds is None else bounds
        if not (-math.inf <= self._low < self._high <= math.inf and self._n_max > 0):
            raise ValueError
        self._tasks = {key for key in race if key.startswith("task ")}
        self._scored: set[tuple[str, int]] = set()

    def __call__(self, line: Mapping[str, Any]) -> str | None:
        """Fault of the next line as a sentence, or None."""
        return next(self._faults(line), None)

    def _faults(self, line: Mapping[str, Any]) -> Iterator[str]:
        if line.keys() >= {*EPISODE}:
            yield from self._faults_of_episode(line)
        elif "score" in line or not line.keys() & {"joined", "resumed"}:
            yield "this is no episode of a race"
        elif "joined" in line:
            if not isinstance(line["joined"], str) or not _is_row(line.get("row")):
                yield DAMAGED
            self.joined[line["joined"]] = line["row"]
        else:
            try:
                self.failure_score = _failure_score(line.get("on_error"))
            except ValueError:
                yield DAMAGED

    def _faults_of_episode(self, episode: Mapping[str, Any]) -> Iterator[str]:
        policy, row, score = (episode[key] for key in EPISODE)
        is_open = not self._numbers  # a journal that does not tell who takes part
        if not isinstance(policy, str) or not (is_open or policy in self._numbers):
            yield f"the policy {policy!r} takes no part in this race"
        if not _is_row(row):
            yield f"the row must be a whole number of at least 0, but is {row!r}"
        if row >= self._n_max:
            yield f"row {row} cannot be: the race has {self._n_max} rows, from 0 on"
        if (policy, row) in self._scored:
            yield f"{policy!r} has a score in row {row} already"
        error, seed_read = episode.get("error"), episode.get("seed")
        if (score is None) == (error is None):
            yield f"an episode has a score or an error, but this has {score!r} and {error!r}"
        if score is not None and not is_number(score):
            yield f"the score must be a finite number, but is {score!r}"
        seed, scenes = self._race.get("seed"), self._race.get("scenes")
        if seed is not None and not is_open:
            if scenes is None:
                seed = episode_seed(seed, row, self._numbers[policy], paired=self._paired)
            else:
                seed = scenes[policy][row] if row < len(scenes[policy]) else None
            if seed_read != seed:
                yield f"the seed of {policy!r} in row {row} must be {seed}, but is {seed_read!r}"
        task = episode.get("task")
        if not (is_open or (f"task {task!r}" in self._tasks if self._tasks else task is None)):
            yield f"the task {task!r} is not of this race"
        # One outside the bounds stopped the race, and may have been run anew.
        if score is not None and self._low <= score <= self._high:
            self._scored.add((policy, row))


def _note_rules(race: dict[str, Any], notes: Notes) -> None:
    """Note the rules of the race, since an analysis does not adopt them."""
    usual = {key: getattr(Rules, key) for key in ("method", "n_max", "alpha", "list_size")}
    declared = [Setting(key, race[key]) for key in usual if race.get(key, usual[key]) != usual[key]]
    if declared:
        parts = [part for word in declared for part in (", ", word)][1:]
        notes.add("to repeat the verdict of this race, analyse it with ", *parts, code="race-rules")
    goal = race.get("goal", Rules.goal)
    if "allocation" in OF_GOALS.get(goal, ()) and "allocation" not in race:  # the leader, as usual
        notes.add(
            "this race tried the leading policy more often: to repeat its verdict, ask for the "
            "best with ",
            Setting("goal", "best"),
            code=LED_RACE,
        )


def _failure_score(on_error: object) -> float | None:
    """Number in "score:NUMBER"; None for any other choice."""
    kind, _, score = str(on_error).partition(":")
    return float(score) if kind == "score" else None


def _is_row(row: object) -> bool:
    return isinstance(row, int) and not isinstance(row, bool) and row >= 0


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"{path}, line {number}: {DAMAGED}") from error
    require(isinstance(content, dict), f"{path}, line {number}: {DAMAGED}")
    return dict(content)
