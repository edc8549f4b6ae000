"""A simulator's scores in a study: fixed before it, drawn with the start states, and named."""

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import httpx
import numpy as np
import polars as pl
import pytest
from scipy.stats import chisquare

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.errors import InvalidInput, NotAllowed
from stopwise.study.blinding import Lots, new_secret
from stopwise.study.plan_file import yaml_text
from stopwise.study.plan_parts import Conditions
from tests.cli import typed
from tests.guarantees.pinned import assert_at_most
from tests.study.live import take
from tests.study.plans import plan
from tests.web.serving import served

STATES = ("left", "middle", "right", "far")
SIM = {
    "left": {"old": 0.9, "new": 0.3},
    "middle": {"old": 0.25, "new": 0.85},
    "right": {"old": 0.1, "new": 0.9},
    "far": {"old": 0.05, "new": 0.45},
}
MEAN = 0.3  # of new - old over the four
BLOCKS: dict[str, Any] = {"design": "blocks", "n_max": 30}
SIMULATED = plan(**BLOCKS, proxy={"stack": SIM})


def episodes() -> pl.DataFrame:
    """Return two simulated episodes of each policy from each state, and some that nobody needs."""
    return pl.DataFrame(
        [
            {"policy": policy, "start": state, "sim": score + off}
            for state, scores in SIM.items()
            for policy, score in {**scores, "other": 0.5}.items()
            for off in (-0.05, 0.05)
        ]
    )


def succeeds(rng: np.random.Generator, policy: str, state: str | None) -> bool:
    return bool(rng.random() < 0.2 + 0.6 * SIM[str(state)][policy])


