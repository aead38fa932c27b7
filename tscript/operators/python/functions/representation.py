"""`repr` and `str` of containers, and of what may be None."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import generic


@generic
def list_repr(xs) -> str:
    """``repr(xs)``"""
    return "[" + ", ".join([repr(x) for x in xs]) + "]"


@generic
def long_tuple_repr(xs) -> str:
    """``repr(xs)`` of a tuple of any length."""
    if len(xs) == 1:
        return "(" + repr(xs[0]) + ",)"
    return "(" + ", ".join([repr(x) for x in xs]) + ")"


@generic
def dict_repr(xs) -> str:
    """``repr(xs)``"""
    return "{" + ", ".join([repr(k) + ": " + repr(xs[k]) for k in xs]) + "}"


@generic
def set_repr(xs) -> str:
    """``repr(xs)``"""
    if not xs:
        return "set()"
    return "{" + ", ".join([repr(x) for x in xs]) + "}"


@generic
def optional_repr(x) -> str:
    """``repr(x)`` where it may be None."""
    if x is None:
        return "None"
    return repr(x)


@generic
def option_str(x):
    """``str(x)`` where it may be None."""
    if x is None:
        return "None"
    return str(x)
