"""One value for what is declared: flat, typed keywords at every entry; every result carries it."""

import inspect
import re
from dataclasses import fields
from typing import Any, get_type_hints

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.keywords import DEFAULTS, NAMES
from stopwise.core.registry import MethodParameters
from stopwise.core.rules import FROM_TRIALS, Rules
from stopwise.core.settings import PairSettings, StopSettings

ENTRIES = [sw.SequentialTest, sw.simulate, sw.analyze, sw.StopRule, sw.race, sw.plan, sw.forecast]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_every_entry_shows_its_keywords(entry: Any) -> None:
    """A notebook completes ``sw.analyze(trials, al``."""
    shown = inspect.signature(entry).parameters

    assert {"method", "alpha", "n_max", "bounds", "design", "ties", "bins"} <= set(shown)
    assert not any(each.kind is each.VAR_KEYWORD for each in shown.values())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_help_describes_each_keyword_once(entry: Any) -> None:
    """Those of the signature and no others; the source has most of them as ``**settings``."""
    parameters = (inspect.getdoc(entry) or "").split("Parameters\n---")[1].split("Examples\n---")[0]
    entries = re.findall(rf"^{NAMES}$", parameters, re.MULTILINE)
    described = [name.lstrip("*") for names in entries for name in names.split(", ")]

    assert sorted(described) == sorted(inspect.signature(entry).parameters)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_a_misspelt_keyword_suggests_the_right_one(entry: Any) -> None:
    for wrong, right in (("nmax", "n_max"), ("alhpa", "alpha"), ("bound", "bounds")):
        with pytest.raises(sw.InvalidInput, match=f"no keyword '{wrong}'; did you mean '{right}'"):
            entry(**{wrong: 1})


def test_the_keywords_are_the_fields_of_the_rules_and_the_parameters_of_the_methods() -> None:
    """Fails if a setting or a method's parameter is declared in one place only."""
    own = {name for info in sw.methods().values() for name in info.parameters} - {"futility"}
    known = {field.name for field in fields(Rules)} - {"policies", "parameters", *FROM_TRIALS}

    assert set(get_type_hints(MethodParameters)) == own
    pair, stop = set(get_type_hints(PairSettings)), set(get_type_hints(StopSettings))
    assert pair | stop == known | own | {"futility"}


def test_rules_are_plain_and_equal_however_they_are_given() -> None:
    plain = Rules(policies=("a", "b"), n_max=50, alpha=0.1, bounds=(0, 2))
    arrays = Rules.of(
        policies=["a", "b"], n_max=np.int64(50), alpha=np.float64(0.1), bounds=np.array([0, 2])
    )

    assert plain == arrays
    assert Rules.of(**arrays.settings()) == plain
    assert type(arrays.n_max) is int
    assert type(arrays.bounds[1]) is float


def test_an_unknown_goal_is_refused() -> None:
    with pytest.raises(sw.InvalidInput, match="one of order, best, but got 'first'"):
        sw.analyze({"a": [0.1], "b": [0.2]}, goal="first")


def test_the_signature_shows_the_defaults_that_hold() -> None:
    """Fails if an entry has another default than its signature says."""
    shown = inspect.signature(sw.StopRule).parameters
    rules = sw.StopRule(["a", "b"]).rules
    assert all(shown[name].default == getattr(rules, name) for name in DEFAULTS if name in shown)
    shown = inspect.signature(sw.SequentialTest).parameters
    rules = sw.SequentialTest().rules
    assert all(shown[name].default == getattr(rules, name) for name in DEFAULTS if name in shown)
