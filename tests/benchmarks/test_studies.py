"""The benchmark of live studies does what it was asked for."""

from pathlib import Path

import pytest

import stopwise as sw
from benchmarks.speed.studies import load


@pytest.mark.parametrize("reports", [2, 8])
def test_as_many_reports_as_asked_for(reports: int, tmp_path: Path) -> None:
    """Also when there are fewer than stations, or their number is no multiple of theirs."""
    place = f"sqlite:///{tmp_path}/load.db#load"

    load("SQLite", place, stations=3, reports=reports)

    with sw.Study.open(place) as study:
        assert study.status().counted == reports
