"""The audit log, and the stream that tells that it grew."""

import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from stopwise.web.bodies import EntryView, JournalView
from stopwise.web.failures import FAILURES
from stopwise.web.permissions import Anyone, Owner
from stopwise.web.site import CurrentSite

router = APIRouter(prefix="/api", tags=["journal"], responses=FAILURES)


@router.get("/journal")
def journal(
    site: CurrentSite,
    _: Owner,
    after: Annotated[int, Query(ge=0, le=10**12)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> JournalView:
    """Return the entries after a sequence number; labels and scores are hidden until unblinding."""
    blinded = not site.study.unblinded
    entries = site.study.journal(after, most=limit + 1)
    return JournalView(
        entries=[EntryView.of(entry, blinded=blinded) for entry in entries[:limit]],
        more=len(entries) > limit,
    )


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events."}},
)
async def events(
    site: CurrentSite,
    grant: Anyone,
    once: Annotated[bool, Query(description="Close the stream after one event.")] = False,
) -> StreamingResponse:
    """Send a `changed` event with the journal's sequence number, now and after every change."""

    async def stream() -> AsyncIterator[str]:
        async for seq in site.updates.listen():
            if not await run_in_threadpool(site.study.admits, grant.token):
                return  # revoked or expired: a stream ends with its token
            if seq is None:
                yield ": still here\n\n"
                continue
            yield f"id: {seq}\nevent: changed\ndata: {json.dumps({'seq': seq})}\n\n"
            if once:
                return

    return StreamingResponse(
        stream(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )
