"""The runner on real processes: it starts each trial once, and what ends an episode ends it."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.study import runner as runner_module
from stopwise.study import running as running_module
from stopwise.study.episodes import Attend, BeginEpisode, EndEpisode, EpisodeEnded, Stop
from stopwise.web.client import StudyClient
from tests.study.live import Clock, locked, policy_of, take
from tests.study.runners import attending, eventually, free_port, running, written
from tests.web.serving import served

NAMES = ("old", "new")
WITHIN_REACH = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "PAUSE", 0.05)
    monkeypatch.setattr(running_module, "GRACE", 0.2)


@pytest.fixture
def study(tmp_path: Path) -> Iterator[sw.Study]:
    with locked(str(tmp_path / "study"), n_max=20) as study:
        yield study


def script(tmp_path: Path, body: str) -> str:
    """Return the command of a policy that notes that it was started, then does as it is told."""
    path = tmp_path / "policy.sh"
    path.write_text(f'echo "I am $STOPWISE_POLICY"\necho $$ >> "{tmp_path}/$1"\n{body}\n')
    return f"sh {path} {{trial}}"


def both(tmp_path: Path, body: str, **other: Any) -> Path:
    return written(tmp_path / "runner.yaml", dict.fromkeys(NAMES, script(tmp_path, body)), **other)


def pids(tmp_path: Path, trial: int) -> list[int]:
    """Return the processes that were started for a trial."""
    noted = tmp_path / str(trial)
    return [int(line) for line in noted.read_text().split()] if noted.exists() else []


def ended(study: sw.Study) -> list[EpisodeEnded]:
    return [e.event for e in study.journal() if isinstance(e.event, EpisodeEnded)]


def after(study: sw.Study, before: int) -> bool:
    return len(ended(study)) > before


def started(study: sw.Study, tmp_path: Path) -> tuple[int, int]:
    """Take a trial and start it; return its number and its process, once that runs."""
    trial = take(study).trial
    study.start(trial, station="left")
    (pid,) = eventually(lambda: pids(tmp_path, trial))
    return trial, pid


def test_the_policy_starts_when_the_operator_does_and_once(study: sw.Study, tmp_path: Path) -> None:
    with attending(study, both(tmp_path, "exit 0")) as said:
        trial = take(study)
        assert (trial.attended, trial.episode) == (True, None)
        with pytest.raises(sw.NotAllowed, match="has not been started by its operator"):
            study.do(BeginEpisode(trial=trial.trial, episode="too early"))
        study.start(trial.trial, station="left")
        eventually(lambda: ended(study))
        seen = study.whereabouts(trial.trial, station="left")
        assert (seen.status, seen.running) == ("leased", False)
        study.start(trial.trial, station="left")  # the phone says so again and again
        study.record(trial.trial, True, station="left")
        second = take(study)
        study.start(second.trial, station="left")
        eventually(lambda: len(ended(study)) == 2)

    assert len(pids(tmp_path, trial.trial)) == len(pids(tmp_path, second.trial)) == 1
    kinds = [entry.kind for entry in study.journal()]
    first = ["attended", "assigned", "started", "episode began", "episode ended", "started"]
    assert kinds[2:8] == first
    assert kinds[-1] == "attended"
    assert not take(study).attended
    row = study.records().row(0, named=True)
    assert (row["episode"], row["seconds"]) == (seen.episode, seen.seconds)
    assert not any(name in line for line in said for name in NAMES)
    assert study.verify().sound


def test_what_a_policy_prints_is_for_the_runner_alone(study: sw.Study, tmp_path: Path) -> None:
    with attending(study, both(tmp_path, "exit 0")):
        trial, _ = started(study, tmp_path)
        eventually(lambda: ended(study))
    (log,) = (tmp_path / "logs").iterdir()
    assert log.read_text() == f"I am {policy_of(study, trial)}\n"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.parent.stat().st_mode) == 0o700
    assert not any(name in log.name for name in NAMES)


def test_no_list_of_processes_tells_the_policy(study: sw.Study, tmp_path: Path) -> None:
    """Whoever scores may see all command lines; names are in none that we start."""
    with attending(study, both(tmp_path, "sleep 60")):
        trial, pid = started(study, tmp_path)
        guard = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
        seen = [Path(f"/proc/{each}/cmdline").read_bytes().decode() for each in (pid, guard)]
        assert "policy.sh" in seen[0]
        assert "guard.py" in seen[1]
        own = seen[0].replace(str(tmp_path), ""), seen[1]
        assert not any(policy_of(study, trial) in line for line in own)
        study.record(trial, True, station="left")


ENDS: dict[str, tuple[str, dict[str, Any], str]] = {
    "its own": ("exit 0", {}, "ended"),
    "a command that fails": ("exit 3", {}, "failed"),
    "a hang": ("sleep 60", {"time_limit": 0.3}, "timed out"),
    "a hang that ignores signals": ("trap '' TERM; sleep 60", {"time_limit": 0.3}, "timed out"),
}


@pytest.mark.parametrize("name", ENDS)
def test_however_it_ends_the_trial_is_scored_as_it_was_seen(
    study: sw.Study, tmp_path: Path, name: str
) -> None:
    body, other, outcome = ENDS[name]
    with attending(study, both(tmp_path, body, **other)):
        trial, pid = started(study, tmp_path)
        (event,) = eventually(lambda: ended(study))
        assert not running(pid)
        assert (event.trial, event.outcome) == (trial, outcome)
        study.start(trial, station="left")
        assert study.record(trial, False, station="left").counted
        started(study, tmp_path)  # the runner has not run the first again
    assert pids(tmp_path, trial) == [pid]


ENDS_OF_TRIALS = {
    "given back": lambda study, trial: study.release(trial, station="left", reason="it is hot"),
    "scored": lambda study, trial: study.record(trial, True, station="left"),
    "voided": lambda study, trial: study.void(trial, "the lights went out"),
    "stopped by its operator": lambda study, trial: study.do(Stop(trial=trial, station="left")),
}


@pytest.mark.parametrize("name", ENDS_OF_TRIALS)
def test_the_policy_stops_when_its_trial_is_over(
    study: sw.Study, tmp_path: Path, name: str
) -> None:
    """Also what the policy itself has started; a trial given back counts by the plan's rule."""
    with attending(study, both(tmp_path, f'sleep 60 & echo $! > "{tmp_path}/child"; wait')):
        trial, pid = started(study, tmp_path)
        child = int(eventually(lambda: (tmp_path / "child").exists() and _text(tmp_path)))
        ENDS_OF_TRIALS[name](study, trial)
        (event,) = eventually(lambda: ended(study))
    assert event.outcome == "stopped"
    assert not running(pid)
    assert not running(child)
    score = study.records().row(0, named=True)["score"]
    assert score == {"given back": 0.0, "scored": 1.0}.get(name)


