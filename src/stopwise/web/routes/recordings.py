"""Videos and photos of trials."""

from tempfile import SpooledTemporaryFile
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import FileResponse
from starlette.concurrency import run_in_threadpool

from stopwise.errors import NotAllowed
from stopwise.study.access import Grant, Role
from stopwise.study.recordings import LARGEST, TYPES, not_stored
from stopwise.web.bodies import RecordingView
from stopwise.web.failures import FAILURES
from stopwise.web.permissions import Anyone, AtTheRobot
from stopwise.web.routes.trials import TrialNumber
from stopwise.web.site import CurrentSite, Site

router = APIRouter(prefix="/api", tags=["recordings"], responses=FAILURES)
FileName = Annotated[str, Path(pattern=r"^[0-9a-f]{32}\.[a-z0-9]{3,4}$")]
A_FILE: dict[str, Any] = {
    "response_class": FileResponse,
    "responses": {200: {"content": {kind: {} for kind in TYPES.values()}}},
}
BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {}}}}


@router.post("/trials/{trial}/recordings", status_code=201, openapi_extra=BODY)
async def add_recording(
    site: CurrentSite, grant: AtTheRobot, trial: TrialNumber, request: Request
) -> RecordingView:
    """Store a video or photo of a trial: the body is the file, up to 200 MiB."""
    if grant.role is not Role.RUNNER:
        await run_in_threadpool(site.study.require_taken_by, trial, grant.name)
    with SpooledTemporaryFile(max_size=2**20) as file:
        size = 0
        async for chunk in request.stream():
            size += len(chunk)
            if size > LARGEST:
                raise HTTPException(413, f"a recording can have at most {LARGEST // 2**20} MiB")
            try:
                await run_in_threadpool(file.write, chunk)
            except OSError as error:  # no room for the upload's temporary file
                raise not_stored(error) from error
        file.seek(0)
        parts = iter(lambda: file.read(2**20), b"")
        name = await run_in_threadpool(site.study.add_recording, trial, parts, who=grant.name)
    return RecordingView(recording=name)


@router.get("/trials/{trial}/recordings/{name}", **A_FILE)
def recording(site: CurrentSite, grant: Anyone, trial: TrialNumber, name: FileName) -> FileResponse:
    """Return a recording: to its operator, and after unblinding to owners and viewers."""
    _require_may_see(site, grant, trial)
    path = site.study.recording(trial, name)
    return FileResponse(path, media_type=TYPES[path.suffix[1:]])


def _require_may_see(site: Site, grant: Grant, trial: int) -> None:
    """Raise unless this person may see how a trial went."""
    study = site.study
    if grant.role is Role.OPERATOR:
        seen = study.taken_by(trial) == grant.name
    else:  # beside the evidence, a recording tells a label
        seen = study.unblinded and grant.role is not Role.RUNNER
    if not seen:
        raise NotAllowed("you cannot view this recording before unblinding")
