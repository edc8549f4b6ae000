"""Plans: what may stand in study.yaml, and what is said where it may not."""

import re
from typing import Any

import pytest
import yaml

import stopwise as sw
from stopwise.study.plan_file import parse_plan, template
from stopwise.study.rubric import Number
from stopwise.study.study_plan import StudyPlan
from tests.study.plans import plan


def test_the_template_is_a_plan() -> None:
    found = parse_plan(template())

    assert found.policy_names == ("baseline", "new")
    assert found.n_max == 50


def test_the_examples_in_the_template_are_rubrics() -> None:
    lines = [line for line in template().splitlines() if line.startswith("#   score: ")]
    examples = [yaml.safe_load(re.split("success or|which trial", line[1:])[0]) for line in lines]

    assert len(examples) == 6
    assert set(examples[3]["score"]) == set(Number.model_fields)
    for example in examples:
        StudyPlan.model_validate(plan(tasks=[{"name": "stack", **example}], design="blocks"))


BROKEN = {
    "alpha: 0.05": ("alpha: 1.5", "alpha: must be less than 1, but got 1.5"),
    "method: nscore-plus": ("method: magic", "'magic'"),
    "n_max: 50": ("n_max: many", "n_max: must be a whole number, but got 'many'"),
    "  - name: new": ("  - name: baseline", "policies: names must be distinct"),
    "    score: {kind: milestones": (
        "    score: {kind: number, low: 2, high: 1}",
        "tasks.0.score: low must",
    ),
    "seed: 0": ("parameters: {alpha: 0.5}", "parameters: alpha is set by the plan itself"),
    "baseline: null": ("baseline: nobody", "baseline must be one of baseline, new"),
    "design: blocks": ("desing: blocks", "desing: there is no such entry; did you mean design?"),
}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"policies": ["one"]}, "policies: a plan needs at least 2 policies, or a reference"),
        ({"method": "savi", "design": "blocks"}, "savi is proven only for the independent"),
        ({"name": 7}, "name: must be text (in quotes), but got 7"),
        ({"tasks": [{"name": "t", "score": {"kind": "star"}}]}, "but got {'kind': 'star'}"),
        ({"tasks": [{"name": "t", "score": {}}]}, "number, count or preference"),
        ({"lease_minutes": float("inf")}, "lease_minutes: must be a finite number, but got inf"),
        ({"blinding": "double"}, "blinding: must be 'trial' or 'none', but got 'double'"),
        ({"tasks": [{"name": "t", "score": "binary", "bogus": 1}]}, "tasks.0.bogus: there is no"),
    ],
)
def test_complaints_are_in_plain_words_and_said_once(
    change: dict[str, Any], complaint: str
) -> None:
    """A fault within a task must not be followed by "tasks should have at least 1 item"."""
    with pytest.raises(sw.InvalidInput) as caught:
        parse_plan(yaml.safe_dump({**plan(), **change}))

    assert len(str(caught.value).splitlines()) == 1
    assert complaint in str(caught.value)


