"""What asking an enum for a member that it does not have raises."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import generic


@generic
def no_enum_value(value, name: str):
    """What ``Color(value)`` raises."""
    raise ValueError(repr(value) + " is not a valid " + name)


def no_enum_name(name: str):
    """What ``Color[name]`` raises."""
    raise KeyError(name)
