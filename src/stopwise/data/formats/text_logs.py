"""Text logs of evaluations: LIBERO's of openvla and openpi, of Isaac-GR00T, and of one's own."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from stopwise.data.formats.text_file import Head
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.errors import InvalidInput
from stopwise.messages import Notes

name = "text-log"
# A logger may put its own words before them: "INFO:root:Success: True".
PREFIX = r"^(?:\S.*[\s:\]])?"
TASK = re.compile(PREFIX + r"Task: (?P<task>.*\S)")
SUCCESS = re.compile(PREFIX + r"Success:(?P<outcome>.*)")
# "Episode 3: Success", "[Trial 12/50] failed", "Rollout #4 - SUCCESS (120 steps)".
EPISODE = re.compile(
    r"^(?:.*[\s:\]\[(])?(?:episode|trial|rollout|ep)[\s#=]*(?P<episode>\d++)(?:\s*/\s*\d++)?\s*[\])]?"
    r"(?:.*\bsuccess\s*[:=]\s*|\s*(?:[:|,-]|=>|->)?\s*(?:result|outcome|success|status)?\s*[:=]?\s*)"
    r"(?P<outcome>success(?:ful|ed)?|succeeded|fail(?:ure|ed)?|true|false|passed|[01])\b"
    r"(?![.%]|\s+rate)",
    re.IGNORECASE,
)
# A line about an episode that says how it ended in some other word.
OTHER = re.compile(
    r"^(?:.*[\s:\]\[(])?(?:episode|trial|rollout|ep)[\s#=]*(?P<episode>\d++)\b"
    r"(?:.*\b(?:result|outcome|status)\s*[:=]\s*|\s*(?::|->|=>)\s*)(?P<outcome>[a-z][a-z_-]+)\W*$",
    re.IGNORECASE,
)
# What Isaac-GR00T prints at the end: the environment, the successes, and what else it measured.
GROOT = re.compile(r"^results:\s+\((?P<content>.*?)\)?\s*$")
NUMPY = re.compile(r"np\.(?:bool_|float\d+|int\d+)\(([^()]*)\)|np\.(True|False)_")
GOOD = ("success", "succeeded", "true", "passed", "1")


def recognise(head: Head) -> bool:
    """Whether there are lines of one of the kinds."""
    if head.first_line.lstrip().startswith(("{", "[{")):
        return False
    lines = head.lines
    libero = any(map(TASK.match, lines)) and any(map(SUCCESS.match, lines))
    groot = any(map(GROOT.match, lines)) or any("Running collecting" in line for line in lines)
    return libero or groot or sum(1 for line in lines if EPISODE.match(line)) >= 2


def read(head: Head) -> RawTable:
    """Return the success (the score) of each episode."""
    notes, path = Notes(), head.path
    lines = head.whole_lines(notes).splitlines()
    ends = [(number, end) for number, line in enumerate(lines, 1) if (end := GROOT.match(line))]
    episodes = [episode for number, end in ends for episode in _groot(path, number, end)]
    if not ends:
        libero = any(map(SUCCESS.match, lines))
        episodes = list(_libero(path, lines) if libero else _numbered(path, lines))
    roles = {"score": "success", "success": "success"}
    roles |= {role: role for role in ("task", "episode") if episodes and role in episodes[0][1]}
    roles |= {"trial": roles.pop("episode")} if "episode" in roles else {}
    return table_of_records(path, episodes, roles=roles, bounds={"success": UNIT}, notes=notes)


def _libero(path: Path, lines: list[str]) -> Iterator[tuple[str, dict[str, object]]]:
    task: str | None = None
    for number, line in enumerate(lines, start=1):
        if match := TASK.match(line):
            task = match["task"]
        elif match := SUCCESS.match(line):
            if task is None:
                raise InvalidInput(f"{path}, line {number}: a success before any 'Task:' line")
            word = next(iter(match["outcome"].split()), "").rstrip(",;")
            if word not in ("True", "False"):
                raise InvalidInput(
                    f"{path}, line {number}: 'Success:' must be followed by True or False, "
                    f"but got {match['outcome'].strip()[:40]!r}"
                )
            yield f"line {number}", {"task": task, "success": word == "True"}


def _numbered(path: Path, lines: list[str]) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the episodes with their outcomes; one that ended in another word has that word."""
    task: str | None = None
    known = {int(match["episode"]) for match in map(EPISODE.match, lines) if match}
    for number, line in enumerate(lines, start=1):
        if match := TASK.match(line):
            task = match["task"]
        about: dict[str, object] = {} if task is None else {"task": task}
        if match := EPISODE.match(line):
            success = match["outcome"].lower().startswith(GOOD)
            yield f"line {number}", {**about, "episode": int(match["episode"]), "success": success}
        elif (match := OTHER.match(line)) and int(match["episode"]) not in known:
            raise InvalidInput(
                f"{path}, line {number}: {match['outcome']!r} says neither success nor failure of "
                f"episode {match['episode']}: write one of them"
            )


def _groot(path: Path, number: int, end: re.Match[str]) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the episodes of a run, in the order in which they were completed."""
    text = NUMPY.sub(lambda match: match[1] or match[2], end["content"])
    try:
        task, successes, *more = ast.literal_eval(f"({text})")
        measures = {key: list(values) for key, values in (more[0] if more else {}).items()}
        for index, success in enumerate(successes):
            facts = {key: values[index] for key, values in measures.items()}
            yield (
                f"line {number}, episode {index}",
                {
                    **facts,
                    "task": str(task),
                    "success": bool(success),
                },
            )
    except (ValueError, SyntaxError, TypeError, IndexError, AttributeError) as error:
        raise InvalidInput(
            f"{path}, line {number}: the results must be (environment, [successes], measures); "
            "the line may be cut off"
        ) from error
