"""Every failure as one clear answer: JSON for programs, a page for people."""

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from stopwise.errors import InvalidInput, InvalidState, NotAllowed, StopwiseError, StoreFailed
from stopwise.web.bodies import Failure
from stopwise.web.rendering import render

# The first matching class decides.
STATUS: tuple[tuple[type[StopwiseError], int, str], ...] = (
    (InvalidState, 503, "damaged"),
    (InvalidInput, 400, "invalid_input"),
    (NotAllowed, 409, "not_allowed"),
    (StoreFailed, 503, "store_failed"),
)
STORE_FAULTS = {
    "disk-full": "The study's disk is full: tell the owner to make room.",
    "disk-error": "The study's disk is over its quota, or broken: tell the owner.",
    "read-only": "The study's store cannot be written, only read: tell the owner.",
    "no-answer": "The study's database does not answer: tell the owner.",
}


def _described(text: str) -> dict[str, object]:
    # Spelt out, because FastAPI would describe failures of a page as pages too.
    schema = {"$ref": f"#/components/schemas/{Failure.__name__}"}
    return {"description": text, "content": {"application/json": {"schema": schema}}}


# For the OpenAPI: what any operation may answer besides its own.
FAILURES: dict[int | str, dict[str, object]] = {
    400: _described("The request is invalid; `detail` says why."),
    401: _described("The token is missing, unknown or revoked."),
    403: _described("The token's role does not allow this."),
    409: _described("The study's current state does not allow this."),
    413: _described("The request body is too large."),
    503: _described("The store failed; nothing was partially written."),
}


def answer_failures(app: FastAPI) -> None:
    """Register an answer for every kind of failure."""
    app.add_exception_handler(StopwiseError, _deliberate)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _unexpected)


def _answer(request: Request, status: int, word: str, detail: str) -> Response:
    """Return JSON, or a page to a person who went to an address of ours."""
    wants_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    if wants_page:
        title = "Page not found" if status == 404 else "Something went wrong"
        text = "Check the address for typos." if status == 404 else detail
        return HTMLResponse(render("failure.html", title=title, detail=text), status)
    return JSONResponse({"error": word, "detail": detail}, status_code=status)


def _deliberate(request: Request, error: Exception) -> Response:
    for kind, status, word in STATUS:
        if isinstance(error, kind):
            # Only the server's log names the location of the store.
            if status < 500:
                return _answer(request, status, word, str(error))
            logging.getLogger("uvicorn.error").error("%s", error)
            return _answer(request, status, word, in_plain_words(error))
    return _answer(request, 400, "invalid_input", str(error))


def in_plain_words(error: StopwiseError) -> str:
    """Fault of the store, without its location, which only the server's log names."""
    return STORE_FAULTS.get(error.code, "the study's store failed: tell the owner")


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = []
    for problem in error.errors()[:5]:
        place = ".".join(str(part) for part in problem["loc"][1:])
        problems.append(f"{place}: {problem['msg']}" if place else problem["msg"])
    text = "; ".join(problems).encode("utf-8", "backslashreplace").decode()
    return _answer(request, 400, "invalid_input", text[:2000])


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    word = "too_large" if status == 413 else status.name.lower()
    text = error.detail or status.phrase
    answer = _answer(request, error.status_code, word, text)
    answer.headers.update(error.headers or {})
    return answer


def _unexpected(request: Request, _error: Exception) -> Response:
    return _answer(request, 500, "unexpected", "unexpected error: see the server log")