def test_a_trial_that_was_stopped_before_it_began_is_not_run(study: sw.Study) -> None:
    trial = take(study).trial
    with pytest.raises(sw.NotAllowed, match="has not been started by its operator"):
        study.do(Stop(trial=trial, station="left"))
    study.start(trial, station="left")
    study.do(Stop(trial=trial, station="left"))
    with pytest.raises(sw.NotAllowed, match="was stopped by its operator before it began"):
        study.do(BeginEpisode(trial=trial, episode="one"))


def test_a_trial_whose_policy_could_not_be_started_is_voided(
    study: sw.Study, tmp_path: Path
) -> None:
    """Nothing has moved, so that it has no outcome; its place is tried again."""
    program = tmp_path / "policy"
    program.write_text("#!/there/is/no/such/shell\n")
    program.chmod(0o700)
    with attending(study, written(tmp_path / "runner.yaml", dict.fromkeys(NAMES, str(program)))):
        trial = take(study).trial
        study.start(trial, station="left")
        (event,) = eventually(lambda: ended(study))
    assert event.outcome == "not started"
    assert study.whereabouts(trial, station="left").status == "voided"
    assert study.journal()[-2].content["reason"] == "the runner could not start its policy"
    assert policy_of(study, take(study).trial) == policy_of(study, trial)
    assert study.verify().sound


def test_a_runner_that_is_silent_is_told_of(tmp_path: Path, clock: Clock) -> None:
    """Sabotage that fails it: leave out ``heard`` in ``Ledger.refresh``."""

    def silent(study: sw.Study) -> bool:
        return study.whereabouts(1, station="left").silent

    with locked(str(tmp_path / "study"), clock) as study:
        take(study)
        assert not silent(study)  # nobody expects one
        study.do(Attend(station="left"))
        assert not silent(study)
        clock.time += 11
        assert silent(study)
        study.hear("left")
        assert not silent(study)
        clock.time += 11
        study.start(1, station="left")  # others go on
        assert silent(study)
        with sw.Study.open(tmp_path / "study", clock=clock) as other:
            assert silent(other)
            other.hear("left")
        assert not silent(study)


def _text(tmp_path: Path) -> str:
    return (tmp_path / "child").read_text().strip()


def test_a_runner_that_is_killed_takes_the_policy_along_and_never_starts_it_again(
    study: sw.Study, tmp_path: Path
) -> None:
    """Catches a second try by a restart: the trial is scored as it was seen, or voided."""
    file = both(tmp_path, "sleep 60")
    words = [sys.executable, "-m", "stopwise", "study", "runner", str(study.folder)]
    words += ["--file", str(file), "--station", "left"]
    with subprocess.Popen(words, env=WITHIN_REACH, stdout=subprocess.PIPE, text=True) as process:
        eventually(lambda: study.journal()[-1].kind == "attended")
        trial, pid = started(study, tmp_path)
        process.kill()
        said = process.communicate()[0]
    assert not any(name in said for name in NAMES)
    eventually(lambda: not running(pid))
    assert study.whereabouts(trial, station="left").running

    with attending(study, file) as said_later:
        (event,) = eventually(lambda: ended(study))
        assert (event.outcome, event.seconds) == ("lost", None)
        assert f"trial {trial} began before this runner came" in eventually(lambda: said_later)[0]
        study.start(trial, station="left")
        study.record(trial, True, station="left")
        second, _ = started(study, tmp_path)
        study.record(second, True, station="left")
    assert pids(tmp_path, trial) == [pid]


