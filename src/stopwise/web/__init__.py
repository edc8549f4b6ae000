"""The web app of a study: pages for people at the robot and on the sofa, an API for programs."""

from importlib.util import find_spec

from stopwise.errors import StopwiseError

for _library in ("fastapi", "uvicorn", "segno", "httpx"):
    if find_spec(_library) is None:
        raise StopwiseError(f'the web app needs {_library}: pip install "stopwise[study]"')
