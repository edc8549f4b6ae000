"""Texts that know their code and the settings that they name."""

import copy
import pickle

from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Message, Setting, placed, reworded


def test_settings_are_worded_as_python() -> None:
    assert str(Setting("missing", "drop")) == "missing='drop'"
    assert str(Setting("score")) == "score="
    assert str(Setting("columns", {"task": [BLANK], "trial": None})) == (
        "columns={'task': [...], 'trial': None}"
    )
    assert str(Setting("guesses", words="(mean, standard deviation)")) == (
        "(mean, standard deviation)"
    )


def test_a_place_before_a_message_keeps_its_code_and_settings() -> None:
    note = Message("no score; ", Setting("missing", "drop"), " drops it", code="score-missing")
    found = placed("a.csv, line 3: ", note)

    assert found == "a.csv, line 3: no score; missing='drop' drops it"
    assert isinstance(found, Message)
    assert found.code == "score-missing"
    assert placed("a.csv: ", "empty") == "a.csv: empty"
    assert reworded([found, "plain"], lambda one: f"--{one.name}") == [
        "a.csv, line 3: no score; --missing drops it",
        "plain",
    ]


def test_messages_survive_copies_and_other_processes() -> None:
    error = InvalidInput(Message("give ", Setting("bounds"), code="bounds-missing"))

    for twin in (copy.deepcopy(error.message), pickle.loads(pickle.dumps(error)).message):
        assert isinstance(twin, Message)
        assert isinstance(twin, Message)
        assert twin.settings == (Setting("bounds"),)
        assert twin.code == "bounds-missing"
