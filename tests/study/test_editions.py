"""A study that was locked with another edition of its method: not damaged, and left as it is."""

import pytest

import stopwise as sw
from stopwise.core.wsr import Wsr
from tests.study.live import running

LINE = (
    f"this study was locked with edition 1 of wsr (stopwise {sw.__version__}), but this stopwise "
    "has edition 2: finish it with the stopwise version it was started with"
)


def test_a_study_of_another_edition_is_refused_in_one_line_and_left_as_it_is(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open or opened anew: the same scores would give other evidence."""
    study = running(place)
    before = study.journal()
    monkeypatch.setattr(Wsr, "edition", 2)

    for _ in range(2):
        with pytest.raises(sw.NotAllowed) as refused:
            sw.Study.open(place)
        assert str(refused.value) == LINE
    with pytest.raises(sw.NotAllowed, match="this study was locked with edition 1"):
        study.verify()
    monkeypatch.setattr(Wsr, "edition", 1)
    assert sw.Study.open(place).journal() == before
