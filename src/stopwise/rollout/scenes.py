"""The mean of a cheap simulator that accompanies a race: many episodes of its own beforehand."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.pair_rules import with_scenes
from stopwise.core.progress import watched
from stopwise.core.rules import Rules
from stopwise.core.scores import require_whole
from stopwise.core.seeds import scene_seed
from stopwise.errors import StopwiseError, require
from stopwise.messages import counted
from stopwise.rollout.episode import Ticket
from stopwise.rollout.executors import Executor
from stopwise.rollout.worker import Setup

KNOWN = ("proxy_mean", "proxy_share", "proxy_batches")


def proxy_mean(
    place: Executor,
    setup: Setup,
    settings: Mapping[str, Any],
    begun: Mapping[str, Any],
    *,
    seed: int,
    scenes: int,
) -> dict[str, Any]:
    """Return what is known of the proxy's mean: declared, recorded, or from scenes run now."""
    declared = {name: settings.get(name) for name in KNOWN}
    require(
        setup.proxy is not None or not any(declared.values()),
        "proxy_mean and proxy_share need proxy, a cheap simulator alongside the environment",
        parameter="proxy",
    )
    if setup.proxy is None:
        return {}
    text = "a proxy belongs to one task, but several were given"
    require(not isinstance(setup.env, Mapping), text, parameter="proxy")
    if declared["proxy_mean"] is not None:
        return declared
    if "proxy_mean" in begun:
        return {name: begun[name] for name in declared if name in begun}
    own = {name: value for name, value in settings.items() if name not in declared}
    rules = Rules.of(policies=tuple(setup.policies), **own)
    known: Any = dict.fromkeys(rules.policies, 0.0)
    replace(rules, proxy_mean=known)  # rules that take no proxy are refused before anything is run
    simulator = replace(setup, env=setup.proxy, proxy=None)
    scores = simulated_scenes(place, simulator, seed, require_whole(scenes, "proxy_scenes", 2))
    found = with_scenes(rules, scores, declared["proxy_share"])
    return {name: getattr(found, name) for name in declared}


def simulated_scenes(place: Executor, setup: Setup, seed: int, scenes: int) -> Floats:
    """Return scores (scenes, policies) of all policies in scenes apart from those of the race.

    The simulator is the environment of the setup. Their seeds are on a branch of that of the race.
    """
    columns = {policy: column for column, policy in enumerate(setup.policies)}
    scores, total, done = np.full((scenes, len(columns)), np.nan), scenes * len(columns), 0
    tickets: Iterator[Ticket] = (
        Ticket(policy, scene, scene_seed(seed, scene))
        for scene in range(scenes)
        for policy in columns
    )
    place.open(setup)
    try:
        with watched(f"{counted(total, 'episode')} of the proxy, for its mean") as progress:
            while done < total:
                place.submit(list(islice(tickets, place.room)))
                for episode in place.collect():
                    if episode.score is None:
                        where = f"{episode.policy!r}, seed {episode.seed}"
                        raise StopwiseError(f"the proxy failed ({where}): {episode.error}")
                    scores[episode.row, columns[episode.policy]] = episode.score
                    done += 1
                progress(done, total)
    finally:
        place.close()
    return scores
