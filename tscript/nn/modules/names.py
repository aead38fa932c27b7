"""Which file defines which class of `tscript.nn`."""

from __future__ import annotations

FILES: dict[str, tuple[str, ...]] = {
    "module": ("Module",),
}
"""The classes of each file, by the name of the file, which is PyTorch's."""

HOME: dict[str, str] = {name: file for file, names in FILES.items() for name in names}
"""The file of each class."""
