"""`save` and `load` as ``torch.jit`` has them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, BinaryIO

import tscript
from tscript.types.options import Device


def save(m: Any, f: str | os.PathLike[str] | BinaryIO, _extra_files: Mapping[str, bytes | str] | None = None) -> None:
    """Write a scripted function or a module to an archive of tscript, whatever the file is called; see `tscript.save`.

    Args:
        m: The function, or the module, which is scripted if it is not.
        f: The file; or a binary file object, which is written to from its position on.
        _extra_files: Files to keep with it, by name.

    Raises:
        TypeError: It is neither; `f` takes no bytes.
        ArchiveError: It has something that no archive can keep, or a name of an extra file breaks a rule.
        OSError: The file cannot be written.

    Example:
        >>> import io, tscript as torch
        >>> @torch.jit.script
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return 2 * x
        >>> file = io.BytesIO()
        >>> torch.jit.save(double, file, _extra_files={"labels.txt": "one two"})
        >>> _ = file.seek(0)
        >>> files = {"labels.txt": ""}
        >>> torch.jit.load(file, map_location="cpu", _extra_files=files)(torch.ones(2)), files
        (tensor([2., 2.]), {'labels.txt': b'one two'})
    """
    tscript.save(m, f, extra_files=_extra_files)


def load(
    f: str | os.PathLike[str] | BinaryIO,
    map_location: Any = None,
    _extra_files: dict[str, Any] | None = None,
    _restore_shapes: bool = False,
    **options: Any,
) -> Any:
    """Open an archive of tscript or of TorchScript; see `tscript.load`.

    Args:
        f: The file; or a binary file object, which is read from its position to its end.
        map_location: None, or the device of its tensors, which is the processor.
        _extra_files: A dict whose values become the bytes of the extra files of these names; ``b""`` where there is
            none.
        _restore_shapes: Without effect: shapes are those of the arguments.
        options: Those of `tscript.load`.

    Raises:
        ArchiveError: Whatever is wrong with the archive.
        RuntimeError: The device is not there.
        ValueError: `map_location` is no device.
        OSError: The file cannot be read.
    """
    _check_device(map_location)
    names = (
        {}
        if _extra_files is None
        else {name: name.decode() if isinstance(name, bytes) else name for name in _extra_files}
    )
    wanted: dict[str, Any] = dict.fromkeys(names.values())
    made = tscript.load(f, extra_files=wanted or None, **options)
    if _extra_files is not None:
        _extra_files.update((name, wanted[text] or b"") for name, text in names.items())
    return made


def _check_device(where: object) -> None:
    """Refuse devices that tensors cannot lie on.

    Raises:
        RuntimeError: It is not there.
        ValueError: It is none.
    """
    if where is None:
        return
    if type(where).__module__ == "torch" and hasattr(where, "type"):  # a device of PyTorch
        where = str(where)
    if not isinstance(where, str | Device):
        raise ValueError(
            f"map_location is None, a device or its name, not '{type(where).__name__}': write map_location=\"cpu\""
        )
    device = Device(where)
    if device.type != "cpu":
        raise RuntimeError(
            f"tensors cannot be put on '{device}', tscript has the device 'cpu': write map_location=\"cpu\""
        )


__all__ = ["load", "save"]
