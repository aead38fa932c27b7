"""Functions over values that may be None, written in the language."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations


def unwrap_optional(value):
    """``torch.jit._unwrap_optional``"""
    assert value is not None, "Unwrapping null optional"
    return value
