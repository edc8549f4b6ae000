"""Live studies: a locked plan, a journal of facts, blinded assignments, a replayed verdict."""

from importlib.util import find_spec

from stopwise.errors import StopwiseError

for _library in ("pydantic", "sqlalchemy"):
    if find_spec(_library) is None:
        raise StopwiseError(f'studies need {_library}: pip install "stopwise[study]"')