@pytest.mark.parametrize("line", BROKEN)
def test_what_is_wrong_is_named_with_its_line(line: str) -> None:
    broken, complaint = BROKEN[line]
    lines = template().splitlines()
    place = next(number for number, text in enumerate(lines) if text.startswith(line))
    lines[place] = broken

    with pytest.raises(sw.InvalidInput) as caught:
        parse_plan("\n".join(lines))

    assert complaint in str(caught.value)
    if line.startswith("  - name"):  # said of the whole list
        assert "line " in str(caught.value)
    else:
        assert f"line {place + 1}: " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("policies: [a, b", "line 1: not valid YAML"),
        ("- a\n- b\n", "a plan must consist of `name: value` lines"),
        ("name: a\nname: b\n", "line 2: 'name' appears twice"),
        ("name: x\npolicies: [a, b]\n", "tasks: is missing"),
        ("", "a plan must consist"),
        ("a: &a [*a]", "line 1: aliases .* are not allowed"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(sw.InvalidInput, match=complaint):
        parse_plan(text)


HALVES = {"kind": "milestones", "milestones": [{"name": "grasped"}, {"name": "placed"}]}
THIRDS = {"kind": "milestones", "milestones": [{"name": "a", "weight": 2}, {"name": "b"}]}
RANGE = {"kind": "number", "low": 0, "high": 2}
LEVELS = {"kind": "levels", "levels": [{"name": "no", "value": 0}, {"name": "yes", "value": 1}]}


@pytest.mark.parametrize(
    ("method", "parameters", "rubric", "refused"),
    [
        ("step", {}, "binary", False),
        ("step", {}, LEVELS, False),
        ("step", {}, HALVES, True),
        ("step", {}, RANGE, True),
        ("savi", {"levels": 3}, HALVES, False),
        ("savi", {"levels": 3}, THIRDS, True),
        ("savi", {"levels": 3}, RANGE, True),
        ("nscore-plus", {}, RANGE, False),
    ],
)
def test_the_method_must_take_what_the_rubric_gives(
    method: str, parameters: dict[str, Any], rubric: Any, refused: bool
) -> None:
    """Or the first such score would stand in the way of every verdict of a locked study."""
    tasks = [{"name": "stack", "score": rubric}]
    text = yaml.safe_dump(plan(method=method, parameters=parameters, n_max=30, tasks=tasks))

    if refused:
        with pytest.raises(
            sw.InvalidInput, match=rf"line \d+: tasks\.0\.score: {method} takes only"
        ):
            parse_plan(text)
    else:
        parse_plan(text)


def test_alpha_is_split_over_the_tasks_unless_declared_for_each() -> None:
    two = plan(tasks=["stack", "sort"])

    split = StudyPlan.model_validate(two)
    each = StudyPlan.model_validate({**two, "alpha_for": "task"})

    assert split.rules(split.tasks[0]).alpha == 0.025
    assert each.rules(each.tasks[0]).alpha == 0.05


RUBRICS: dict[str, tuple[Any, dict[Any, float], list[Any]]] = {
    "binary": ("binary", {True: 1.0, False: 0.0}, ["yes", 0.5, None, 2]),
    "milestones": (
        {"kind": "milestones", "milestones": [{"name": "a"}, {"name": "b", "weight": 3}]},
        {(): 0.0, ("a",): 0.25, ("b",): 0.75, ("a", "b"): 1.0},
        ["a", ["c"], ["a", "a"], 1, [["a"]]],
    ),
    "levels": (
        {"kind": "levels", "levels": [{"name": "no", "value": -1}, {"name": "yes", "value": 4}]},
        {"no": -1.0, "yes": 4.0},
        ["maybe", 4, None, ["no"]],
    ),
    "number": (
        {"kind": "number", "low": 0, "high": 30},
        {0: 0.0, 12.5: 12.5, 30: 30.0},
        [-1, 31, "12", float("nan"), True, None],
    ),
    "count": (
        {"kind": "count", "of": 8},
        {0: 0.0, 2: 0.25, 8.0: 1.0},
        [-1, 9, 2.5, "2", True, None],
    ),
}


@pytest.mark.parametrize("name", RUBRICS)
def test_answers_become_scores(name: str) -> None:
    rubric, good, bad = RUBRICS[name]
    score = (
        StudyPlan.model_validate(plan(tasks=[{"name": "stack", "score": rubric}])).tasks[0].score
    )

    assert {answer: score.score(answer) for answer in good} == good
    assert score.bounds == (min(good.values()), max(good.values()))
    for answer in bad:
        with pytest.raises(sw.InvalidInput):
            score.score(answer)


@pytest.mark.parametrize(
    "rubric",
    [
        {"kind": "milestones", "milestones": []},
        {"kind": "milestones", "milestones": [{"name": "a"}, {"name": "a"}]},
        {"kind": "milestones", "milestones": [{"name": "a", "weight": 0}]},
        {"kind": "levels", "levels": [{"name": "a", "value": 1}, {"name": "b", "value": 1}]},
        {"kind": "number", "low": 0, "high": float("inf")},
        {"kind": "poem"},
    ],
)
def test_a_rubric_that_makes_no_sense_is_refused(rubric: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        StudyPlan.model_validate(plan(tasks=[{"name": "stack", "score": rubric}]))


@pytest.mark.parametrize(("given", "seen"), [("1, 2", "1"), ("no, yes", "False")])
def test_names_that_yaml_takes_for_something_else_need_quotes(given: str, seen: str) -> None:
    text = f"name: cups\npolicies: [{given}]\ntasks: [stack]\n"

    with pytest.raises(sw.InvalidInput) as refused:
        parse_plan(text)
    first = str(refused.value).splitlines()[0]
    assert first == f"study.yaml, line 2: policies.0: must be text (in quotes), but got {seen}"
