"""Random draws: unforeseeable, balanced, and saying nothing of what is behind them."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import stopwise as sw
from stopwise.study.blinding import Draws, new_secret
from stopwise.study.events import Locked, Unblinded
from stopwise.study.study_plan import Conditions
from tests.study.live import locked, take

POLICIES = ["alpha-policy", "beta-policy", "gamma-policy", "delta-policy"]


def test_codes_are_distinct_and_grow_when_they_run_out() -> None:
    lots = Draws("secret", 0)
    codes: dict[str, int] = {}
    for number in range(5000):
        codes[lots.code(codes, "trial", number)] = number

    lengths = Counter(map(len, codes))
    assert set(lengths) == {3, 4}
    assert lengths[3] == 24**3 // 4


def test_every_order_is_equally_likely() -> None:
    orders = Counter("".join(Draws(new_secret(), 0).shuffled("abc", "row", 1)) for _ in range(6000))

    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())


def test_listed_conditions_come_equally_often_and_drawn_ones_within_their_range() -> None:
    lots = Draws("secret", 0)
    listed = Conditions(listed=("left", "right", "middle"))
    drawn = Conditions(drawn={"x": (0.0, 0.3), "angle": (-180.0, 180.0)})

    assert Counter(lots.condition(listed, draw, "t", in_turn=True) for draw in range(30)) == {
        "left": 10,
        "right": 10,
        "middle": 10,
    }
    texts = {str(lots.condition(drawn, draw, "t", in_turn=True)) for draw in range(100)}
    assert len(texts) > 90
    for text in texts:
        x, angle = (float(part.split(" = ")[1]) for part in text.split(", "))
        assert 0 <= x <= 0.3
        assert -180 <= angle <= 180


def test_conditions_of_independent_trials_are_independent(tmp_path: Path) -> None:
    """Gone through in turn, a policy would never start twice in a row of two from the same place.

    Then even equal policies would not have equal means given the past, which the proof asks for.
    """
    task = {"name": "stack", "conditions": {"listed": ["left", "right"]}}
    study = locked(tmp_path / "s", tasks=[task], method="wsr")
    found: dict[str, list[str | None]] = {"old": [], "new": []}
    for _ in range(160):
        trial = take(study, "arm")
        found[study.resolve(trial.code).policy].append(trial.condition)
        study.record(trial.trial, True, station="arm")

    same = sum(seen[row] == seen[row + 1] for seen in found.values() for row in range(0, 80, 2))
    assert 22 < same < 58  # of 80; P < 1e-4 outside of this


def test_nothing_that_an_operator_sees_names_a_policy(tmp_path: Path) -> None:
    study = locked(tmp_path / "s", policies=POLICIES)
    seen = []
    for _ in range(8):
        trial = take(study)
        seen.append(str(trial))
        seen.append(str(study.record(trial.trial, True, station="left")))
    for act in (
        lambda: study.record(1, True, station="left"),
        lambda: study.record(99, True, station="left"),
        lambda: study.next_trial("left", task="nonsense"),
        lambda: study.record(1, True, station="right"),
        lambda: study.resolve("nonsense"),
        lambda: study.correct(9, True, "slipped"),
    ):
        try:
            act()
        except sw.StopwiseError as error:
            seen.append(str(error))
    seen += [str(study.verdict()), str(study.verdict().to_dict()), str(study.status())]
    seen += [str(study.records().rows()), str(study.trials().frame.rows())]
    seen += [str(entry) for entry in study.journal() if entry.kind != "locked"]

    assert not [text for text in seen if "policy" in text and "-policy" in text]


def test_draws_differ_by_secret_seed_and_purpose() -> None:
    """Sabotage that fails it: leave the secret, the seed or the purpose out of a draw or a salt."""
    items = [str(number) for number in range(30)]
    lots = [Draws("one", 0), Draws("two", 0), Draws("one", 1)]
    orders = {tuple(one.shuffled(items, purpose)) for one in lots for purpose in ("row", "label")}
    assert len(orders) == 6
    salts = {
        one.salt(kind, trial) for one in lots for kind in ("trial", "score") for trial in items
    }
    assert len(salts) == 3 * 2 * 30


def test_the_secret_that_is_revealed_is_the_one_that_was_committed_to(tmp_path: Path) -> None:
    """As anyone can check who has the journal alone.

    Sabotage that fails it: a commitment to anything else than the secret in ``Draws.commitment``.
    """
    with locked(tmp_path / "study") as study:
        study.unblind()
        events = {entry.kind: entry.event for entry in study.journal()}

    frozen, revealed = events["locked"], events["unblinded"]
    assert isinstance(frozen, Locked)
    assert isinstance(revealed, Unblinded)
    assert frozen.commitment == hashlib.sha256(revealed.secret.encode()).hexdigest()
    assert (
        frozen.digest
        == hashlib.sha256(
            json.dumps(frozen.plan, sort_keys=True, separators=(",", ":")).encode()
        ).hexdigest()
    )


def test_the_first_trial_of_a_row_is_drawn_anew_for_each_row(tmp_path: Path) -> None:
    """Fails by chance once in 100,000 times.

    Sabotage that fails it: ``opens[0]`` in place of the first of a random order in ``_new_row``.
    """
    first = Counter[str]()
    with locked(tmp_path / "study", design="blocks", n_max=60) as study:
        for number in range(80):
            trial = take(study)
            if number % 2 == 0:
                first[study.resolve(trial.code).policy] += 1
            study.record(trial.trial, number % 4 < 2, station="left")

    assert sum(first.values()) == 40
    assert min(first["old"], first["new"]) >= 6
