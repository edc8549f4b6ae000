"""What the names of files and folders say: the policy, its parts, its seed, the job that ran it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

# File names that tools always use, so that only the folder tells policies apart.
COMMON_STEMS = frozenset(
    (
        *("eval_info", "eval_results", "evaluations", "metadata", "monitor", "results"),
        *("eval_log", "eval_logs", "eval", "metrics", "eval_metrics", "stats", "summary", "result"),
    )
)
# Parts of one run: "rank_0", "results_rank3", "shard-00001-of-00008", "episode_12".
PART = re.compile(
    r"^(?P<stem>.*?)[ ._-]*(rank|shard|part|worker|process|proc|chunk|gpu|device|node|batch"
    r"|episode|ep|trial|rollout|sample|seed)[ ._-]?\d+([ ._-]?of[ ._-]?\d+)?$",
    re.IGNORECASE,
)
SEED = re.compile(r"(?:^|[ ._-])seed[ ._=-]?(\d+)$", re.IGNORECASE)
OVERRIDES = Path(".hydra", "overrides.yaml")
# Overrides that say which run or task a job is, and nothing of the policy.
OF_RUN = {
    **dict.fromkeys(("seed", "train_seed", "training_seed"), "seed"),
    **dict.fromkeys(("task", "task_name", "env", "env_name", "env_id", "suite"), "task"),
}


class Job(NamedTuple):
    """A job of a Hydra multirun: what its overrides say of the policy, and of all its trials."""

    policy: str
    facts: Mapping[str, str]


def name_of(path: Path) -> str:
    """Return the policy that a file is named after, or its folder where tools name the file."""
    stem = Path(path.name.removesuffix(".gz")).stem.removesuffix(".monitor")
    part = PART.fullmatch(stem)
    stem = (part["stem"] if part and path.is_file() else stem).strip(" ._-")
    is_common = not stem or stem.lower() in COMMON_STEMS or stem.isdigit()
    return path.resolve().parent.name if is_common or stem.startswith("results-") else stem


def name_within(path: Path, folder: Path) -> str:
    """Name of a file within a folder, without part numbers and usual names."""
    *above, stem = path.relative_to(folder).with_suffix("").parts
    stem = stem.removesuffix(".monitor")
    usual = stem if stem.lower() in COMMON_STEMS else ""
    names = above if usual else [*above, stem]
    kept = [part["stem"] if (part := PART.fullmatch(name)) else name for name in names]
    return "/".join(name for name in kept if name and not name.isdigit()) or usual


def in_number_order(path: Path | str) -> list[str | int]:
    """Sort key that puts ``ep_2`` before ``ep_10``."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", str(path))]


def seed_of(path: Path) -> dict[str, str]:
    """Return the training seed that the name of a file, or of its folder, ends with."""
    seed = SEED.search(path.stem) or SEED.search(path.parent.name)
    return {"seed": seed[1]} if seed else {}


def about_jobs(folder: Path) -> dict[Path, Job]:
    """Return the jobs of Hydra beneath a folder, named by the overrides in which they differ."""
    jobs = {file.parent.parent: _overrides(file) for file in _override_files(folder)}
    roles = {
        key: OF_RUN.get(key.rpartition(".")[2].lower())
        for overrides in jobs.values()
        for key in overrides
    }
    differ = [key for key in roles if len({overrides.get(key) for overrides in jobs.values()}) > 1]
    named = [key for key in differ if roles[key] is None]
    named_jobs = {}
    for place, overrides in jobs.items():
        words = [f"{key}={overrides.get(key, '')}" for key in named]
        one = overrides.get(named[0], "") if len(named) == 1 else ",".join(words)
        facts = {role: overrides[key] for key in overrides if (role := roles[key]) is not None}
        named_jobs[place] = Job(one or folder.resolve().name, facts)
    return named_jobs


def _override_files(folder: Path) -> Iterator[Path]:
    for place in sorted(folder.glob("*")):
        if place.is_dir() and not place.name.startswith("."):
            if (place / OVERRIDES).is_file():
                yield place / OVERRIDES
            else:
                yield from _override_files(place)


def _overrides(file: Path) -> dict[str, str]:
    import yaml

    content: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    parts = [str(item).partition("=") for item in content] if isinstance(content, list) else []
    return {key.lstrip("+~"): value for key, equals, value in parts if equals}
