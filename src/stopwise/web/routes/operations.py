"""The operations of a study as routes: who may, request and answer are those of the table."""

import inspect
from types import NoneType
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, create_model

from stopwise.study.access import Grant
from stopwise.study.operation import Operation
from stopwise.study.operations import OPERATIONS
from stopwise.web.bodies import Done
from stopwise.web.failures import FAILURES
from stopwise.web.permissions import allow
from stopwise.web.site import CurrentSite

router = APIRouter(prefix="/api", responses=FAILURES)


def add_routes() -> None:
    """Make a route of each operation that is offered over the network."""
    for tag, operations in OPERATIONS.items():
        for operation in operations:
            if operation.route:
                _add(tag, operation)


def _add(tag: str, operation: type[Operation[Any]]) -> None:
    def endpoint(
        site: CurrentSite, grant: Grant, body: BaseModel | None = None, **path: Any
    ) -> Any:
        said = {} if body is None else body.model_dump(exclude_unset=True)
        result = site.study.do(operation(**path, **said), grant=grant)
        return Done() if result is None else result

    method, path = operation.route.split()
    fields = {name: one for name, one in operation.model_fields.items() if not one.exclude}
    in_path = {name for name in fields if f"{{{name}}}" in path}
    parameters: dict[str, Any] = {
        "site": CurrentSite,
        "grant": Annotated[Grant, Depends(allow(*operation.roles))],
        **{name: Annotated[fields[name].annotation, *fields[name].metadata] for name in in_path},
    }
    sent: dict[str, Any] = {
        name: (one.annotation, one) for name, one in fields.items() if name not in in_path
    }
    if sent:
        parameters["body"] = create_model(
            f"{operation.__name__}Request",
            __config__=ConfigDict(extra="forbid"),
            __doc__=inspect.cleandoc(operation.__doc__ or ""),
            **sent,
        )
    endpoint.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # FastAPI reads it
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
            for name, annotation in parameters.items()
        ]
    )
    endpoint.__name__, endpoint.__doc__ = operation.__name__, operation.__doc__
    returns = Done if operation.returns() is NoneType else operation.returns()
    router.add_api_route(path, endpoint, methods=[method], response_model=returns, tags=[tag])


add_routes()
