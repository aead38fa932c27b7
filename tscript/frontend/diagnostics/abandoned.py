"""`Abandoned`: how lowering leaves a statement with an error."""

from __future__ import annotations


class Abandoned(Exception):
    """Leaves a statement whose error has been reported."""
