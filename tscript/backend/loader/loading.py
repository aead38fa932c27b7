"""What all loaders of native code share: the machines that they know, and their error."""

from __future__ import annotations

X86_64 = 62
AARCH64 = 183
"""Machines, as ELF numbers them."""


class LoadError(RuntimeError):
    """An object cannot be loaded: it is damaged, made for another machine, or needs an undefined symbol."""
