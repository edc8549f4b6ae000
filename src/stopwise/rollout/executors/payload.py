"""What workers need as bytes, to be sent to another process or machine."""

import pickle
from typing import Any

from stopwise.errors import InvalidInput


def packed(work: Any) -> bytes:
    """Return it as bytes; with cloudpickle, which gymnasium brings, lambdas go too."""
    pickler: Any = pickle
    try:
        import cloudpickle

        pickler = cloudpickle
    except ImportError:
        pass  # named functions and factories can still be sent
    try:
        payload: bytes = pickler.dumps(work)
    except Exception as error:  # whatever the user's objects raise
        raise InvalidInput(
            f"env, policies or score cannot be sent to another process ({error}): give factories "
            "by name, package.module:name"
        ) from error
    return payload


def unpacked(payload: bytes) -> Any:
    """Return what the bytes hold."""
    return pickle.loads(payload)
