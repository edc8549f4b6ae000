"""A study on another machine, by its web API: the same calls as ``Study``, with retries."""

import json
import random
import secrets
import ssl
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter, ValidationError

from stopwise.errors import InvalidInput, NotAllowed, StopwiseError, StoreFailed
from stopwise.study.rubric import plain_answer
from stopwise.study.verdict import StudyVerdict
from stopwise.study.views import Assignment, Recorded, Resolved, Status
from stopwise.web.links import web_address

Parsed = TypeVar("Parsed")

# Answers that may change by themselves.
PASSING = frozenset({429, 500, 502, 503, 504})
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
JSON = {"Content-Type": "application/json"}
ERRORS: dict[int, type[StopwiseError]] = {400: InvalidInput, 413: InvalidInput}


class StudyClient:
    """A study served by another process or machine (``stopwise study serve``).

    The methods have the same names and results as those of ``Study``. A call that meets a broken
    connection or a busy server is retried for ``retry_seconds``; each report carries its own key,
    so it is stored only once however often it is sent.

    Parameters
    ----------
    url
        The server address, or a join link, which contains the token.
    token
        A token for the study; to start policies, one with the role "runner".
    retry_seconds
        How long to retry before raising ``StoreFailed``.
    certificate
        A file with the certificate that vouches for the server, if this machine does not trust it.
    sleep
        How to wait between attempts, for tests.

    Examples
    --------
    Programs at the robot, one that scores and one that starts policies, until the study is
    finished::

        scorer = StudyClient("http://lab:8000", operator_token)
        robot = StudyClient("http://lab:8000", runner_token)
        while (trial := scorer.next_trial("arm 1")) is not None:
            run(robot.resolve(trial.code).run)
            scorer.record(trial.trial, measured(), station="arm 1")
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        retry_seconds: float = 60.0,
        certificate: str | Path | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        address, _, fragment = url.partition("#")
        self._token = token or fragment
        if not self._token:
            raise InvalidInput("a token is needed: pass one, or use a join link")
        self._retry_seconds, self._sleep = retry_seconds, sleep
        self._http = httpx.Client(
            base_url=web_address(address.removesuffix("/join")),
            headers={"Authorization": f"Bearer {self._token}"},
            timeout=httpx.Timeout(30.0, connect=5.0),
            trust_env=False,
            verify=True if certificate is None else ssl.create_default_context(cafile=certificate),
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try."""
        return self.status().phase == "finished"

    def next_trial(self, station: str, *, task: str | None = None) -> Assignment | None:
        """Return the trial that a station should run next, or None if there is none now."""
        found = self._call("POST", "/api/trials/next", {"station": station, "task": task})
        if found.get("checks"):
            raise NotAllowed(f"go through the check list of station {station!r} first")
        return _assigned(found)

    def holding(self, station: str) -> Assignment | None:
        """Return the trial that a station has taken but not yet reported."""
        return _assigned(self._call("GET", f"/api/trials/held?station={quote(station, safe='')}"))

    def check(self, station: str, ticked: Collection[str], *, note: str = "") -> None:
        """Say that the start-of-day check list of a station was gone through."""
        body = {"station": station, "ticked": list(ticked), "note": note}
        self._call("POST", "/api/stations/check", body)

    def start(self, trial: int, *, station: str) -> None:
        """Mark a trial as started; repeat this during a long trial to extend its lease."""
        self._call("POST", f"/api/trials/{trial}/start", {"station": station})

    def release(self, trial: int, *, station: str, reason: str, key: str | None = None) -> None:
        """Give back a trial; one that has begun counts as the plan says."""
        body = {"station": station, "reason": reason, "key": key or _new_key()}
        self._call("POST", f"/api/trials/{trial}/release", body)

    def record(
        self,
        trial: int,
        answer: Any,
        *,
        station: str,
        key: str | None = None,
        note: str = "",
        tag: str | None = None,
        seconds: float | None = None,
    ) -> Recorded:
        """Store the result of a trial, once; see ``Study.record``."""
        body = {
            "answer": plain_answer(answer),
            "station": station,
            "key": key or _new_key(),
            "note": note,
            "tag": tag,
            "seconds": seconds,
        }
        return parsed(Recorded, self._call("POST", f"/api/trials/{trial}/score", body))

    def resolve(self, code: str) -> Resolved:
        """Return the policy a code stands for; only for the role "runner"."""
        return parsed(Resolved, self._call("GET", f"/api/policies/{quote(code, safe='')}"))

    def policies(self) -> tuple[str, ...]:
        """Return the names of all policies; only for the role "runner"."""
        return tuple(self._call("GET", "/api/policies"))

    def attend(
        self, station: str, *, present: bool = True, limit: float | None = None
    ) -> Assignment | None:
        """Say that a runner starts the policies at a station, or no longer does.

        Returns the trial that the station has at that moment.
        """
        body = {"station": station, "present": present, "limit": limit}
        return _assigned(self._call("POST", "/api/stations/attend", body))

    def begin_episode(self, trial: int, episode: str) -> Resolved:
        """Return the policy of a trial that its operator has started; once for a trial."""
        body = {"episode": episode}
        return parsed(Resolved, self._call("POST", f"/api/trials/{trial}/episode", body))

    def end_episode(
        self, trial: int, episode: str, *, outcome: str = "ended", seconds: float | None = None
    ) -> None:
        """Say that the policy of a trial has ended; see ``Study.end_episode``."""
        body = {"episode": episode, "outcome": outcome, "seconds": seconds}
        self._call("POST", f"/api/trials/{trial}/episode/end", body)

    def add_recording(self, trial: int, file: str | Path) -> str:
        """Send a video or photo of a trial; return its name beside the study."""
        try:
            content = Path(file).read_bytes()
        except OSError as error:
            raise InvalidInput(f"{file}: {error.strerror}") from error
        return str(self._call("POST", f"/api/trials/{trial}/recordings", content)["recording"])

    def status(self) -> Status:
        """Return the progress of the study."""
        return parsed(Status, self._call("GET", "/api/status"))

    def verdict(self) -> StudyVerdict:
        """Return the verdict on each pair; for owners and viewers."""
        return parsed(StudyVerdict, self._call("GET", "/api/verdict"))

    def _call(self, method: str, path: str, body: dict[str, Any] | bytes | None = None) -> Any:
        """Return the answer, or raise what the server raised; passing failures are waited out."""
        try:
            whole = body is None or isinstance(body, bytes)
            content: Any = body if whole else json.dumps(body, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"this cannot be sent: {error}") from error
        until = time.monotonic() + self._retry_seconds
        pause = FIRST_PAUSE
        while True:
            try:
                response = self._http.request(method, path, content=content, headers=JSON)
                if response.status_code not in PASSING:
                    return _content(response)
                reason = f"the server answered {response.status_code}"
            except httpx.TransportError as error:
                reason = f"no connection to {self._http.base_url}: {error}"
            if time.monotonic() + pause > until:
                raise StoreFailed(f"{reason}; tried for {self._retry_seconds:g} s")
            # At random, so that stations that were cut off together do not come back together.
            self._sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, LONGEST_PAUSE)


def _new_key() -> str:
    return secrets.token_hex(16)


def _content(response: httpx.Response) -> Any:
    try:
        content = response.json()
    except ValueError as error:
        raise StoreFailed(
            f"{response.url} is not a study server: its answer is not JSON"
        ) from error
    if response.is_success:
        return content
    known = isinstance(content, dict) and "detail" in content
    detail = content["detail"] if known else response.reason_phrase
    raise ERRORS.get(response.status_code, NotAllowed)(detail)


def _assigned(found: dict[str, Any]) -> Assignment | None:
    return None if found["trial"] is None else parsed(Assignment, found["trial"])


def parsed(kind: type[Parsed], content: Any) -> Parsed:
    """Return plain values as a dataclass; fields of a newer server are passed over."""
    try:
        found: Parsed = TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        raise StoreFailed(f"the server's answer is not a valid {kind.__name__}: {error}") from error
    return found