def run(study: sw.Study, trials: int = 500, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        trial = study.next_trial("one")
        if trial is None:
            break
        policy = study.resolve(trial.code).policy
        study.record(trial.trial, succeeds(rng, policy, trial.condition))


def test_a_study_says_what_a_stream_says_row_by_row(tmp_path: Path) -> None:
    study = sw.Study.create(tmp_path / "study", SIMULATED)
    study.lock()
    test = sw.SequentialTest(
        n_max=30,
        design="paired",
        alternative="two-sided",
        ties="strict",
        proxy=True,
        proxy_mean=MEAN,
    )
    rng, rows = np.random.default_rng(1), 0
    while study.next_trial("one") is not None:
        scores, state = {}, None
        for _ in SIM["left"]:
            trial = take(study, "one")
            policy, state = study.resolve(trial.code).policy, str(trial.condition)
            scores[policy] = float(succeeds(rng, policy, state))
            study.record(trial.trial, bool(scores[policy]))
        sim = SIM[str(state)]
        verdict = test.update(scores["old"], scores["new"], proxy=(sim["old"], sim["new"]))
        rows += 1
        (found,) = study.verdict().tasks
        assert found.pairs[0].p_value == pytest.approx(verdict.p_value, rel=1e-9)
        assert found.decided == verdict.decided
    assert rows > 5
    study.unblind()
    ((low, high),) = [pair.interval for pair in study.analyses()["stack"].pairs]
    # Labels are in random order, so policy 0 of the pair may be either.
    ends = sorted(map(abs, (low, high)))
    assert ends == pytest.approx(sorted(map(abs, verdict.interval)), abs=1e-9)
    # The table has all that a file needs, and says the same.
    means = {name: fmean(SIM[state][name] for state in STATES) for name in ("old", "new")}
    again = sw.analyze(study.trials(), proxy="proxy", proxy_mean=means, n_max=30)
    assert again.sentence == study.analyses()["stack"].sentence
    assert again.pairs[0].n == rows


def test_it_saves_trials_where_the_state_decides() -> None:
    rng = np.random.default_rng(3)
    outcome = rng.random((2, 40)) < np.array([[0.4], [0.7]])
    simulated = np.where(rng.random(outcome.shape) < 0.9, outcome, ~outcome) * 1.0
    drawn = rng.integers(40, size=(300, 100))
    r0, r1 = (np.where(rng.random(drawn.shape) < 0.9, own[drawn], 0.0) * 1.0 for own in outcome)
    g0, g1 = (own[drawn] for own in simulated)
    known: dict[str, Any] = {"n_max": 100, "design": "paired", "workers": 1}
    mean = float((simulated[1] - simulated[0]).mean())
    found = sw.simulate("nscore-plus", r0, r1, proxy=(g0, g1), proxy_mean=mean, **known)

    assert found.n.mean() < 0.8 * sw.simulate("nscore-plus", r0, r1, **known).n.mean()


def drawn_states(rows: int, *, in_turn: bool = False) -> list[str | None]:
    lots, conditions = Lots(new_secret(), 0), Conditions(listed=STATES)
    return [
        lots.condition(conditions, row, "block", "stack", in_turn=in_turn) for row in range(rows)
    ]


def assert_independent(states: list[str | None]) -> None:
    """Fail if a state tells of the next: all pairs of neighbours must be equally frequent."""
    pairs = list(zip(states[::2], states[1::2], strict=True))
    counts = [pairs.count((one, other)) for one in STATES for other in STATES]
    assert chisquare(counts).pvalue > 1e-6


def test_states_are_drawn_afresh_for_each_row(tmp_path: Path) -> None:
    """The proof needs the mean of the list given all rows before; in turn, it is not."""
    study = sw.Study.create(tmp_path / "study", SIMULATED)
    study.lock()
    lots = study._ledger.lots(study.plan)
    conditions = Conditions(listed=tuple(sorted(STATES)))
    for row in range(30):
        wanted = lots.condition(conditions, row, "block", "stack", in_turn=False)
        for _ in range(2):
            trial = take(study)
            assert trial.condition == wanted
            study.record(trial.trial, True)
    assert_independent(drawn_states(2000))
    with pytest.raises(AssertionError):
        assert_independent(drawn_states(2000, in_turn=True))


def errors(*, left_empty: bool) -> int:
    """Return the false orders of 2,000 studies of equal policies, with the states that were drawn.

    ``left_empty`` leaves those rows out whose state favours the new policy in simulation.
    """
    runs, rows = 2000, 60
    rng, own = np.random.default_rng(24), np.random.default_rng(5).integers(4, size=(runs, rows))
    sims: list[Floats] = [np.array([SIM[s][name] for s in STATES]) for name in ("old", "new")]
    if left_empty:
        own = np.where((sims[1] - sims[0])[own] > 0.7, 0, own)
    # As good on average over the list; each in other states, as the simulator says.
    gap = sims[1] - sims[0] - MEAN
    scores = [(rng.random(own.shape) < 0.5 + side * gap[own] / 2) * 1.0 for side in (-1, 1)]
    found = sw.simulate(
        "nscore-plus",
        *scores,
        proxy=(sims[0][own], sims[1][own]),
        proxy_mean=MEAN,
        n_max=rows,
        design="paired",
        alternative="less",
        workers=1,
    )
    return int((found.decision >= 0).sum())


def test_the_level_holds_over_the_list_and_not_if_states_are_left_out() -> None:
    """Which is why a place in a study with a proxy cannot stay empty."""
    assert_at_most(errors(left_empty=False), 2000, 0.05)
    with pytest.raises(AssertionError):
        assert_at_most(errors(left_empty=True), 2000, 0.05)


def test_no_place_stays_empty_and_nothing_is_imported(tmp_path: Path) -> None:
    study = sw.Study.create(tmp_path / "study", SIMULATED)
    study.lock()
    trial = take(study)
    with pytest.raises(NotAllowed, match="its place cannot stay empty"):
        study.void(trial.trial, "the cable broke", redraw=False)
    study.void(trial.trial, "the cable broke")
    assert take(study).condition == trial.condition
    trials = sw.Trials.from_columns({"policy": ["old"], "score": [1.0], "block": ["a"]})
    with pytest.raises(NotAllowed, match="with a proxy"):
        study.add_trials(trials, source="old.csv", reason="more")


def test_a_file_is_written_into_the_plan(tmp_path: Path) -> None:
    folder, file = tmp_path / "study", tmp_path / "sim.csv"
    sw.Study.create(folder, f"# as it was\n{yaml_text(plan(**BLOCKS))}")
    episodes().write_csv(file)
    columns = ("--column", "block=start", "--score", "sim")
    found = typed.study("import-proxy", folder, file, *columns)

    assert found.exit_code == 0, found.output
    assert "stack: the simulator's scores from 4 start states" in found.output
    text = (folder / "study.yaml").read_text()
    assert text.startswith("# as it was\n")
    assert "    far: {new: 0.45" in text
    study = sw.Study.open(folder)
    for state, scores in SIM.items():
        assert study.plan.proxy["stack"][state] == pytest.approx(scores)
    again = typed.study("import-proxy", folder, file, *columns)
    assert again.exit_code != 0
    assert "has a proxy already" in again.output
    digest = study.plan.digest
    study.lock()
    assert study.status().plan_digest == digest
    locked = typed.study("import-proxy", folder, file, *columns)
    assert "a proxy is fixed before the first trial" in locked.output
    run(study)
    status = typed.study("status", folder)
    assert "A simulator's scores from 4 start states were fixed with the plan" in status.output


def test_a_slip_in_the_file_is_told_of_the_file_and_not_of_the_plan(tmp_path: Path) -> None:
    folder, file = tmp_path / "study", tmp_path / "sim.csv"
    sw.Study.create(folder, plan(**BLOCKS))
    right = episodes().rename({"start": "block"}).select("policy", "block", score="sim")
    slips = {
        "needs a score of new, old, but has new": right.filter(
            (pl.col("block") != "far") | (pl.col("policy") != "old")
        ),
        "[0, 1], but the proxy on stack got": right.with_columns(pl.col("score") * 100),
        "--column block=NAME": right.rename({"block": "start"}),
    }
    for says, frame in slips.items():
        frame.write_csv(file)
        refused = typed.study("import-proxy", folder, file)
        assert refused.exit_code != 0
        assert says in refused.output
        assert "study.yaml" not in refused.output
    other = right.filter(pl.col("policy") == "old").with_columns(policy=pl.lit("third"))
    pl.concat([right, other]).write_csv(file)
    told = typed.study("import-proxy", folder, file)
    assert "left out, since the plan does not name them: other, third" in told.output


def test_only_states_that_the_task_lists_are_taken(tmp_path: Path) -> None:
    tasks = [{"name": "stack", "conditions": {"listed": ["left", "right", "left"]}}]
    study = sw.Study.create(tmp_path / "study", plan(**{**BLOCKS, "tasks": tasks}))
    trials = sw.read_trials(episodes(), columns={"block": "start"}, score="sim", bounds=(0, 1))

    assert study.import_proxy(trials) == {"stack": 2}
    (rules,) = study.plan.questions().values()
    assert rules.proxy_mean == pytest.approx((-0.4 / 3 + 0.0, -0.4 / 3))
    without = trials.frame.filter(pl.col("block") != "right")
    other = sw.Study.create(tmp_path / "other", plan(**{**BLOCKS, "tasks": tasks}))
    with pytest.raises(InvalidInput, match="from 'right', stack needs a score of new, old, but"):
        other.import_proxy(sw.Trials(without))
    with pytest.raises(InvalidInput, match="a column with the start state"):
        other.import_proxy(sw.Trials(without.drop("block")))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"design": "independent"}, "needs design: blocks"),
        ({"proxy": {"pour": SIM}}, "no task 'pour'"),
        ({"proxy": {"stack": {}}}, "no start state"),
        ({"proxy": {"stack": {"left": {"old": 0.5}}}}, "needs a score of new, old, but has old"),
        ({"proxy": {"stack": {"left": {"old": 0.5, "new": 1.5}}}}, "within the bounds"),
        ({"goal": "best"}, "goes with the goal 'order'"),
        ({"method": "wsr"}, "takes no proxy"),
        ({"stored": {"old": 90}}, "averages of groups need"),
        ({"tasks": [{"name": "stack", "score": "preference"}]}, "goes with means"),
        ({"tasks": ["stack", "pour"], "over_tasks": "mean"}, "belongs to one task"),
        (
            {"tasks": [{"name": "stack", "conditions": {"drawn": {"x": [0, 1]}}}]},
            "draws its conditions from ranges",
        ),
        (
            {"tasks": [{"name": "stack", "conditions": {"listed": ["left"]}}]},
            "is not listed among the states of stack",
        ),
    ],
)
def test_what_does_not_go_with_a_proxy_is_refused(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        sw.Study.create(tmp_path / "study", {**SIMULATED, **changes})


def test_it_is_named_and_tells_no_label(tmp_path: Path) -> None:
    study = sw.Study.create(tmp_path / "study", SIMULATED)
    study.lock()
    run(study, 20)
    said = "A simulator's scores from 4 start states"
    token = study.create_token("owner", "me")

    assert said in study.verdict().to_dict()["tasks"][0]["proxy"]
    assert said in study.report().replace("&#39;", "'")
    assert "the state drawn" in " ".join(study.analyses()["stack"].warnings)
    with served(study) as url, httpx.Client(base_url=url, trust_env=False) as client:
        client.post("/api/join", json={"token": token})
        page = client.get("/view").text.replace("&#39;", "'")
        journal = client.get("/api/journal").json()["entries"]
    assert said in page
    (locked,) = (entry["content"] for entry in journal if entry["kind"] == "locked")
    assert set(locked) == {"edition", "stopwise", "digest", "commitment"}
    # Without its salt, the hash of the entry could be searched for the labels.
    (event,) = (entry.event for entry in study.journal() if entry.event.kind == "locked")
    assert len(event.stored()["salt"]) == 32
    assert set(event.stored()["simulated"]["stack"]["far"]) == {"A", "B"}
    assert "proxy" not in study.exported().columns
    study.unblind()
    assert "proxy" in study.exported().columns


def test_it_is_as_it_was_after_a_restart_and_no_other_fits(tmp_path: Path) -> None:
    study = sw.Study.create(tmp_path / "study", SIMULATED)
    study.lock()
    run(study, 31)
    verdict = study.verdict()
    again = sw.Study.open(tmp_path / "study")

    assert again.verdict() == verdict
    assert again.verify().problems == ()
    run(again)
    assert again.finished
    assert again.verify().problems == ()
    changed = {**again.plan.content(), "proxy": {"stack": {**SIM, "far": SIM["left"]}}}
    (tmp_path / "study" / "study.yaml").write_text(json.dumps(changed))
    assert again.edited() == ("proxy",)