def test_an_interrupted_runner_stops_the_policy_and_says_so(
    study: sw.Study, tmp_path: Path
) -> None:
    file = both(tmp_path, "sleep 60")
    words = [sys.executable, "-m", "stopwise", "study", "runner", str(study.folder)]
    words += ["--file", str(file), "--station", "left"]
    with subprocess.Popen(words, env=WITHIN_REACH, stderr=subprocess.PIPE, text=True) as process:
        eventually(lambda: study.journal()[-1].kind == "attended")
        _, pid = started(study, tmp_path)
        process.send_signal(signal.SIGTERM)
        told = process.communicate()[1]
    assert process.returncode == 130, told
    assert "Traceback" not in told
    assert not running(pid)
    assert ended(study)[-1].outcome == "lost"
    assert study.journal()[-1].content["present"] is False


def test_a_trial_has_one_episode(study: sw.Study) -> None:
    trial = take(study).trial
    study.start(trial, station="left")
    begin = BeginEpisode(trial=trial, episode="one")
    assert study.do(begin) == study.do(begin)
    study.do(EndEpisode(trial=trial, episode="one", outcome="failed", seconds=1.0))
    # The first report counts.
    study.do(EndEpisode(trial=trial, episode="one", outcome="ended", seconds=2.0))
    for again in ("one", "two"):
        with pytest.raises(sw.NotAllowed, match="was run already, and is not run again"):
            study.do(BeginEpisode(trial=trial, episode=again))
    assert [event.outcome for event in ended(study)] == ["failed"]
    assert study.verify().sound


def test_over_the_network_with_a_token_that_may_not_score(study: sw.Study, tmp_path: Path) -> None:
    tokens = {role: study.create_token(role, f"the {role}") for role in ("runner", "operator")}
    with (
        served(study) as url,
        StudyClient(url, tokens["operator"]) as phone,
        StudyClient(url, tokens["runner"]) as robot,
    ):
        with attending(study, both(tmp_path, "exit 0"), desk=robot):
            trial = phone.next_trial("left")
            assert trial is not None
            for act in (robot.next_trial, robot.record, robot.release):
                with pytest.raises(sw.NotAllowed, match="the role runner is not allowed"):
                    _ask(act, trial.trial)
            for ask in (
                phone.policies,
                lambda: phone.do(BeginEpisode(trial=1, episode="x")),
                lambda: phone.do(Attend(station="left")),
            ):
                with pytest.raises(sw.NotAllowed, match="the role operator is not allowed"):
                    ask()
            phone.start(trial.trial, station="left")
            eventually(lambda: ended(study))
            found = phone.holding("left")
            assert found is not None
            assert found.episode is not None
            assert phone.record(trial.trial, True, station="left").counted
        assert {entry.who for entry in study.journal() if "episode" in entry.kind} == {"the runner"}


def _ask(act: Any, trial: int) -> None:
    if act.__name__ == "next_trial":
        act("left")
    elif act.__name__ == "record":
        act(trial, True, station="left")
    else:
        act(trial, station="left", reason="x")


def test_a_server_that_is_away_does_not_end_an_episode(study: sw.Study, tmp_path: Path) -> None:
    """The end is told when the server is back, with the time that the policy took."""
    token = study.create_token("runner", "robot")
    with ExitStack() as stack:
        first = stack.enter_context(ExitStack())
        port = free_port()
        url = first.enter_context(served(study, port=port))
        robot = stack.enter_context(StudyClient(url, token, retry_seconds=0.1))
        until = f"until test -e {tmp_path}/over; do sleep 0.1; done"
        said = stack.enter_context(attending(study, both(tmp_path, until), desk=robot))
        started(study, tmp_path)
        first.close()
        (tmp_path / "over").touch()
        eventually(lambda: any("does not answer" in line for line in said))
        assert not ended(study)
        stack.enter_context(served(study, port=port))
        (event,) = eventually(lambda: ended(study))
        assert event.outcome == "ended"
        assert event.seconds is not None


def test_a_long_episode_keeps_its_lease(tmp_path: Path) -> None:
    with locked(str(tmp_path / "study"), lease_minutes=0.02) as study:
        with attending(study, both(tmp_path, "sleep 2.5")):
            trial, _ = started(study, tmp_path)
            (event,) = eventually(lambda: ended(study))
            assert event.outcome == "ended"
        starts = [entry for entry in study.journal() if entry.kind == "started"]
        assert len(starts) >= 3
        assert study.record(trial, True, station="left").counted
