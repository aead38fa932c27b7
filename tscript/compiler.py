"""The queries of ``torch.compiler``: nothing here is compiled by it.

Example:
    >>> import tscript as torch
    >>> torch.compiler.is_compiling(), torch.compiler.is_dynamo_compiling()
    (False, False)
"""

from __future__ import annotations


def is_compiling() -> bool:
    """False: ``torch.compile`` is not there."""
    return False


def is_dynamo_compiling() -> bool:
    """False: ``torch.compile`` is not there."""
    return False


def is_exporting() -> bool:
    """False: ``torch.export`` is not there."""
    return False


__all__ = ["is_compiling", "is_dynamo_compiling", "is_exporting"]
