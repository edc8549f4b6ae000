"""A fixed list of scenes, each the seed of an environment, tried once in an order drawn before."""

from collections.abc import Sequence
from pathlib import Path

from stopwise.core.scores import require_whole
from stopwise.core.seeds import SEED_BITS, scene_order
from stopwise.errors import InvalidInput, require

Scenes = int | Sequence[int] | str | Path


def drawn_scenes(given: Scenes, seed: int) -> list[int]:
    """Return the seeds of the scenes in the order in which a race with this seed tries them.

    Parameters
    ----------
    given
        How many, for the seeds from 0 on; or the seeds; or the file that has one on each line.
    seed
        That of the race.
    """
    if isinstance(given, str | Path):
        scenes = _read(Path(given))
    elif isinstance(given, int):
        scenes = list(range(require_whole(given, "scenes", 1)))
    else:
        scenes = [require_whole(own, "a scene", 0) for own in given]
    require(len(scenes) > 0, "there must be a scene", parameter="scenes")
    require(max(scenes) < 2**SEED_BITS, f"seeds of scenes have {SEED_BITS} bits, but got one above")
    require(len({*scenes}) == len(scenes), "a scene is in the list twice", parameter="scenes")
    return [scenes[place] for place in scene_order(seed, len(scenes))]


def _read(path: Path) -> list[int]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return [int(line) for line in lines if line.strip()]
    except OSError as error:
        raise InvalidInput(f"{path}: the scenes cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InvalidInput(f"{path}: each line must be the seed of a scene: {error}") from error
