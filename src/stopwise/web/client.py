"""A study on another machine, by its web API: the same calls as ``Study``, with retries."""

import json
import random
import secrets
import ssl
import time
from pathlib import Path
from types import NoneType
from typing import Any, Self, TypeVar, cast
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter, ValidationError

from stopwise.errors import InvalidInput, NotAllowed, StopwiseError, StoreFailed, require
from stopwise.study.actions import Actions
from stopwise.study.operation import Operation, Result
from stopwise.study.verdict import StudyVerdict
from stopwise.study.views import StationOffer, Status
from stopwise.web.links import web_address

Parsed = TypeVar("Parsed")

# Transient failures, worth a retry.
PASSING = frozenset({429, 500, 502, 503, 504})
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
JSON = {"Content-Type": "application/json"}
ERRORS: dict[int, type[StopwiseError]] = {400: InvalidInput, 413: InvalidInput}


class StudyClient(Actions):
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
    ) -> None:
        address, _, fragment = url.partition("#")
        self._token = token or fragment
        if not self._token:
            raise InvalidInput("a token is needed: pass one, or use a join link")
        self._retry_seconds = retry_seconds
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
    def name(self) -> str:
        """Who the token is for."""
        return str(self._call("GET", "/api/me")["name"])

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try."""
        return self.status().phase == "finished"

    def do(self, operation: Operation[Result], *, who: str | None = None) -> Result:
        """Do an operation; each report carries a key, so that it is stored once."""
        require(who is None, "over the network it is entered under the name of the token")
        require(
            bool(operation.route), f"{type(operation).__name__} is not offered over the network"
        )
        if "key" in type(operation).model_fields and getattr(operation, "key", None) is None:
            operation = operation.model_copy(update={"key": secrets.token_hex(16)})
        method, path = operation.route.split()
        said = {
            name: value
            for name, value in dict(operation).items()
            if not type(operation).model_fields[name].exclude
        }
        for name in [name for name in said if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", quote(str(said.pop(name)), safe=""))
        answer = self._call(method, f"/api{path}", said or None)
        kind = operation.returns()
        result: Any = None if kind is NoneType else parsed(kind, answer)
        return cast(Result, result)

    def offer(self, station: str) -> StationOffer:
        return parsed(
            StationOffer, self._call("GET", f"/api/trials/held?station={quote(station, safe='')}")
        )

    def hear(self, station: str) -> None:
        """Note that the runner of a station is there; only for the role "runner"."""
        self._call("POST", f"/api/stations/hear?station={quote(station, safe='')}")

    def policies(self) -> tuple[str, ...]:
        """Return the names of all policies; only for the role "runner"."""
        return tuple(self._call("GET", "/api/policies"))

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
            # Jitter, so that stations that lost the connection together do not return together.
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, LONGEST_PAUSE)


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


def parsed(kind: type[Parsed], content: Any) -> Parsed:
    """Parse plain values into a dataclass, ignoring fields of a newer server."""
    try:
        value: Parsed = TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        raise StoreFailed(f"the server's answer is not a valid {kind.__name__}: {error}") from error
    return value
