"""What people took out or changed is in the report, and beside the verdict if it is lopsided."""

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import stopwise as sw
from stopwise.study.selection import first_told
from stopwise.study.study_report import chapters
from stopwise.web.evidence import Shown
from tests.cli import typed
from tests.study.live import Clock, handed_out_twice, locked, policy_of, score_one, take


def cheated(place: Path, rows: int = 8, *, fair: bool = False) -> sw.Study:
    """Return a study in which "new" has two failures voided before each result, or all one."""
    study = locked(str(place), method="wsr", n_max=30)
    voided, kept = Counter[str](), Counter[str]()
    while kept.total() < 2 * rows:
        trial = take(study)
        policy = policy_of(study, trial.trial)
        most = 1 if fair else 2 * (kept[policy] + 1) * (policy == "new")
        out = voided[policy] < most
        success = not out and kept[policy] % 2 == 0
        study.record(trial.trial, success, station="left", who="Ben")
        (voided if out else kept)[policy] += 1
        if out:
            study.void(trial.trial, "the cable came off", who="ada")
    return study


def titled(study: sw.Study, words: str) -> list[tuple[tuple[str, ...], ...]]:
    """Return the rows of the chapters with these words in their title, titles of columns first."""
    return [(c.columns, *c.rows) for c in chapters(study) if words in c.title]


def test_the_warning_names_the_policy_after_unblinding_only(tmp_path: Path) -> None:
    study = cheated(tmp_path / "study")
    voided = study.status().voided

    before = study.verdict().doubts
    assert before
    assert all("unevenly spread over the policies (p = " in doubt for doubt in before)
    assert before[0] in study.report()
    study.unblind(reason="done")
    after = study.verdict().doubts
    assert f"{voided} of {voided} trials voided are of new (p = " in after[0]
    assert study.verdict().to_dict()["doubts"] == list(after)
    assert f'class="doubt"><strong>Warning:</strong> {after[0]}' in study.report()


def with_voided(place: Path, number: int) -> sw.Study:
    """Return a study of 8 trials of each policy, and so many trials of "new" that were voided."""
    study, out = locked(str(place), method="wsr", n_max=8), 0
    while not study.finished:
        trial = take(study)
        study.record(trial.trial, trial.trial % 2 == 0, station="left")
        if out < number and policy_of(study, trial.trial) == "new":
            study.void(trial.trial, "the cable came off")
            out += 1
    return study


@pytest.mark.parametrize(("number", "warned"), [(6, False), (9, True)])
def test_the_p_value_of_excluded_trials_is_corrected_for_all_tests(
    tmp_path: Path, number: int, warned: bool
) -> None:
    """Two policies and two levels of score are tested: 6 voided have p = .03, four times .13.

    Sabotage that fails it: ``selection.Finding.text`` without ``tests *``, or ``doubts`` without
    ``* tests``.
    """
    study = with_voided(tmp_path / "study", number)
    by_hand = math.prod((8 + place) / (16 + place) for place in range(number))
    assert by_hand < 0.05

    said = [doubt for doubt in study.verdict().doubts if "Trials voided are unevenly" in doubt]
    assert [f"(p = {4 * by_hand:.2g})" in doubt for doubt in said] == [True] * warned


CHANGES: dict[str, Callable[[sw.Study, int], object]] = {
    "corrected": lambda study, trial: study.correct(trial, False, "tapped wrongly"),
    "voided": lambda study, trial: study.void(trial, "the cable came off"),
}


def changed(place: Path, change: str, *, told: bool = True) -> sw.Study:
    """Return a study that "new" wins; the first score of "old" was told so, and changed."""
    study, firsts = locked(str(place), n_max=40), set[str]()
    while not study.finished:
        trial = take(study)
        policy = policy_of(study, trial.trial)
        first = policy == "old" and not firsts
        study.record(trial.trial, told if first else policy == "new", station="left")
        if first:
            firsts.add(policy)
            CHANGES[change](study, trial.trial)
    return study


@pytest.mark.parametrize("change", CHANGES)
def test_a_finding_that_rests_on_a_change_is_warned_of_wherever_it_is_read(
    tmp_path: Path, change: str
) -> None:
    """In the terminal, on the page, on the wall, in the report and for programs."""
    study = changed(tmp_path / "study", change)
    said = "1 finding rests on scores that were voided, corrected or imported: the scores as"
    (doubt,) = study.verdict().doubts
    assert doubt == f"{said} first entered do not show it."
    shown = Shown.of(study)
    for text in (
        shown.tasks[0].card, shown.wall, study.report(),
        typed.study("status", tmp_path / "study").output,
        typed.study("run", tmp_path / "study").output,
        typed.study("unblind", tmp_path / "study").output,
    ):  # fmt: skip
        assert doubt in text
    found = json.loads(typed.study("status", tmp_path / "study", "--json").output)
    assert found["verdict"]["doubts"] == [doubt]


def test_trials_from_elsewhere_can_be_chosen_so_a_finding_needs_none_of_them(
    tmp_path: Path,
) -> None:
    study = locked(str(tmp_path / "study"), n_max=40)
    columns = {"policy": ["old", "new"] * 4, "score": [0.0, 1.0] * 4}
    pilot = sw.Trials.from_columns(columns, bounds=(0, 1))
    study.add_trials(pilot, source="notebook", reason="a pilot")
    while not study.finished:
        trial = take(study)
        assert study.verdict().doubts == ()
        study.record(trial.trial, policy_of(study, trial.trial) == "new", station="left")
    (doubt,) = study.verdict().doubts
    assert "voided, corrected or imported" in doubt


