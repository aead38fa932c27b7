"""What stands for a value that is not there."""

from __future__ import annotations


class Missing:
    """The type of `MISSING`: an argument that is not a compile-time constant."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


class NoDefault:
    """The type of `REQUIRED`: a parameter has no default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = NoDefault()
