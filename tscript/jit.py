"""The names of ``torch.jit`` that tscript has, so that ``import tscript as torch`` serves a file as it is.

Example:
    >>> import tscript as torch
    >>> @torch.jit.script
    ... def double(x: torch.Tensor) -> torch.Tensor:
    ...     return 2 * x
    >>> double(torch.ones(2))
    tensor([2., 2.])
"""

from tscript import Future, fork, wait
from tscript.api import load, save, script
from tscript.marks import annotate, export, ignore, is_scripting, unused

__all__ = [
    "Future",
    "annotate",
    "export",
    "fork",
    "ignore",
    "is_scripting",
    "load",
    "save",
    "script",
    "unused",
    "wait",
]
