"""Limits on strangers: large bodies, framing, sniffing."""

import asyncio
import re

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 256 * 1024
SECONDS_FOR_BODY = 20.0  # until more of it comes
UPLOAD = re.compile(r"/api/trials/\d+/recordings")  # has its own limit
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


class Guarded:
    """Adds the headers that a response does not set, and refuses large or slow bodies."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limited = UPLOAD.fullmatch(scope.get("path", "")) is None
        received, whole = 0, False

        async def receive_some() -> Message:
            nonlocal received, whole
            try:
                async with asyncio.timeout(None if whole else SECONDS_FOR_BODY):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, "the rest of the request did not come") from error
            whole = not message.get("more_body", False)
            received += len(message.get("body", b""))
            if limited and received > LARGEST_BODY:
                raise HTTPException(413, f"a request can have at most {LARGEST_BODY // 1024} KiB")
            return message

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive_some, send_with_headers)
