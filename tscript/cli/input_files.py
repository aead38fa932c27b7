"""Files that give inputs: arrays of NumPy, safetensors, JSON, pictures."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from tscript.cli.errors import UsageError

PICTURES = (".png", ".jpg", ".jpeg")
SUFFIXES = (".npy", ".npz", ".json", ".safetensors", *PICTURES)
"""How the names of files end that are read without ``@`` before them."""


def values_of_file(path: Path) -> Any:
    """What a file holds: a tensor, or a dict of tensors by name, or what JSON says.

    Args:
        path: The file. Its suffix says how it is read.

    Raises:
        UsageError: It cannot be read, is not what its suffix says, or needs a package that is not installed.
    """
    from tscript.archive import ArchiveError

    try:
        if path.suffix == ".json":
            return from_json(json.loads(path.read_text()))
        if path.suffix == ".safetensors":
            return _safetensors(path)
        return _picture(path) if path.suffix.lower() in PICTURES else _arrays(path)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except ArchiveError as error:
        raise UsageError(f"{path}: {error.what}") from None
    except (
        ValueError, TypeError, EOFError, OSError, MemoryError, RecursionError, SyntaxError, zipfile.BadZipFile
    ) as error:  # fmt: skip
        raise UsageError(f"{path}: {error}") from None


def _arrays(path: Path) -> Any:
    import numpy as np

    from tscript.runtime.session.process import from_numpy

    loaded = np.load(path, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return from_numpy(loaded)
    with loaded:
        return {name: from_numpy(loaded[name]) for name in loaded.files}


def _safetensors(path: Path) -> dict[str, Any]:
    from tscript.archive.weights import file_arrays
    from tscript.runtime.session.process import from_numpy

    return {name: from_numpy(array) for name, array in file_arrays(path.read_bytes(), str(path)).items()}


def _picture(path: Path) -> Any:
    """The bytes of a picture, uint8 of shape (channels, height, width)."""
    import numpy as np

    try:
        from PIL import Image
    except ImportError:
        raise UsageError(f"{path}: this needs Pillow: pip install 'tscript[images]'") from None
    from tscript.runtime.session.process import from_numpy

    with Image.open(path) as picture:
        plain = picture if picture.mode in ("L", "RGB", "RGBA") else picture.convert("RGB")
        array = np.asarray(plain)
    return from_numpy(np.ascontiguousarray(array[None] if array.ndim == 2 else array.transpose(2, 0, 1)))


def from_json(value: Any) -> Any:
    """What JSON says, with tensors for lists: float32 where a number has a point."""
    if isinstance(value, list):
        import numpy as np

        from tscript.runtime.session.process import from_numpy

        array = np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        return from_numpy(array)
    if isinstance(value, dict):
        return {name: from_json(item) for name, item in value.items()}
    return value
