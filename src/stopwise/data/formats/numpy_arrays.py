"""NumPy files: scores (N,), one column per policy (N, K), or named arrays."""

from pathlib import Path

from stopwise.data.formats.numpy_file import NPY_MAGIC, load_arrays
from stopwise.data.formats.text_file import first_bytes
from stopwise.data.frames import raw_of_array, raw_of_arrays
from stopwise.data.raw import RawTable

name = "numpy"
ZIP_MAGIC = b"PK\x03\x04"


def recognise(path: Path) -> bool:
    """Whether the file begins as NumPy files do."""
    beginning = first_bytes(path, len(NPY_MAGIC))
    return beginning == NPY_MAGIC or (path.suffix == ".npz" and beginning.startswith(ZIP_MAGIC))


def read(path: Path) -> RawTable:
    """Return named arrays as columns (or as policies), a plain array as scores."""
    arrays = load_arrays(path)
    array = arrays.get("array")
    if array is None or len(arrays) > 1:
        return raw_of_arrays(arrays, {}, str(path))
    return raw_of_array(array, str(path))
