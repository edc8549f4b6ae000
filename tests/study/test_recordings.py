"""Videos and photos of trials."""

import stat
from pathlib import Path

import pytest

import stopwise as sw
from stopwise.study import recordings
from stopwise.study import runner as runner_module
from stopwise.study.recordings import ending_of
from stopwise.study.study_report import recording_chapters
from tests.study.live import locked, take
from tests.study.runners import attending, eventually, written
from tests.study.scripted import PHOTO

LEVELS = {
    "kind": "levels",
    "levels": [
        {"name": "no", "value": 0},
        {"name": "part", "value": 0.5},
        {"name": "yes", "value": 1},
    ],
}


@pytest.fixture
def study(tmp_path: Path) -> sw.Study:
    return locked(str(tmp_path / "study"), tasks=[{"name": "stack", "score": LEVELS}], n_max=3)


def photo(text: str) -> list[bytes]:
    return [PHOTO, text.encode()]


def run(study: sw.Study, answer: str, *, who: str = "ben") -> int:
    """Run a trial at the robot, film it and score it."""
    trial: int = take(study, "left", who=who).trial
    study.add_recording(trial, photo(f"of trial {trial}"), who=who)
    study.record(trial, answer, station="left", who=who)
    return trial


def test_a_recording_is_kept_beside_the_study_for_its_owner_alone(study: sw.Study) -> None:
    trial = take(study).trial
    name = study.add_recording(trial, photo("of a cup"), who="left")
    file = study.recording(trial, name)
    assert file.read_bytes() == PHOTO + b"of a cup"
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (
        0o600,
        0o700,
    )
    before = study.seq
    assert study.add_recording(trial, photo("of a cup")) == name  # sent again, it is known
    assert study.seq == before
    assert study.lost_recordings() == []
    file.write_bytes(PHOTO)
    assert study.lost_recordings() == [name]
    file.unlink()
    assert study.lost_recordings() == [name]
    with pytest.raises(sw.NotAllowed, match="no recording of this name"):
        study.recording(trial, "../study.db")


REFUSED: dict[str, tuple[bytes, str]] = {
    "a page": (b"<html>", "must be one of jpg, png, webp, mp4, mov, webm"),
    "nothing": (b"", "must be one of"),
    "too large": (PHOTO + bytes(100), "can have at most"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_recording_is_refused_and_not_kept(
    study: sw.Study, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(recordings, "LARGEST", 100)
    content, complaint = REFUSED[name]
    trial = take(study).trial
    with pytest.raises(sw.InvalidInput, match=complaint):
        study.add_recording(trial, [content])
    assert study.folder is not None
    assert list((study.folder / "recordings").iterdir()) == []


def test_kinds_of_files_are_known_by_their_content() -> None:
    assert ending_of(b"\0\0\0\x18ftypisom\0\0\0\0") == "mp4"
    assert ending_of(b"\0\0\0\x14ftypqt  \0\0\0\0") == "mov"
    assert ending_of(b"\0\0\0\x18ftypheic\0\0\0\0") is None  # which browsers do not show
    assert ending_of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") == "png"
    assert ending_of(b"RIFF\x1a\0\0\0WEBPVP8 ") == "webp"
    assert ending_of(b"\x1aE\xdf\xa3\x01\0\0\0") == "webm"


def test_a_file_belongs_to_one_trial_and_a_trial_has_few(study: sw.Study) -> None:
    first, second = take(study).trial, take(study, "right").trial
    study.add_recording(first, photo("one"))
    with pytest.raises(sw.NotAllowed, match="this file is the recording of trial 1 already"):
        study.add_recording(second, photo("one"))
    for number in range(recordings.MOST_RECORDINGS - 1):
        study.add_recording(first, photo(str(number)))
    with pytest.raises(sw.NotAllowed, match="has 5 recordings already"):
        study.add_recording(first, photo("one more"))
    with pytest.raises(sw.InvalidInput, match="nowhere"):
        study.add_recording(second, "nowhere.mp4")
    study.unblind()
    with pytest.raises(sw.NotAllowed, match="too late to add a recording"):
        study.add_recording(second, photo("late"))


def test_the_report_tells_after_unblinding_where_policies_differed(study: sw.Study) -> None:
    for answer in ("yes", "no", "part", "part", "no", "no"):
        run(study, answer)
    titles = [chapter.title for chapter in recording_chapters(study, lambda _, file: file)]
    assert titles == ["Recordings"]
    study.unblind()
    page = study.report(lambda trial, file: f"/somewhere/{trial}/{file}")
    assert "Episodes on which the policies differed" in page
    assert page.count('<a href="/somewhere/') == 2  # the one row whose scores differ


def test_the_runner_films_and_hands_in(
    study: sw.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a camera that writes until it is asked to end, and a file that the policy leaves."""
    monkeypatch.setattr(runner_module, "PAUSE", 0.05)
    camera = tmp_path / "camera.sh"
    camera.write_text(
        "trap 'printf \"\\\\0\\\\0\\\\0\\\\030ftypisom %s\" $2 > $1; exit' TERM\n"
        "while true; do sleep 0.05; done\n"
    )
    film = tmp_path / "film.sh"
    film.write_text(f"printf '\\377\\330\\377 {'%s'}' $1 > {tmp_path}/$1.jpg; sleep 0.3\n")
    file = written(
        tmp_path / "runner.yaml",
        dict.fromkeys(("old", "new"), f"sh {film} {{episode}}"),
        camera=f"sh {camera} {{file}} {{episode}}",
        recording=str(tmp_path / "{episode}.jpg"),
    )
    with attending(study, file) as said:
        trial = take(study).trial
        study.start(trial, station="left")
        kinds = eventually(lambda: [e for e in study.journal() if e.kind == "filmed"][1:2])
    assert kinds
    assert not any("not stored" in line for line in said), said
    with study.reading() as state:
        assert sorted(name[-3:] for _, name, _ in state.recordings) == ["jpg", "mp4"]
