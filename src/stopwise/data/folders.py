"""What the names of files and folders say: policy, part, seed, and the job that ran it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# File names that tools always use, so that only the folder tells policies apart.
COMMON_STEMS = {
    *("eval_info", "eval_results", "evaluations", "metadata", "monitor", "results"),
    *("eval_log", "eval_logs", "eval", "metrics", "eval_metrics", "stats", "summary", "result"),
}
# Parts of one run: "rank_0", "results_rank3", "shard-00001-of-00008", "episode_12".
PART = re.compile(
    r"^(?P<stem>.*?)[ ._-]*(rank|shard|part|worker|process|proc|chunk|gpu|device|node|batch"
    r"|episode|ep|trial|rollout|sample|seed)[ ._-]?(?P<number>\d+)([ ._-]?of[ ._-]?\d+)?$",
    re.IGNORECASE,
)
SEED = re.compile(r"(?:^|[ ._-])seed[ ._=-]?(\d+)$", re.IGNORECASE)
OVERRIDES = Path(".hydra", "overrides.yaml")
# Overrides that say which run or task a job is, and nothing of the policy.
OF_SEED = ("seed", "train_seed", "training_seed")
OF_TASK = ("task", "task_name", "env", "env_name", "env_id", "suite")


@dataclass(frozen=True)
class Job:
    """A job of a Hydra multirun: what its overrides say of the policy, and of all its trials."""

    policy: str
    facts: Mapping[str, str]


def name_of(path: Path) -> str:
    """Return the policy that a file is named after, or its folder where tools name the file."""
    stem = Path(path.name.removesuffix(".gz")).stem.removesuffix(".monitor")
    part = PART.fullmatch(stem)
    stem = part["stem"] if part and path.is_file() and part["number"] else stem
    stem = stem.strip(" ._-")
    is_common = not stem or stem.lower() in COMMON_STEMS or stem.isdigit()
    return path.resolve().parent.name if is_common or stem.startswith("results-") else stem


def name_within(path: Path, folder: Path) -> str:
    """Name of a file within a folder, without part numbers and usual names."""
    *above, stem = path.relative_to(folder).with_suffix("").parts
    stem = stem.removesuffix(".monitor")
    names = [*above, *([] if stem.lower() in COMMON_STEMS else [stem])]
    kept = [part["stem"] if (part := PART.fullmatch(name)) else name for name in names]
    usual = stem if stem.lower() in COMMON_STEMS else ""
    return "/".join(name for name in kept if name and not name.isdigit()) or usual


def in_number_order(path: Path | str) -> list[str | int]:
    """Sort key that puts ``ep_2`` before ``ep_10``."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", str(path))]


def seed_of(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the training seed that the name of a file, or of its folder, ends with."""
    match = SEED.search(path.stem) or SEED.search(path.parent.name)
    return (("seed", match[1]),) if match else ()


def about_jobs(folder: Path) -> dict[Path, Job]:
    """Return the jobs of Hydra beneath a folder, named by the overrides in which they differ."""
    jobs = {file.parent.parent: dict(_overrides(file)) for file in _override_files(folder)}
    if not jobs:
        return {}
    keys = dict.fromkeys(key for overrides in jobs.values() for key in overrides)
    of_run = {key for key in keys if key.rpartition(".")[2].lower() in (*OF_SEED, *OF_TASK)}
    varying = [key for key in keys if len({overrides.get(key) for overrides in jobs.values()}) > 1]
    named = [key for key in varying if key not in of_run]
    jobs_by_place = {}
    for place, overrides in jobs.items():
        words = [f"{key}={overrides.get(key, '')}" for key in named]
        one = overrides.get(named[0], "") if len(named) == 1 else ",".join(words)
        facts = {}
        for key in of_run & overrides.keys():
            seed = key.rpartition(".")[2].lower() in OF_SEED
            facts["seed" if seed else "task"] = overrides[key]
        jobs_by_place[place] = Job(one or folder.resolve().name, facts)
    return jobs_by_place


def _override_files(folder: Path) -> Iterator[Path]:
    for place in sorted(folder.glob("*")):
        if place.is_dir() and not place.name.startswith("."):
            if (place / OVERRIDES).is_file():
                yield place / OVERRIDES
            else:
                yield from _override_files(place)


def _overrides(file: Path) -> Iterator[tuple[str, str]]:
    import yaml

    content: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    for override in content if isinstance(content, list) else []:
        key, equals, value = str(override).partition("=")
        if equals:
            yield key.lstrip("+~"), value
