"""Text logs of evaluations: LIBERO's of openvla and openpi, of Isaac-GR00T, and of one's own."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from stopwise.data.formats.text_file import Head
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.errors import InvalidInput, require
from stopwise.messages import Notes

name = "text-log"
# A logger may put its own words before them: "INFO:root:Success: True".
PREFIX = r"^(?:\S.*[\s:\]])?"
TASK = re.compile(PREFIX + r"Task: (?P<task>.*\S)")
SUCCESS = re.compile(PREFIX + r"Success:(?P<outcome>.*)")
# "Episode 3: Success", "[Trial 12/50] failed", "Rollout #4 - SUCCESS (120 steps)".
START = r"^(?:.*[\s:\]\[(])?(?:episode|trial|rollout|ep)[\s#=]*(?P<episode>\d++)"
EPISODE = re.compile(
    START + r"(?:\s*/\s*\d++)?\s*[\])]?"
    r"(?:.*\bsuccess\s*[:=]\s*|\s*(?:[:|,-]|=>|->)?\s*(?:result|outcome|success|status)?\s*[:=]?\s*)"
    r"(?P<outcome>success(?:ful|ed)?|succeeded|fail(?:ure|ed)?|true|false|passed|[01])\b"
    r"(?![.%]|\s+rate)",
    re.IGNORECASE,
)
# A line about an episode that says how it ended in some other word.
OTHER = re.compile(
    START + r"\b(?:.*\b(?:result|outcome|status)\s*[:=]\s*|\s*(?::|->|=>)\s*)"
    r"(?P<outcome>[a-z][a-z_-]+)\W*$",
    re.IGNORECASE,
)
# What Isaac-GR00T prints at the end: the environment, the successes, and what else it measured.
GROOT = re.compile(r"^results:\s+\((?P<content>.*?)\)?\s*$")
NUMPY = re.compile(r"np\.(?:bool_|float\d+|int\d+)\(([^()]*)\)|np\.(True|False)_")
GOOD = ("success", "succeeded", "true", "passed", "1")
Found = tuple[str, dict[str, object]]


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
    if ends:
        episodes = [episode for number, end in ends for episode in _groot(path, number, end)]
    else:
        episodes = list(_by_line(path, lines))
    roles = {"score": "success", "success": "success"}
    known = {"task": "task", "trial": "episode"}
    roles |= {
        role: column for role, column in known.items() if episodes and column in episodes[0][1]
    }
    return table_of_records(path, episodes, roles=roles, bounds={"success": UNIT}, notes=notes)


def _by_line(path: Path, lines: list[str]) -> Iterator[Found]:
    """Yield the episodes of LIBERO, each below its task, or those that lines name by number."""
    task: dict[str, object] = {}
    libero = any(map(SUCCESS.match, lines))
    known = {match["episode"] for match in map(EPISODE.match, lines) if match}
    for number, line in enumerate(lines, start=1):
        place, line_of_file = f"line {number}", f"{path}, line {number}"
        if match := TASK.match(line):
            task = {"task": match["task"]}
        elif libero and (match := SUCCESS.match(line)):
            require(bool(task), f"{line_of_file}: a success before any 'Task:' line")
            word = next(iter(match["outcome"].split()), "").rstrip(",;")
            require(
                word in ("True", "False"),
                f"{line_of_file}: 'Success:' must be followed by True or False, but got "
                f"{match['outcome'].strip()[:40]!r}",
            )
            yield place, {**task, "success": word == "True"}
        elif not libero and (match := EPISODE.match(line)):
            success = match["outcome"].lower().startswith(GOOD)
            yield place, {**task, "episode": int(match["episode"]), "success": success}
        elif not libero and (match := OTHER.match(line)) and match["episode"] not in known:
            raise InvalidInput(
                f"{line_of_file}: {match['outcome']!r} says neither success nor failure of episode "
                f"{match['episode']}: write one of them"
            )


def _groot(path: Path, number: int, end: re.Match[str]) -> Iterator[Found]:
    """Yield the episodes of a run, in the order in which they were completed."""
    text = NUMPY.sub(lambda match: match[1] or match[2], end["content"])
    try:
        task, successes, *more = ast.literal_eval(f"({text})")
        measures = {key: list(values) for key, values in (more[0] if more else {}).items()}
        for index, success in enumerate(successes):
            facts = {key: values[index] for key, values in measures.items()}
            known = {**facts, "task": str(task), "success": bool(success)}
            yield f"line {number}, episode {index}", known
    except (ValueError, SyntaxError, TypeError, IndexError, AttributeError) as error:
        raise InvalidInput(
            f"{path}, line {number}: the results must be (environment, [successes], measures); "
            "the line may be cut off"
        ) from error
