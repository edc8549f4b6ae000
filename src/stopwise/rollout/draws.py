"""What a race draws from its seed: the tasks of episodes, and the order of a list of scenes."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from stopwise.core.scores import MOST_TRIALS, require_whole
from stopwise.core.seeds import SEED_BITS, task_draw
from stopwise.errors import InvalidInput, require
from stopwise.rows.task_mean import task_at

Scenes = int | Sequence[int] | str | Path


def drawn_task(
    seed: int, shares: Mapping[str, float], row: int, policy: int, *, paired: bool
) -> str:
    """Return the task of an episode, drawn by its shares: one for all policies of a row if paired.

    Examples
    --------
    >>> from stopwise.rollout.draws import drawn_task
    >>> shares = {"reach": 0.75, "push": 0.25}
    >>> [drawn_task(7, shares, row, 0, paired=True) for row in range(4)]
    ['reach', 'push', 'push', 'reach']
    """
    return task_at(shares, task_draw(seed, row, policy, paired=paired))


def listed_scenes(given: Scenes) -> list[int]:
    """Return the seeds of the scenes of a list.

    Given is how many, for the seeds from 0 on; the seeds; or the file with one on each line.
    """
    if isinstance(given, str | Path):
        given = _read(Path(given))
    elif not isinstance(given, Iterable):
        given = range(require_whole(given, "scenes", 1, MOST_TRIALS))
    scenes = [require_whole(scene, "a scene", 0) for scene in given]
    require(len(scenes) > 0, "there must be a scene", parameter="scenes")
    require(max(scenes) < 2**SEED_BITS, f"seeds of scenes have {SEED_BITS} bits, but got one above")
    require(len({*scenes}) == len(scenes), "a scene is in the list twice", parameter="scenes")
    return scenes


def _read(path: Path) -> list[int]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return [int(line) for line in lines if line.strip()]
    except OSError as error:
        raise InvalidInput(f"{path}: the scenes cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InvalidInput(f"{path}: each line must be the seed of a scene: {error}") from error
