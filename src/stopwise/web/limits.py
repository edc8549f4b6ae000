"""What a stranger cannot do to the server: large bodies, framing, sniffing."""

import asyncio
import math
import re

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 256 * 1024
SECONDS_FOR_BODY = 20.0
SLOWEST = 10 * 1024.0  # bytes per second of a recording: it may take long, but must come
UPLOAD = re.compile(r"/api/trials/\d+/recordings")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class SafeHeaders:
    """Adds the security headers that a response does not set itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


class SmallBodies:
    """Refuses bodies that are too large or too slow, also those of unknown length."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless it is too large."""
        upload = UPLOAD.fullmatch(scope.get("path", "")) is not None
        largest = math.inf if upload else LARGEST_BODY  # an upload has a limit of its own
        text = f"a request can have at most {LARGEST_BODY // 1024} KiB"
        received, whole = 0, False
        until = asyncio.get_running_loop().time() + SECONDS_FOR_BODY

        async def receive_some() -> Message:
            nonlocal received, whole
            try:
                more = received / SLOWEST if upload else 0.0
                async with asyncio.timeout_at(None if whole else until + more):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, "the rest of the request did not come") from error
            whole = not message.get("more_body", False)
            received += len(message.get("body", b""))
            if received > largest:
                raise HTTPException(413, text)
            return message

        declared = dict(scope.get("headers", ())).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > largest:
            answer = JSONResponse({"error": "too_large", "detail": text}, status_code=413)
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive_some, send)