@pytest.mark.parametrize(("blinding", "said"), [("trial", ["2 results came after"]), ("none", [])])
def test_results_that_came_when_the_names_were_known_are_told(
    tmp_path: Path, blinding: str, said: list[str]
) -> None:
    study = locked(str(tmp_path / "study"), n_max=40, blinding=blinding)
    study.record(take(study).trial, True, station="left")
    study.unblind(reason="curious")
    assert study.verdict().doubts == ()
    for _ in range(2):
        study.record(take(study).trial, True, station="left")
    assert [doubt[:20] for doubt in study.verdict().doubts] == said
    assert sw.Study.open(tmp_path / "study").verdict() == study.verdict()
    assert study.verify().sound


@pytest.mark.parametrize("design", ["independent", "blocks"])
def test_what_was_told_first_is_kept_as_the_study_goes_on(tmp_path: Path, design: str) -> None:
    """Also by a board that has been asked all along: as one that replays the whole journal."""
    study = locked(str(tmp_path / "study"), n_max=12, policies=["a", "b", "c"], design=design)
    for number in range(1, 30):
        trial = take(study).trial
        if number % 5 == 0:
            study.start(trial, station="left")
            study.release(trial, station="left", reason="hot")
        else:
            study.record(trial, policy_of(study, trial) == "a", station="left")
        if number % 5 == 1 and number > 1:
            study.void(trial - 1, "the cable came off")  # which was given back
        if number % 5 == 3:
            study.correct(trial, policy_of(study, trial) != "a", "tapped wrongly")
        known = told_first(study)
        if number % 5 == 1:
            assert told_first(sw.Study.open(tmp_path / "study")) == known


def told_first(study: sw.Study) -> list[object]:
    """Standing of each pair by the first reports."""
    with study.reading() as state:
        told = first_told(state).get("stack", {})
        return list(state.boards["stack"].rescored(told).question.standings())


def test_of_two_trials_in_one_place_that_was_told_first_whose_result_came_first(
    tmp_path: Path,
) -> None:
    """Not the one that was handed out first: its owner would choose which of two counts."""
    study, late, prompt = handed_out_twice(str(tmp_path / "study"), Clock())
    study.record(prompt.trial, False, station="right")
    study.void(prompt.trial, "the cable came off")
    study.record(late.trial, True, station="left")
    study.void(late.trial, "the cable came off")
    with study.reading() as state:
        assert list(first_told(state)["stack"].values()) == [0.0]


def test_scores_and_policies_are_in_the_chapter_after_unblinding_only(tmp_path: Path) -> None:
    study = cheated(tmp_path / "study")
    voided = str(study.status().voided)

    (by_operator,) = titled(study, "Selection")
    columns = ("operator", "handed out", "count", "given back", "voided", "no result")
    assert by_operator == (columns, ("left", str(study.status().assigned), "16", "0", voided, "0"))
    study.unblind(reason="done")
    _, by_policy = titled(study, "Selection")
    rows = {row[0]: dict(zip(by_policy[0], row, strict=True)) for row in by_policy[1:]}
    assert rows["new"]["voided"] == voided
    assert rows["new"]["mean of voided"] == "0"
    assert (rows["old"]["voided"], rows["old"]["mean of voided"]) == ("0", "-")


def test_every_way_out_is_counted(tmp_path: Path, clock: Clock) -> None:
    study = locked(str(tmp_path / "study"), clock, n_max=20)
    given = take(study)
    study.release(given.trial, station="left", reason="the robot is hot")
    raised = score_one(study, False)
    study.correct(raised.trial, True, "tapped wrongly")
    left = take(study)
    study.start(left.trial, station="left")
    clock.time += 31 * 60
    lowered = score_one(study, True, "right")
    study.correct(lowered.trial, False, "it fell over")
    while policy_of(study, take(study, "right").trial) != policy_of(study, left.trial):
        study.record(take(study, "right").trial, True, station="right")
    study.unblind(reason="done")

    by_operator, _ = titled(study, "Selection")
    rows = {row[0]: dict(zip(by_operator[0], row, strict=True)) for row in by_operator[1:]}
    assert rows["left"]["given back"] == "1"
    assert rows["left"]["score raised"] == "1"
    assert rows["left"]["no result"] == "1"
    assert rows["right"]["score lowered"] == "1"


def test_a_trial_that_another_result_overtook_is_counted_as_left(
    tmp_path: Path, clock: Clock
) -> None:
    study, first, second = handed_out_twice(str(tmp_path / "study"), clock)
    study.start(second.trial, station="right")
    study.record(first.trial, True, station="left")  # late, while the second goes badly
    left = {row.name: row.numbers[-1] for row in study.selection()["operator"]}
    assert left == {"left": 0, "right": 1}


def test_a_trial_that_is_needed_is_not_called_unneeded(tmp_path: Path) -> None:
    """Else what was given back for its outcome would not be counted."""
    study = locked(str(tmp_path / "study"))
    trial = take(study)

    with pytest.raises(sw.NotAllowed, match="trial 1 is still needed: give another reason"):
        study.release(trial.trial, station="left", reason=" no longer needed")


@pytest.mark.parametrize("blinding", ["trial", "none"])
def test_a_trial_that_may_have_been_run_in_secret_is_told_of(
    tmp_path: Path, clock: Clock, blinding: str
) -> None:
    """With a code for each trial nobody can start a policy without asking, which begins it."""
    study = locked(str(tmp_path / "study"), clock, blinding=blinding, n_max=20)
    study.release(take(study).trial, station="left", reason="the robot is hot")
    take(study)
    clock.time += 31 * 60
    take(study, "right")

    operators = {row.name: row.numbers for row in study.selection()["operator"]}
    assert operators["left"][0] == operators["left"][-1] == 1  # given back, and left
    told = [doubt for doubt in study.verdict().doubts if "2 trials were given back" in doubt]
    assert len(told) == (blinding != "trial")
