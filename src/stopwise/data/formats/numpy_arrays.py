"""NumPy files, without pickles: scores (N,), one column per policy (N, K), or named arrays."""

import zipfile
from typing import Any

import numpy as np

from stopwise.data.formats.text_file import Head
from stopwise.data.frames import raw_of_array, raw_of_arrays
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput

name = "numpy"
NPY_MAGIC, ZIP_MAGIC = b"\x93NUMPY", b"PK\x03\x04"


def recognise(head: Head) -> bool:
    zipped = head.path.suffix == ".npz" and head.start.startswith(ZIP_MAGIC)
    return zipped or head.start.startswith(NPY_MAGIC)


def read(head: Head) -> RawTable:
    """Return named arrays as columns (or as policies), a plain array as scores."""
    path, arrays = head.path, load_arrays(head)
    array = arrays.get("array")
    if array is None or len(arrays) > 1:
        return raw_of_arrays(arrays, {}, str(path))
    return raw_of_array(array, str(path))


def load_arrays(head: Head) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays by name; that of an .npy file is called "array"."""
    path = head.path
    try:
        # Opened here, since np.load leaves damaged archives open.
        with path.open("rb") as file:
            content = np.load(file, allow_pickle=False)
            if isinstance(content, np.ndarray):
                return {"array": content}
            return {name: content[name] for name in content.files}
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        reason = str(error).splitlines()[0] if str(error) else "it ends early"
        if "allow_pickle" in reason:
            raise InvalidInput(
                f"{path}: it holds Python objects, which may run code when loaded and are not "
                "read; save dictionaries of arrays with np.savez"
            ) from error
        raise InvalidInput(
            f"{path}: not a whole NumPy file ({reason}); it may be cut off"
        ) from error
